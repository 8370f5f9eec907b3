import { type SqlBool, sql } from 'kysely';
import type { Role } from '../../../shared/accounts.ts';
import type { Counted } from '../../../shared/paging.ts';
import {
  afterCursor,
  countUpTo,
  nameOrEmailContains,
  type PageStart,
  placeOf,
  rowsToRead,
} from '../../platform/database/list-queries.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { isShownToBuyer } from '../orders/orders.queries.ts';

const isNamed = (q: string) => (q === '' ? sql<SqlBool>`true` : nameOrEmailContains(['users.name', 'users.email'], q));

/** A page of users, newest first. */
export function listUsers(
  db: Database,
  { q = '', ...start }: PageStart & { q?: string | undefined },
): Promise<(UserRow & { place: string[] })[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .select(placeOf('users'))
    .where(isNamed(q))
    .where(afterCursor('users', start.cursor))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsToRead(start))
    .execute();
}

export const countUsers = (db: Database, q = ''): Promise<Counted> =>
  countUpTo(db, sql`SELECT FROM users WHERE ${isNamed(q)}`);

export interface Trade {
  orders: number;
  /** Paid and not refunded. */
  spentCents: number;
}

/** What users have bought, by their ids; users without orders are left out. */
export async function listTrade(db: Database, userIds: string[]): Promise<Map<string, Trade>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('orders')
    .select([
      'user_id',
      sql<string>`count(*) FILTER (WHERE ${isShownToBuyer})`.as('orders'),
      sql<string>`coalesce(sum(total_cents - refunded_cents) FILTER (WHERE state IN ('fulfilled', 'disputed')), 0)`.as(
        'cents',
      ),
    ])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map((row) => [row.user_id ?? '', { orders: Number(row.orders), spentCents: Number(row.cents) }]));
}

/** Whether the shop has an administrator who is not blocked. */
export async function hasAdministrator(db: Database): Promise<boolean> {
  const found = await db
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('blocked_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * The ids of the administrators who are not blocked, locked until the transaction ends: of several changes at once, each sees
 * the result of those before it.
 */
export async function lockAdministrators(trx: Transaction): Promise<string[]> {
  const rows = await trx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('blocked_at', 'is', null)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

export async function setRole(trx: Transaction, userId: string, role: Role): Promise<void> {
  await trx.updateTable('users').set({ role }).where('id', '=', userId).execute();
}

export async function setBlock(
  trx: Transaction,
  userId: string,
  block: Pick<UserRow, 'blocked_at' | 'block_reason'>,
): Promise<void> {
  await trx.updateTable('users').set(block).where('id', '=', userId).execute();
}
