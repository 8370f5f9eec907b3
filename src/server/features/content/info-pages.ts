import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MarkdownIt } from 'markdown-it';
import { type InfoPage, infoSlug } from '../../../shared/content.ts';
import type { Config } from '../../config.ts';

/** The owner's own texts: about.md is the page /info/about. */
const folder = resolve(import.meta.dirname, '../../../../content');

type ShopDetails = Pick<Config, 'storeName' | 'contact' | 'publicUrl'>;

export interface InfoPages {
  /** Undefined when there is no such page. */
  find(slug: string): Promise<InfoPage | undefined>;
  listSlugs(): Promise<string[]>;
}

/** Reads a text whenever it is asked for, so that an edit shows at once, and renders it when it is another. */
export function createInfoPages(config: ShopDetails): InfoPages {
  const words = wordsOf(config);
  const rendered = new Map<string, { source: string; page: Promise<InfoPage> }>();

  return {
    listSlugs,
    async find(slug) {
      const source = infoSlug.safeParse(slug).success
        ? await ifThere(readFile(join(folder, `${slug}.md`), 'utf8'))
        : undefined;
      if (source === undefined) return undefined;
      const known = rendered.get(slug);
      if (known?.source === source) return known.page;
      const page = renderMarkdown(source, words).then((text) => ({ slug, ...text }));
      rendered.set(slug, { source, page });
      return page;
    },
  };
}

/** What stands in braces in the texts. */
const wordsOf = ({ storeName, contact, publicUrl }: ShopDetails) => ({
  store: storeName,
  url: publicUrl,
  ...contact,
  tel: contact.phone.replace(/[^+\d]/g, ''),
});

async function listSlugs(): Promise<string[]> {
  const names = (await ifThere(readdir(folder))) ?? [];
  return names
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .filter((slug) => infoSlug.safeParse(slug).success)
    .sort();
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export interface RenderedMarkdown {
  /** The text of the first heading. */
  title: string;
  /** The text of the first paragraph, without marks. */
  description: string;
  /** Everything but the first heading. */
  html: string;
}

let parser: Promise<MarkdownIt> | undefined;

// Needed by the few who read an information page, so not part of every start.
async function loadParser(): Promise<MarkdownIt> {
  const { default: Parser } = await import('markdown-it');
  return new Parser({ html: false, linkify: false, typographer: true });
}

/**
 * Renders what an owner wrote. HTML in it counts as text, and links that could run something are not made, so that the
 * outcome can be put into a page as it is. `{name}` stands for the value of that name.
 */
export async function renderMarkdown(source: string, values: Record<string, string>): Promise<RenderedMarkdown> {
  parser ??= loadParser();
  const markdown = await parser;
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

// Markdown takes a backslash before any punctuation, also inside the address of a link.
const escapeMarkdown = (text: string) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&');
