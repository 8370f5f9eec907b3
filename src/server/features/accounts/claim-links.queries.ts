import type { Role } from '../../../shared/accounts.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';

export const CLAIM_LINK_DAYS = 7;

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

export interface ClaimableOrder {
  order_id: string;
  /** Of the account that has the order's e-mail address; null without such an account. */
  role: Role | null;
  email_verified_at: Date | null;
  blocked_at: Date | null;
}

/** The order of a link that can still be used, and the account of its address. */
export function findClaimLink(
  db: Database,
  { tokenHash, now }: { tokenHash: Buffer; now: Date },
): Promise<ClaimableOrder | undefined> {
  return db
    .selectFrom('claim_links')
    .innerJoin('orders', 'orders.id', 'claim_links.order_id')
    .leftJoin('users', 'users.email', 'orders.contact_email')
    .select(['order_id', 'role', 'email_verified_at', 'blocked_at'])
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('claim_links.expires_at', '>', now)
    .executeTakeFirst();
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
