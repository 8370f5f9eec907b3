import { sql } from 'kysely';
import { fieldOf } from './list-queries.ts';
import type { Transaction } from './open-database.ts';

/** Locks a name, e.g. that of a recipient, until the transaction ends. */
export const lockName = (trx: Transaction, name: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx);

/** Locks a kind of work until the transaction ends. Returns false while another transaction has the lock. */
export const tryLockWork = (trx: Transaction, work: string) => fieldOf<boolean>(trx)`
    SELECT pg_try_advisory_xact_lock(hashtext(${work})) AS "isLocked"`;
