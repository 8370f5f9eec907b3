import { type Insertable, sql } from 'kysely';
import { orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import {
  columnOf,
  type Database,
  hasRow,
  insertUnlessKnown,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import { newestFirst, placeOf, sortTerms } from '../../platform/database/list-queries.ts';
import type { AuditRow, ItemRow, Tables, UserRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { listUnshippedUnits } from '../catalog/counted-stock.queries.ts';
import { listManualLines, waitingNumbers } from '../delivery/delivery.queries.ts';
import { wasReported } from '../inventory/inventory.queries.ts';
import { maskSecrets, maskTyped } from '../inventory/mask-secrets.ts';
import type { MailRow } from '../mails/mails.queries.ts';
import { listFreezes } from './freezes.queries.ts';
import { listOrderLines, orderColumns, readFullOrders } from './orders.queries.ts';

/** Views of an order's items: by the buyer as one row, and each by an administrator with reason and name. */
type OrderReveal = { first_at: Date; times: number; reason: string | null; name: string | null };

export async function readAdminOrders(db: Database, ids: readonly string[]) {
  const newest = newestFirst('orders');
  const orders = await db
    .selectFrom('orders')
    .leftJoin('users', 'users.id', 'orders.user_id')
    .select(orderColumns.map((column) => `orders.${column}` as const))
    .select(['users.name as user_name', 'users.email as user_email', 'users.email_verified_at as user_verified_at'])
    .select(placeOf(newest))
    .where('orders.id', '=', sql<string>`ANY (${ids}::uuid[])`)
    .orderBy(sortTerms(newest))
    .execute();
  return readFullOrders(db, orders);
}

/** Lists the items of all units of an order, including withdrawn and replaced ones. */
const listItemsOfOrder = (db: Database, orderId: string) => rowsOf<ItemRow>(db)`
  SELECT items.* FROM items JOIN order_lines ON order_lines.id = order_line_id
  WHERE order_id = ${orderId} ORDER BY position, unit, items.delivered_at`;

/** Returns an item of an order with its line; undefined when the item is of another order. */
export async function findItemAndLine(db: Database, orderId: string, itemId: string) {
  const item = (await listItemsOfOrder(db, orderId)).find(({ id }) => id === itemId);
  const line = (await listOrderLines(db, orderId)).find(({ id }) => id === item?.order_line_id);
  return item && line && { item, line };
}

/** Skipped mails are left out, because nobody gets them. */
export const listMailsOfOrder = (db: Database, orderId: string) => rowsOf<MailRow>(db)`
  SELECT * FROM mails WHERE order_id = ${orderId} AND recipient <> '' ORDER BY created_at`;

const listRevealsOfOrder = (db: Database, orderId: string) => rowsOf<OrderReveal>(db)`
  SELECT min(reveals.at) AS first_at, count(DISTINCT reveals.at)::integer AS times, reveals.reason,
    CASE WHEN reveals.reason IS NOT NULL THEN max(users.email) END AS name
  FROM order_lines JOIN items ON items.order_line_id = order_lines.id JOIN reveals ON reveals.item_id = items.id
    LEFT JOIN users ON users.id = reveals.user_id
  WHERE order_lines.order_id = ${orderId} AND reveals.order_id = ${orderId}
  GROUP BY reveals.reason, CASE WHEN reveals.reason IS NOT NULL THEN reveals.id END`;

const listNotesOfOrder = (db: Database, orderId: string) =>
  rowsOf<Tables['order_notes'] & { author: UserRow['email'] | null }>(db)`
    SELECT order_notes.*, users.email AS author FROM order_notes LEFT JOIN users ON users.id = user_id
    WHERE order_id = ${orderId} ORDER BY order_notes.created_at DESC, order_notes.id DESC`;

export const insertNote = (trx: Transaction, note: Insertable<Tables['order_notes']>): Promise<boolean> =>
  insertUnlessKnown(trx, 'order_notes', note);

export const findNote = (db: Database, id: string) =>
  db.selectFrom('order_notes').select(['order_id', 'text']).where('id', '=', id).executeTakeFirst();

const listAuditOfOrder = (db: Database, orderId: string) => rowsOf<AuditRow>(db)`
  SELECT * FROM audit_log WHERE subject_type = 'order' AND subject_id = ${orderId} ORDER BY id`;

export type OrderHistory = Awaited<ReturnType<typeof readOrderHistory>>;

/** Returns an order with everything that its page and its timeline need. Throws NOT_FOUND. */
export async function readOrderHistory(db: Database, orderId: string) {
  const order = orNotFound((await readAdminOrders(db, [orderId]))[0], 'Order not found');
  const [items, mails, reveals, audit, unshipped, notes, freezes, manual] = await Promise.all([
    listItemsOfOrder(db, orderId),
    listMailsOfOrder(db, orderId),
    listRevealsOfOrder(db, orderId),
    listAuditOfOrder(db, orderId),
    listUnshippedUnits(db, orderId),
    listNotesOfOrder(db, orderId),
    listFreezes(db, orderId),
    order.waiting_units > 0 && order.state === 'fulfilled' ? listManualLines(db, orderId) : [],
  ]);
  const waiting = new Map(manual.map((line) => [line.id, waitingNumbers(line)]));
  return { order, items, mails, reveals, audit, unshipped, notes, freezes, waiting };
}

/** A delivered unit of an order, and the first times it was shown to its buyer. Never contains the secret. */
export interface ReadUnit {
  name: string;
  unit: number;
  deliveredAt: Date;
  replaced: boolean;
  readings: { at: string; ip: string; userAgent: string; account: string | null }[];
  /** How often it was shown. */
  times: number;
}

// A buyer can read an item any number of times, and the page must stay readable for the bank.
const MAX_READINGS = 50;

const readingsOfUnit = sql`
  FROM reveals WHERE item_id = items.id AND reveals.order_id = order_lines.order_id AND reason IS NULL`;

export const listDeliveredUnits = (db: Database, orderId: string) => rowsOf<ReadUnit>(db)`
  SELECT name, unit, items.delivered_at AS "deliveredAt", replaced_by IS NOT NULL AS replaced, coalesce((
    SELECT json_agg(json_build_object('at', at, 'ip', first.ip, 'userAgent', user_agent, 'account', users.email) ORDER BY at)
    FROM (SELECT reveals.* ${readingsOfUnit} ORDER BY at LIMIT ${MAX_READINGS}) AS first
      LEFT JOIN users ON users.id = first.user_id), '[]') AS readings,
    (SELECT count(*)::integer ${readingsOfUnit}) AS times
  FROM order_lines JOIN items ON order_line_id = order_lines.id
  WHERE order_lines.order_id = ${orderId} AND items.delivered_at IS NOT NULL
  ORDER BY position, unit, items.delivered_at`;

/**
 * Whether a buyer has seen or reported an item of the order, including items that were replaced or taken back since. The
 * page of an order shows its reports with their texts.
 */
export const hasSeenItems = (db: Database, orderId: string) => hasRow(db)`
  SELECT FROM items JOIN order_lines ON order_lines.id = order_line_id
  WHERE order_id = ${orderId} AND (first_viewed_at IS NOT NULL OR ${wasReported}) LIMIT 1`;

/** Whether a user has paid for an order while signed in, and not only as a guest. */
export const hasOrdersAsCustomer = (db: Database, userId: string) => hasRow(db)`
  SELECT FROM orders WHERE user_id = ${userId} AND NOT guest AND paid_at IS NOT NULL LIMIT 1`;

export const hasOtherOrders = (db: Database, userId: string, orderId: string) => hasRow(db)`
  SELECT FROM orders WHERE user_id = ${userId} AND id <> ${orderId} LIMIT 1`;

/** Lists the accounts that have an address, or that can return to it by undoing a change of e-mail. */
export const listHolders = (db: Database, { email, now }: { email: string; now: Date }) => columnOf<string>(db)`
    SELECT id FROM users WHERE email = ${email}
    UNION SELECT user_id FROM verifications
    WHERE purpose = 'email-undo' AND email = ${email} AND used_at IS NULL AND expires_at > ${now}`;

/**
 * Ends the links and codes of an order. Skips a link that another transaction has locked, as waiting could deadlock: a
 * claim locks its link before the account, and is refused because the order has another address.
 */
export const endLinksOfOrder = (trx: Transaction, orderId: string, now: Date) =>
  sql`
    UPDATE verifications SET used_at = ${now} WHERE id IN (
      SELECT id FROM verifications
      WHERE order_id = ${orderId} AND used_at IS NULL FOR UPDATE SKIP LOCKED)`.execute(trx);

/** Skips the unsent mails of an order to its old address. One being sent is left: its link is bound to that address. */
export const skipUnsentMails = (trx: Transaction, orderId: string, recipient: string) =>
  sql`
    UPDATE mails SET recipient = '' WHERE id IN (
      SELECT id FROM mails WHERE order_id = ${orderId} AND recipient = ${recipient} AND sent_at IS NULL
      FOR UPDATE SKIP LOCKED)`.execute(trx);

/** Lists the items of an order whose content is secret. The name of a file is not. */
async function listSecretItems(db: Database, orderId: string) {
  const lines = (await listOrderLines(db, orderId)).filter(({ delivery }) => delivery !== 'file');
  const items = await listItemsOfOrder(db, orderId);
  return items.filter((item) => lines.some(({ id }) => id === item.order_line_id));
}

/** Masks the secrets of an order's items in a text about it: its readers need none, and a reveal must be recorded. */
export const withoutSecrets = async (
  deps: Pick<Deps, 'cipher'>,
  db: Database,
  { orderId, text }: { orderId: string; text: string },
): Promise<string> => maskSecrets(deps, await listSecretItems(db, orderId), text);

/** The fields in which an administrator describes a change in words, for colleagues, the audit log or the buyer. */
const FIELDS_OF_WORDS = ['reason', 'message', 'text'];

/** Does the same in these fields of an administrator's call: a buyer's mail is easily copied into them with its key. */
export async function withoutSecretsIn<B extends object>(
  deps: Pick<Deps, 'db' | 'cipher' | 'limits'>,
  { orderId, actor }: { orderId: string; actor: Actor },
  body: B,
): Promise<B> {
  const words = Object.entries(body).filter(([field, value]) => FIELDS_OF_WORDS.includes(field) && value);
  if (words.length === 0) return body;
  const secret = await listSecretItems(deps.db, orderId);
  const masked = words.map(async ([field, text]) => [field, await maskTyped(deps, actor, text, secret)]);
  return { ...body, ...Object.fromEntries(await Promise.all(masked)) };
}
