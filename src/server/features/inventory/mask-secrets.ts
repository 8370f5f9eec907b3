import { maskContent } from '../../../shared/item-text.ts';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { openItem } from './item-actions.ts';

/** Shorter parts of a secret may be ordinary words, and are not masked. */
const SHORTEST_SECRET = 6;

/**
 * Masks the secrets of items, and their lines and passwords, in a text that somebody typed: buyers type them although
 * the form says not to. The text does not become longer. An item that cannot be decrypted is left out.
 */
export async function maskSecrets(
  deps: Pick<Deps, 'cipher'>,
  items: readonly ItemRow[],
  text: string,
): Promise<string> {
  const contents = await Promise.all(
    items.map((item) =>
      openItem(deps, item).catch((error: unknown) => {
        if (error instanceof BrokenSeal) return '';
        throw error;
      }),
    ),
  );
  const parts = contents.flatMap((content) => {
    const lines = content.split('\n').map((line) => line.trim());
    return [content, ...lines, ...lines.map((line) => line.slice(line.indexOf(':') + 1).trim())];
  });
  const typed = text.toLowerCase();
  return [...new Set(parts)]
    .filter((part) => part.length >= SHORTEST_SECRET && typed.includes(part.toLowerCase()))
    .sort((one, other) => other.length - one.length)
    .reduce(
      (rest, part) => rest.replace(new RegExp(escaped(part), 'gi'), () => maskContent(part).slice(0, part.length)),
      text,
    );
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
