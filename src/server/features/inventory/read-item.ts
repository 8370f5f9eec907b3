import { maskContent } from '../../../shared/item-text.ts';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { raiseAlert } from '../admin/alerts.queries.ts';

/** Returns the secret of an item; null for an altered row, which raises an alert, so that other items stay readable. */
export async function readItem(deps: Deps, item: ItemRow): Promise<string | null> {
  try {
    return await openItem(deps, item);
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error;
    const message = 'an item in the database was altered';
    await raiseAlert(deps, { kind: 'unreadable-item', subject: item.id, message });
    return null;
  }
}

/** Returns the decrypted secret of an item. Throws when its row was altered. */
export const openItem = ({ cipher }: Pick<Deps, 'cipher'>, item: ItemRow): Promise<string> =>
  cipher.decrypt({
    itemId: item.id,
    productId: item.product_id,
    keyId: item.key_id,
    nonce: item.nonce,
    ciphertext: item.ciphertext,
  });

export async function maskItem(deps: Deps, item: ItemRow): Promise<string> {
  const content = await readItem(deps, item);
  return content === null ? 'Cannot be read' : maskContent(content);
}
