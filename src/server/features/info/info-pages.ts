import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type InfoPage, infoSlug } from '../../../shared/info-pages.ts';
import type { Config } from '../../config.ts';
import { renderMarkdown } from './render-markdown.ts';

/** The owner's own texts: about.md is the page /info/about. */
const folder = resolve(import.meta.dirname, '../../../../content');

type ShopDetails = Pick<Config, 'storeName' | 'contact' | 'publicUrl'>;

/** Reads the page anew each time, so that an edit shows at once. Undefined when there is no such page. */
export async function findInfoPage(slug: string, config: ShopDetails): Promise<InfoPage | undefined> {
  if (!infoSlug.safeParse(slug).success) return undefined;
  const source = await readIfThere(join(folder, `${slug}.md`));
  if (source === undefined) return undefined;
  return { slug, ...(await renderMarkdown(source, wordsOf(config))) };
}

/** What stands in braces in the texts. */
const wordsOf = ({ storeName, contact, publicUrl }: ShopDetails) => ({
  store: storeName,
  url: publicUrl,
  ...contact,
  tel: contact.phone.replace(/[^+\d]/g, ''),
});

export async function listInfoSlugs(): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .filter((slug) => infoSlug.safeParse(slug).success)
    .sort();
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
