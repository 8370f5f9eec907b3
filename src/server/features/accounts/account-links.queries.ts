import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type AccountLink = Selectable<Tables['account_links']>;

export async function insertAccountLink(
  trx: Transaction,
  link: Insertable<Tables['account_links']>,
): Promise<void> {
  await trx.insertInto('account_links').values(link).execute();
}

/** One that can still be used. */
export function findAccountLink(
  db: Database,
  { tokenHash, kinds, now }: { tokenHash: Buffer; kinds: AccountLink['kind'][]; now: Date },
): Promise<AccountLink | undefined> {
  return db
    .selectFrom('account_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('kind', 'in', kinds)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Uses the link up, so that of two calls at once only one gets it. */
export function spendAccountLink(
  trx: Transaction,
  { tokenHash, kinds, now }: { tokenHash: Buffer; kinds: AccountLink['kind'][]; now: Date },
): Promise<AccountLink | undefined> {
  return trx
    .updateTable('account_links')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('kind', 'in', kinds)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}

/** Those that were mailed before are worthless from now on; of every kind unless said. */
export async function dropAccountLinks(
  trx: Transaction,
  { userId, kind, now }: { userId: string; kind?: AccountLink['kind']; now: Date },
): Promise<void> {
  await trx
    .updateTable('account_links')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind as AccountLink['kind']))
    .execute();
}
