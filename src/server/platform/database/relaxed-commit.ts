import { sql } from 'kysely';

/**
 * Selected by a statement, lets its transaction commit without waiting for the disk, which it reaches within a second or
 * with the next commit that waits. A crash of PostgreSQL before that loses it whole; whoever uses it says why that is well.
 */
export const notWaitingForTheDisk = sql<string>`set_config('synchronous_commit', 'off', true)`;
