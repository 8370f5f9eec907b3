import type { Deps } from '../../deps.ts';
import type { ItemRow } from '../../platform/database/tables.ts';

/** The secret of an item in clear. Throws when its row was altered. */
export function openItem({ cipher }: Pick<Deps, 'cipher'>, item: ItemRow): Promise<string> {
  return cipher.decrypt({
    itemId: item.id,
    productId: item.product_id,
    keyId: item.key_id,
    nonce: item.nonce,
    ciphertext: item.ciphertext,
  });
}
