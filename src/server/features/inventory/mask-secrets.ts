import { maskContent } from '../../../shared/item-text.ts';
import type { Deps } from '../../deps.ts';
import { unlessBroken } from '../../platform/crypto/item-cipher.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { decryptItem } from './item-actions.ts';
import { listItemsByFingerprint } from './stock.queries.ts';

/** Shorter parts of a secret may be ordinary words, and are not masked. */
const SHORTEST_SECRET = 6;

/**
 * Masks the secrets of items, and their lines and passwords, in a text that somebody typed: buyers type them although
 * the form says not to. The text does not become longer. An item that cannot be decrypted is left out.
 */
export async function maskSecrets(deps: Pick<Deps, 'cipher'>, items: readonly ItemRow[], text: string) {
  const contents = await Promise.all(items.map((item) => decryptItem(deps, item).catch(unlessBroken)));
  return maskContents(
    contents.flatMap((content) => content ?? []),
    text,
  );
}

/**
 * Does the same in a text of an administrator, also for every item of the stock whose whole secret is a word or a line of
 * it. In a text of a buyer this would show whether the shop has a guessed key; an administrator may have so many words
 * compared in a day. Throws RATE_LIMITED.
 */
export async function maskTyped(
  deps: Pick<Deps, 'db' | 'cipher' | 'limits'>,
  { userId }: Actor,
  text: string,
  items: readonly ItemRow[] = [],
): Promise<string> {
  const words = text.split(/\s+/);
  const typed = [...text.split('\n'), ...words, ...words.map((word) => word.replace(/^\W+|\W+$/g, ''))];
  const fingerprints = [...new Set(typed)]
    .filter((part) => part.trim().length >= SHORTEST_SECRET)
    .map((part) => deps.cipher.fingerprint(part));
  if (fingerprints.length === 0) return maskSecrets(deps, items, text);
  // A secret of `items` is also found within a long word, which may be made of many guesses.
  const compared = Math.max(fingerprints.length, Math.ceil(text.length / SHORTEST_SECRET));
  await deps.limits.count('typed-words', { user: userId ?? '' }, compared);
  const inStock = await listItemsByFingerprint(deps.db, fingerprints);
  return maskSecrets(deps, [...items, ...inStock], text);
}

export function maskContents(contents: readonly string[], text: string): string {
  const parts = contents.flatMap((content) => {
    const lines = content.split('\n').map((line) => line.trim());
    return [content, ...lines, ...lines.map((line) => line.slice(line.indexOf(':') + 1).trim())];
  });
  const typed = text.toLowerCase();
  return [...new Set(parts)]
    .filter((part) => part.length >= SHORTEST_SECRET && typed.includes(part.toLowerCase()))
    .sort((one, other) => other.length - one.length)
    .reduce(
      (rest, part) =>
        rest.replace(new RegExp(RegExp.escape(part), 'gi'), () => maskContent(part).slice(0, part.length)),
      text,
    );
}
