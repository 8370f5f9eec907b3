import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MarkdownIt } from 'markdown-it';
import { type InfoPage, infoSlug } from '../../../shared/content.ts';
import type { Config } from '../../config.ts';
import { unlessMissing } from '../../platform/system-errors.ts';

/** The owner's own texts: about.md is the page /info/about. */
const folder = resolve(import.meta.dirname, '../../../../content');

export type InfoPages = ReturnType<typeof createInfoPages>;

/** Reads a text on every request, so that an edit shows at once, and renders it when it has changed. */
export function createInfoPages({ storeName, contact, publicUrl }: Config) {
  // Values for `{name}` in the texts.
  const words = { store: storeName, url: publicUrl, ...contact, tel: contact.phone.replace(/[^+\d]/g, '') };
  const rendered = new Map<string, { source: string; page: Promise<InfoPage> }>();

  return {
    listSlugs,
    async find(slug: string): Promise<InfoPage | undefined> {
      if (!infoSlug.safeParse(slug).success) return undefined;
      const source = await readFile(join(folder, `${slug}.md`), 'utf8').catch(unlessMissing);
      if (source === undefined) return undefined;
      const known = rendered.get(slug);
      if (known?.source === source) return known.page;
      const page = renderMarkdown(source, words).then((text) => ({ slug, ...text }));
      rendered.set(slug, { source, page });
      page.catch(() => rendered.delete(slug));
      return page;
    },
  };
}

async function listSlugs(): Promise<string[]> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const slugs = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -'.md'.length));
  return slugs.filter((slug) => infoSlug.safeParse(slug).success).sort();
}

let parser: MarkdownIt | undefined;

// Loaded on first use, because few visitors read an information page. A failed load is retried, because packages are
// missing while an upgrade installs them.
async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it');
  return new Parser({ html: false, linkify: false, typographer: true });
}

/**
 * Renders the owner's Markdown. HTML in it is escaped, and dangerous links are left out. `{name}` is replaced by the
 * value of that name. `description` is the first paragraph as plain text, `html` is everything except the first
 * heading.
 */
export async function renderMarkdown(source: string, values: Record<string, string>): Promise<Omit<InfoPage, 'slug'>> {
  parser ??= await loadParser();
  const markdown = parser;
  const filled = source.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? escapeMarkdown(values[name] ?? '') : whole,
  );
  const tokens = markdown.parse(filled, {});
  const textAfter = (type: string) => {
    const content = tokens[tokens.findIndex((token) => token.type === type) + 1];
    return (content?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
  };
  const hasTitle = tokens[0]?.type === 'heading_open';
  return {
    title: hasTitle ? textAfter('heading_open') : '',
    description: textAfter('paragraph_open'),
    html: markdown.renderer.render(hasTitle ? tokens.slice(3) : tokens, markdown.options, {}),
  };
}

// Markdown allows a backslash before any punctuation, also in the URL of a link.
const escapeMarkdown = (text: string) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
