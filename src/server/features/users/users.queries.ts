import { type SqlBool, sql } from 'kysely';
import type { Counted } from '../../../shared/paging.ts';
import {
  countUpTo,
  nameOrEmailContains,
  onePage,
  type PageStart,
  placeOf,
} from '../../platform/database/list-queries.ts';
import { type Database, hasRow, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import { columnOf } from '../../platform/database/statements.ts';
import { isShownToBuyer } from '../orders/orders.queries.ts';

const isNamed = (q: string) => (q === '' ? sql<SqlBool>`true` : nameOrEmailContains(['users.name', 'users.email'], q));

export function listUsers(db: Database, { q = '', ...start }: PageStart & { q?: string | undefined }) {
  const users = db.selectFrom('users').selectAll().select(placeOf('users'));
  return users.where(isNamed(q)).$call(onePage('users', start)).execute();
}

export const countUsers = (db: Database, q = ''): Promise<Counted> =>
  countUpTo(db, sql`SELECT FROM users WHERE ${isNamed(q)}`);

export interface Purchases {
  orders: number;
  /** Payments less refunds and lost disputes. */
  spentCents: number;
}

/** What users have bought, by their ids; users without orders are left out. */
export async function sumPurchases(db: Database, userIds: string[]): Promise<Map<string, Purchases>> {
  const rows = await rowsOf<Purchases & { user_id: string }>(db)`
    SELECT user_id, (count(*) FILTER (WHERE ${isShownToBuyer}))::integer AS orders,
      coalesce(sum(total_cents - refunded_cents - lost_cents) FILTER (WHERE state = 'fulfilled'), 0)::float8 AS "spentCents"
    FROM orders WHERE user_id = ANY (${userIds}::uuid[]) GROUP BY user_id`;
  return new Map(rows.map(({ user_id, ...purchases }) => [user_id, purchases]));
}

const isAdministrator = sql`role = 'admin' AND blocked_at IS NULL`;

export const hasAdministrator = (db: Database): Promise<boolean> =>
  hasRow(db)`SELECT FROM users WHERE ${isAdministrator} LIMIT 1`;

export const listAdministrators = (db: Database) =>
  columnOf<string>(db)`SELECT email FROM users WHERE ${isAdministrator} ORDER BY email`;

/** Locks the administrators who are not blocked, so that concurrent changes wait for each other. Returns their ids. */
export const lockAdministrators = (trx: Transaction) => columnOf<string>(trx)`
    SELECT id FROM users WHERE ${isAdministrator} ORDER BY id FOR NO KEY UPDATE`;
