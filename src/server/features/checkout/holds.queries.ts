import { type Insertable, sql, type Updateable } from 'kysely';
import { ALWAYS_ALLOWED } from '../../../shared/cart-rules.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import {
  type Database,
  fieldOf,
  firstRowOf,
  hasRow,
  rowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import type { RequestedLine } from './quote-cart.ts';

// `content/delivery.md`, `content/terms.md` and docs/operations.md name these times to people, and an alert of
// deploy/monitoring/alerts.yml waits for longer than the longest.
/** How long goods are held, from the creation of the order. */
export const HOLD_MS = 3 * MINUTE_MS;
/** How long goods are held at most, while the card is being authenticated or processed. */
export const MAX_HOLD_MS = 15 * MINUTE_MS;
const PROLONG_MS = MINUTE_MS;

/** What is held unpaid: by this buyer, from the buyer's network (IPv6: /64) and from the wider network (/48). */
export interface Unpaid {
  /** The user has an order that was paid and delivered. */
  hasPaid: boolean;
  ownOrders: number;
  ownUnits: number;
  networkOrders: number;
  networkUnits: number;
  wideOrders: number;
  wideUnits: number;
  /** By product id, for each product of the cart. `stock` is null if it did not have to be counted. */
  products: Record<string, { own: number; network: number; stock: number | null }>;
}

/**
 * Counts what a buyer holds unpaid. Locks the count until the transaction ends, so that two orders of one buyer or
 * network are counted one after the other. One statement (0008_unpaid_holds.sql).
 */
export async function lockAndCountUnpaid(
  trx: Transaction,
  buyer: {
    userId: string | null;
    checkoutHash: Buffer;
    network: string;
    wideNetwork: string;
    lines: { productId: string; quantity: number }[];
  },
): Promise<Unpaid> {
  const products = buyer.lines.map((line) => line.productId);
  const quantities = buyer.lines.map((line) => line.quantity);
  return rowOf<Unpaid>(trx)`
    SELECT has_paid AS "hasPaid", own_orders AS "ownOrders", own_units AS "ownUnits",
      network_orders AS "networkOrders", network_units AS "networkUnits", wide_orders AS "wideOrders",
      wide_units AS "wideUnits", per_product AS products
    FROM lock_and_count_unpaid(${buyer.userId}::uuid, ${buyer.checkoutHash}::bytea, ${buyer.network}::cidr,
      ${buyer.wideNetwork}::cidr, ${products}::uuid[], ${quantities}::integer[], ${ALWAYS_ALLOWED}::integer)`;
}

/** `isEndless`: the product never runs out, so nobody can hold too much of it. */
export const findProductToHold = (db: Database, id: string) => firstRowOf<{ name: string; isEndless: boolean }>(db)`
  SELECT name, stock IS NULL AND delivery <> 'unique' AS "isEndless" FROM products WHERE id = ${id}`;

/** Counts the units of a product in the unpaid orders of a user or a browser. */
export const countOwnHeld = (
  trx: Transaction,
  productId: string,
  { userId, checkoutHash }: { userId: string | null; checkoutHash: Buffer },
) => fieldOf<number>(trx)`
    SELECT coalesce(sum(units), 0)::integer
    FROM (
      SELECT order_id, 1 AS units FROM items JOIN order_lines ON order_lines.id = order_line_id
      WHERE items.product_id = ${productId} AND items.state = 'held'
      UNION ALL
      SELECT order_id, counted_units FROM order_lines WHERE product_id = ${productId} AND counted_state = 'held'
    ) AS held JOIN orders ON orders.id = order_id
    WHERE (checkout_hash = ${checkoutHash} OR orders.user_id = ${userId})`;

/**
 * Counts the flash-sale units of a product in unpaid orders: of all buyers, of this buyer, and of the buyer's network,
 * in which guests and users are counted separately.
 */
export async function countFlashHeld(
  trx: Transaction,
  productId: string,
  { userId, checkoutHash, network }: { userId: string | null; checkoutHash: Buffer; network: string },
): Promise<{ all: number; own: number; network: number }> {
  const isOwn = userId === null ? sql`guest AND checkout_hash = ${checkoutHash}` : sql`user_id = ${userId}`;
  return rowOf<{ all: number; own: number; network: number }>(trx)`
    SELECT coalesce(sum(quantity), 0)::integer AS "all",
      coalesce(sum(quantity) FILTER (WHERE ${isOwn}), 0)::integer AS own,
      coalesce(sum(quantity) FILTER (WHERE counted_network = ${network}::cidr AND guest = ${userId === null}), 0)::integer
        AS network
    FROM orders JOIN order_lines ON order_id = orders.id
    WHERE sweep_at IS NOT NULL AND state = 'pending' AND product_id = ${productId} AND takes_flash_units`;
}

type HeldOrder = Pick<OrderRow, 'id' | 'created_at' | 'hold_expires_at'>;

const plannedEnd = (order: HeldOrder) => new Date(order.created_at.getTime() + HOLD_MS);

/** Returns when the hold ends if the buyer stays or comes back. Once the buyer left, `hold_expires_at` is earlier. */
export const holdEndsAtMs = (order: HeldOrder): number =>
  Math.max(order.hold_expires_at.getTime(), plannedEnd(order).getTime());

/** Ends the hold of an unpaid order at `at`, unless the hold ends earlier. The sweeper then visits the order. */
export async function endHold(db: Database, id: string, at: Date): Promise<void> {
  await sql`
    UPDATE orders SET hold_expires_at = least(hold_expires_at, ${at}), sweep_at = least(sweep_at, ${at})
    WHERE id = ${id} AND state = 'pending'`.execute(db);
}

/** Restores the full 3 minutes of the hold for a buyer who has come back. Writes nothing if the buyer had not left. */
export async function resumeHold(db: Database, order: HeldOrder): Promise<void> {
  if (order.hold_expires_at < plannedEnd(order))
    await updatePending(db, order.id, { hold_expires_at: plannedEnd(order) });
}

/** Prolongs the hold until after the sweeper's next visit, up to MAX_HOLD_MS from the creation of the order. */
export async function prolongHold(db: Database, order: HeldOrder, now: Date): Promise<void> {
  const until = Math.min(now.getTime() + PROLONG_MS, order.created_at.getTime() + MAX_HOLD_MS);
  await updatePending(db, order.id, { hold_expires_at: new Date(until) });
}

async function updatePending(db: Database, id: string, changes: Updateable<Tables['orders']>): Promise<void> {
  await db.updateTable('orders').set(changes).where('id', '=', id).where('state', '=', 'pending').execute();
}

export interface PossibleRepeat {
  lines: RequestedLine[];
  /** Null for a guest. A guest is known only by the checkout cookie, because anybody can type any e-mail. */
  userId: string | null;
  /** SHA-256 of the checkout cookie's secret. */
  checkoutHash: Buffer | null;
  /** The order that the checkout cookie names. */
  boundOrderId: string | null;
  now: Date;
}

/**
 * Finds a recent order of this buyer with the same lines. For a user, takes an advisory lock until the transaction
 * ends, so that concurrent orders of the account are checked one after the other. One statement
 * (0012_repeated_orders.sql).
 */
export async function lockAndFindRepeat(trx: Transaction, repeat: PossibleRepeat) {
  const { lines, userId, checkoutHash, boundOrderId, now } = repeat;
  const products = lines.map((line) => line.productId);
  const quantities = lines.map((line) => line.quantity);
  return firstRowOf<{ isPaid: boolean; orderedAt: Date }>(trx)`
    SELECT is_paid AS "isPaid", ordered_at AS "orderedAt"
    FROM lock_and_find_repeat(${userId}::uuid, ${checkoutHash}::bytea, ${boundOrderId}::uuid, ${products}::uuid[],
      ${quantities}::integer[], ${now}::timestamptz)`;
}

/** Records that the buyer tries again to pay a pending order. Its earlier declines no longer count. */
export const markRetried = (trx: Transaction, id: string, now: Date) => updatePending(trx, id, { retried_at: now });

/** Records a declined card; false, without effect, when it was recorded before. */
export const insertDecline = (db: Database, decline: Insertable<Tables['declines']>): Promise<boolean> =>
  hasRow(db)`${db.insertInto('declines').values(decline)} ON CONFLICT DO NOTHING RETURNING 1`;

/** Lists the unpaid orders of the same browser or user (`same_buyer`), and others unpaid with a declined card. */
export const listOrdersToClose = (db: Database, { id, checkout_hash, user_id }: OrderRow) =>
  rowsOf<{ id: string; ip: string; same_buyer: boolean }>(db)`
    SELECT id, ip, bool_or(same_buyer) AS same_buyer FROM (
      SELECT id, ip, true AS same_buyer FROM orders WHERE id = ${id} AND state = 'pending'
      UNION ALL
      SELECT id, ip, true FROM orders
      WHERE checkout_hash = ${checkout_hash} AND sweep_at IS NOT NULL AND counted_network IS NOT NULL AND state = 'pending'
      UNION ALL
      SELECT id, ip, true FROM orders
      WHERE user_id = ${user_id} AND created_at > now() - interval '1 day' AND sweep_at IS NOT NULL AND state = 'pending'
      UNION ALL
      SELECT orders.id, ip, false FROM declines JOIN orders ON orders.id = order_id WHERE state = 'pending'
    ) AS found GROUP BY id, ip`;
