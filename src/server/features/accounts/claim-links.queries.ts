import type { Transaction } from '../../platform/database/open-database.ts';

export async function createClaimLink(
  trx: Transaction,
  link: { tokenHash: Buffer; orderId: string; now: Date; expiresAt: Date },
): Promise<void> {
  await trx
    .insertInto('claim_links')
    .values({
      token_hash: link.tokenHash,
      order_id: link.orderId,
      created_at: link.now,
      expires_at: link.expiresAt,
      used_at: null,
    })
    .execute();
}

/** Uses the link up, so that of two calls at once only one gets its order. */
export function useClaimLink(
  trx: Transaction,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<{ order_id: string } | undefined> {
  return trx
    .updateTable('claim_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('order_id')
    .executeTakeFirst();
}
