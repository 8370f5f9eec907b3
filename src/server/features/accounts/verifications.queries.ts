import type { Insertable, Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type Verification = Selectable<Tables['verifications']>;
type Purpose = Verification['purpose'];

export async function insertVerification(
  trx: Transaction,
  verification: Insertable<Tables['verifications']>,
): Promise<void> {
  await trx.insertInto('verifications').values(verification).execute();
}

/** Gives the oldest verification that waits for its mail its token; false when none does. */
export async function setVerificationToken(
  trx: Transaction,
  waiting: { purpose: Purpose; userId: string; email: string; tokenHash: Buffer; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('verifications')
    .set({ token_hash: waiting.tokenHash })
    .where('id', '=', ({ selectFrom }) =>
      selectFrom('verifications')
        .select('id')
        .where('purpose', '=', waiting.purpose)
        .where('user_id', '=', waiting.userId)
        .where('email', '=', waiting.email)
        .where('token_hash', 'is', null)
        .where('used_at', 'is', null)
        .where('expires_at', '>', waiting.now)
        .orderBy('created_at')
        .limit(1),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** One that is neither used nor expired. */
export function findVerification(
  db: Database,
  { purpose, tokenHash, now }: { purpose: Purpose; tokenHash: Buffer; now: Date },
): Promise<Verification | undefined> {
  return db
    .selectFrom('verifications')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Counts a try of the code that is asked for beside the token; false when `max` were counted before. */
export async function countVerificationTry(
  db: Database,
  { id, max }: { id: string; max: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('verifications')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', id)
    .where('tries', '<', max)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Uses it up, so that of two calls at once only one gets true. */
export async function spendVerification(
  trx: Transaction,
  { id, now }: { id: string; now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('verifications')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes a user's verifications of a purpose worthless that were made since a moment; all, when none is given. */
export async function endVerifications(
  trx: Transaction,
  { purpose, userId, since, now }: { purpose: Purpose; userId: string; since?: Date; now: Date },
): Promise<void> {
  await trx
    .updateTable('verifications')
    .set({ used_at: now })
    .where('purpose', '=', purpose)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .$if(since !== undefined, (query) => query.where('created_at', '>=', since as Date))
    .execute();
}

/** Whether an address is kept for another account, which can still return to it. */
export async function isEmailReserved(
  db: Database,
  { email, userId, now }: { email: string; userId: string | null; now: Date },
): Promise<boolean> {
  const reserved = await db
    .selectFrom('verifications')
    .select('id')
    .where('purpose', '=', 'email-undo')
    .where('email', '=', email)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .$if(userId !== null, (query) => query.where('user_id', '<>', userId as string))
    .executeTakeFirst();
  return reserved !== undefined;
}
