import type { Insertable, Selectable } from 'kysely';
import { type Database, firstRowOf, hasRow, type Transaction } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';

export type SecretRow = Selectable<Tables['two_factor_secrets']>;

/** Returns the secret of a user, even if it is not verified yet. */
export const findSecret = (db: Database, userId: string): Promise<SecretRow | undefined> =>
  db.selectFrom('two_factor_secrets').selectAll().where('user_id', '=', userId).executeTakeFirst();

/**
 * Returns when two-factor was enabled (null if not verified), and whether that was before the session began: a thief of
 * an older session could have set up an authenticator. Undefined without a secret.
 */
export const findSecretBesideSession = (db: Database, { userId, sessionId }: { userId: string; sessionId: string }) =>
  firstRowOf<{ enabledAt: Date | null; predatesSession: boolean }>(db)`
    SELECT enabled_at AS "enabledAt", coalesce(enabled_at < sessions.created_at, false) AS "predatesSession"
    FROM two_factor_secrets JOIN sessions USING (user_id)
    WHERE user_id = ${userId} AND sessions.id = ${sessionId}`;

export const isTwoFactorEnabled = async (db: Database, userId: string): Promise<boolean> =>
  (await findSecret(db, userId))?.enabled_at instanceof Date;

export const saveSecret = (trx: Transaction, secret: Insertable<Tables['two_factor_secrets']>) =>
  trx
    .insertInto('two_factor_secrets')
    .values(secret)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(secret))
    .execute();

export async function enableSecret(trx: Transaction, userId: string, step: number, now: Date): Promise<void> {
  const enabled = { enabled_at: now, last_step: step };
  await trx.updateTable('two_factor_secrets').set(enabled).where('user_id', '=', userId).execute();
}

/** Uses up a time step. Returns false when a code of this step or a later step was accepted before. */
export const takeStep = (db: Database, userId: string, step: number) => hasRow(db)`
  UPDATE two_factor_secrets SET last_step = ${step}
  WHERE user_id = ${userId} AND last_step < ${step} RETURNING user_id`;

export async function replaceBackupCodes(trx: Transaction, userId: string, codeHashes: Buffer[]): Promise<void> {
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  const rows = codeHashes.map((code_hash) => ({ user_id: userId, code_hash, used_at: null }));
  if (rows.length > 0) await trx.insertInto('backup_codes').values(rows).execute();
}

export function listBackupCodes(db: Database, userId: string) {
  const codes = db.selectFrom('backup_codes').select(['code_hash as hash', 'used_at as usedAt']);
  return codes.where('user_id', '=', userId).execute();
}

/** Uses up a backup code. Returns false when the user has no such code, or it was used before. */
export const takeBackupCode = (db: Database, userId: string, codeHash: Buffer, now: Date) => hasRow(db)`
  UPDATE backup_codes SET used_at = ${now}
  WHERE user_id = ${userId} AND code_hash = ${codeHash} AND used_at IS NULL RETURNING user_id`;

export async function deleteTwoFactor(trx: Transaction, userId: string): Promise<void> {
  await trx.deleteFrom('backup_codes').where('user_id', '=', userId).execute();
  await trx.deleteFrom('two_factor_secrets').where('user_id', '=', userId).execute();
}
