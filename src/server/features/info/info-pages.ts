import { type InfoPage, infoSlug } from '../../../shared/content.ts';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { renderMarkdown } from './render-markdown.ts';

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
