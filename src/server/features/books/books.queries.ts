import { sql } from 'kysely';
import { type Database, fieldOf, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { ItemRow, OrderRow, ProductRow } from '../../platform/database/tables.ts';
import { isRestRow } from '../orders/refunds.queries.ts';
import type { Fault } from './account-faults.ts';

/** What the database records of an order: its money in cents, its goods in units. */
export interface OrderBooks extends Pick<OrderRow, 'id' | 'type' | 'state'> {
  /** Null before the payment is made, and for physical orders that did not come through the checkout. */
  intentId: string | null;
  /** The shop recorded the order as paid. Of any other order, a part of the total may have been captured. */
  wasPaid: boolean;
  total: number;
  refunded: number;
  /** Next visit of the sweeper; null when the order is finished. */
  sweepAt: Date | null;
  ordered: number;
  held: number;
  allocated: number;
  sold: number;
  /** Units in partial refunds, pending ones included. */
  refundedUnits: number;
  /** Number of refunds that the provider has not accepted yet, or that failed. */
  unfinishedRefunds: number;
  /** Cents of refunds that the provider has accepted and not finished, and of parts that such a refund includes. */
  underWay: number;
  /** Cents that were refunded in another way than by the provider. */
  settled: number;
}

/** Lists orders by id, after a given id; or the order with an id or a payment. */
export async function listOrderBooks(
  db: Database,
  which: { after: string; limit: number } | { id: string } | { intentId: string },
): Promise<OrderBooks[]> {
  const chosen =
    'id' in which
      ? sql`orders.id = ${which.id}`
      : 'intentId' in which
        ? sql`payment_intent_id = ${which.intentId}`
        : sql`orders.id > ${which.after} ORDER BY orders.id LIMIT ${which.limit}`;
  return rowsOf<OrderBooks>(db)`
    SELECT orders.id, type, state, payment_intent_id AS "intentId",
      paid_at IS NOT NULL AS "wasPaid", total_cents AS total, refunded_cents AS refunded,
      sweep_at AS "sweepAt", goods.held, goods.allocated, goods.sold,
      (SELECT coalesce(sum(quantity), 0)::integer FROM order_lines WHERE order_id = orders.id) AS ordered,
      (SELECT coalesce(sum(quantity), 0)::integer FROM refund_lines JOIN refunds ON refunds.id = refund_id
       WHERE order_id = orders.id) AS "refundedUnits",
      given.*
    FROM orders, LATERAL (
      SELECT count(*) FILTER (WHERE NOT "isUnderWay")::integer AS "unfinishedRefunds",
        coalesce(sum(cents) FILTER (WHERE "isUnderWay"), 0)::integer AS "underWay",
        coalesce(sum(cents) FILTER (WHERE settled_note IS NOT NULL), 0)::integer AS settled
      FROM (
        SELECT cents, settled_note,
          CASE WHEN refunds.state <> 'done' THEN accepted OR bool_or(accepted AND ${isRestRow('refunds')}) OVER () END AS "isUnderWay"
        FROM refunds, LATERAL (SELECT refunds.state = 'pending' AND provider_id IS NOT NULL AS accepted) AS answer
        WHERE order_id = orders.id
      ) AS refunds
    ) AS given, LATERAL (
      SELECT coalesce(sum(units) FILTER (WHERE had = 'held'), 0)::integer AS held,
        coalesce(sum(units) FILTER (WHERE had = 'allocated'), 0)::integer AS allocated,
        coalesce(sum(units) FILTER (WHERE had = 'sold'), 0)::integer AS sold
      FROM (
        SELECT items.state AS had, 1 AS units FROM order_lines JOIN items ON order_line_id = order_lines.id
        WHERE order_id = orders.id AND counted_state IS NULL
        UNION ALL
        SELECT counted_state, counted_units FROM order_lines WHERE order_id = orders.id AND counted_state IS NOT NULL
      ) AS units
    ) AS goods
    WHERE ${chosen}`;
}

export type ItemBooks = ItemRow & Pick<ProductRow, 'delivery'>;

export const listItemsAfter = (db: Database, id: string, limit: number) => rowsOf<ItemBooks>(db)`
  SELECT items.*, products.delivery FROM items JOIN products ON products.id = product_id
  WHERE items.id > ${id} ORDER BY items.id LIMIT ${limit}`;

/** Makes all reads of the transaction use one snapshot. Must be the first statement of the transaction. */
export async function readOneSnapshot(trx: Transaction): Promise<void> {
  await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`.execute(trx);
  // The transaction is idle while items are decrypted.
  await sql`SET LOCAL idle_in_transaction_session_timeout = '5min'`.execute(trx);
  await sql`SET LOCAL statement_timeout = '10min'`.execute(trx);
}

/** Faults of items and counted goods: I2 and I3. */
export const listItemFaults = (db: Database) => rowsOf<Fault>(db)`
  SELECT 'I2' AS invariant, format('item %s was shown for order %s and belongs to %s', items.id, reveals.order_id,
      coalesce('order ' || order_lines.order_id, 'no order')) AS fault
    FROM reveals JOIN items ON items.id = item_id LEFT JOIN order_lines ON order_lines.id = items.order_line_id
    WHERE reveals.order_id IS NOT NULL AND order_lines.order_id IS DISTINCT FROM reveals.order_id
  UNION
  SELECT 'I2', format('unit %s of order line %s has the items %s', unit, order_line_id, string_agg(id::text, ', '))
    FROM items WHERE state IN ('held', 'allocated', 'sold') GROUP BY order_line_id, unit HAVING count(*) > 1
  UNION
  SELECT 'I2', format('item %s is of product %s and fills a line of order %s for %s', items.id, items.product_id, order_id,
      coalesce(order_lines.product_id::text, 'a physical product'))
    FROM items JOIN order_lines ON order_lines.id = order_line_id
    WHERE order_lines.product_id IS DISTINCT FROM items.product_id
  UNION
  SELECT 'I3', format('item %s is %s, which is no state that counts, or not one of an item %s an order line', id, state,
      CASE WHEN order_line_id IS NULL THEN 'without' ELSE 'with' END)
    FROM items WHERE NOT is_valid(items)
  UNION
  SELECT 'I3', format('product %s has %s items, and %s were uploaded by the audit log', uploads.product_id,
      ${uploadedItems}, uploads.added)
    FROM (SELECT subject_id AS product_id, sum(substring(summary FROM '^Added ([0-9]+) ')::bigint) AS added
      FROM audit_log WHERE action = 'inventory.added' GROUP BY subject_id) AS uploads
    WHERE uploads.added > ${uploadedItems}
  UNION
  SELECT 'I3', format('product %s counts %s flash sale units, its orders %s', id, flash_units_taken, units)
    FROM products, LATERAL (
      SELECT coalesce(sum(quantity), 0) AS units FROM order_lines JOIN orders ON orders.id = order_id
      WHERE product_id = products.id AND takes_flash_units AND cancelled_at IS NULL) AS taken
    WHERE flash_units_limit IS NOT NULL AND flash_units_taken <> units
  UNION
  SELECT 'I3', format('product %s has %s on its shelf, and its ledger adds up to %s', id, stock, entered)
    FROM products, LATERAL (
      SELECT coalesce(sum(units), 0) AS entered FROM stock_changes WHERE product_id = products.id) AS ledger
    WHERE stock IS NOT NULL AND stock <> entered
  UNION
  SELECT 'I3', format('order line %s is %s with %s of %s units, and took %s off the shelf', id, counted_state, counted_units,
      quantity, taken)
    FROM order_lines, LATERAL (
      SELECT -coalesce(sum(units), 0) AS taken FROM stock_changes WHERE order_line_id = order_lines.id) AS ledger
    WHERE counted_state IS NOT NULL AND NOT taken BETWEEN counted_units
      AND CASE counted_state WHEN 'sold' THEN quantity ELSE counted_units END
      -- Its product may have had no limit of units.
      AND NOT (delivery IS NOT NULL AND taken = 0)
  UNION
  SELECT 'I3', format('of order line %s %s units were shipped of %s', order_line_id, sum(parcel_lines.quantity), order_lines.quantity)
    FROM parcel_lines JOIN order_lines ON order_lines.id = order_line_id
    GROUP BY order_line_id, order_lines.quantity, counted_state, delivery
    HAVING sum(parcel_lines.quantity) > order_lines.quantity OR counted_state IS DISTINCT FROM 'sold' OR delivery IS NOT NULL
  UNION
  SELECT 'I3', format('order line %s is %s with %s %s units, and %s items are delivered', id, counted_state, counted_units,
      delivery, delivered)
    FROM order_lines, LATERAL (
      SELECT count(*) AS delivered FROM items WHERE order_line_id = order_lines.id AND state = 'sold') AS items
    WHERE delivery IN ('shared', 'file', 'manual') AND (delivered > counted_units
      OR (delivery <> 'manual' AND counted_state = 'sold' AND delivered < counted_units)
      OR (counted_state <> 'sold' AND delivered > 0))
  UNION
  SELECT 'I3', format('item %s is %s %s an order line, and its product is %s', items.id, state,
      CASE WHEN order_line_id IS NULL THEN 'without' ELSE 'with' END, delivery)
    FROM items JOIN products ON products.id = product_id
    WHERE delivery IS DISTINCT FROM 'unique'
      AND (delivery IS NULL OR order_line_id IS NULL OR state IN ('available', 'held', 'allocated'))
  UNION
  SELECT 'I3', format('order %s says that %s units wait for a person, and its lines say %s', id, waiting_units, waiting)
    FROM orders, LATERAL (
      SELECT coalesce(sum(counted_units - (
          SELECT count(*) FROM items WHERE order_line_id = order_lines.id AND state = 'sold')), 0) AS waiting
      FROM order_lines WHERE order_id = orders.id AND delivery = 'manual' AND counted_state = 'sold') AS units
    WHERE waiting_units <> waiting
  ORDER BY 1, 2`;

/** Faults of the ledger of reveals and of problem reports. */
export const listRevealFaults = (db: Database) => rowsOf<Fault>(db)`
  SELECT 'ledger' AS invariant, format('item %s is %s and was %s', items.id, items.state,
      CASE WHEN first_viewed_at IS NOT NULL THEN 'shown to its buyer'
        WHEN buyer.reads > 0 THEN 'shown to its buyer, but does not say so' ELSE 'never shown' END) AS fault
    FROM items, LATERAL (
      SELECT count(*) AS reads FROM reveals WHERE item_id = items.id AND order_id IS NOT NULL AND reason IS NULL) AS buyer
    WHERE (first_viewed_at IS NULL AND buyer.reads > 0)
      OR (first_viewed_at IS NOT NULL AND items.state NOT IN ('sold', 'burnt'))
      OR (first_viewed_at IS NULL AND items.state = 'burnt' AND replaced_by IS NULL)
  UNION
  SELECT 'ledger', format('item %s was first shown at %s, and the ledger has no such entry', id, first_viewed_at)
    FROM items WHERE first_viewed_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM reveals WHERE item_id = items.id AND reason IS NULL AND at = first_viewed_at)
  UNION
  -- The clocks of two processes may differ by moments. A dispute may end long after an administrator has unfrozen the items.
  SELECT 'ledger', format('item %s was first shown at %s, while order %s was frozen', item_id, at, order_id)
    FROM reveals JOIN items ON items.id = item_id AND first_viewed_at = at JOIN order_freezes USING (order_id)
    WHERE reason IS NULL AND at > frozen_at + interval '10 seconds' AND at < coalesce(ended_at, 'infinity')
      AND NOT EXISTS (SELECT FROM audit_log WHERE action = 'order.unfrozen' AND subject_id = order_freezes.order_id::text
        AND audit_log.at BETWEEN frozen_at AND reveals.at)
  UNION
  -- A read for the present order came later, whatever the clocks said, because the item had left its earlier order.
  SELECT 'ledger', format('item %s was put on sale again at %s, after it was read', id, restored_at)
    FROM items WHERE EXISTS (SELECT FROM reveals WHERE item_id = items.id AND at < restored_at
      AND order_id IS DISTINCT FROM (SELECT order_id FROM order_lines WHERE id = order_line_id))
  UNION
  SELECT 'reports', format('item %s was reported for order %s and is %s, of %s', items.id, problem_reports.order_id, items.state,
      coalesce('order ' || order_lines.order_id, 'no order'))
    FROM problem_reports JOIN items ON items.id = item_id LEFT JOIN order_lines ON order_lines.id = order_line_id
    WHERE items.state IN ('available', 'held', 'allocated') OR order_lines.order_id IS DISTINCT FROM problem_reports.order_id
  UNION
  SELECT 'reports', format('problem report %s is not closed, and its item is %s', problem_reports.id, items.state)
    FROM problem_reports JOIN items ON items.id = item_id WHERE closed_at IS NULL AND items.state <> 'sold'
  ORDER BY 1, 2`;

/** Products whose rating is not that of their published reviews, and reviews of another product than was bought. */
export const listReviewFaults = (db: Database) => rowsOf<Fault>(db)`
  SELECT 'reviews' AS invariant, format('product %s has %s reviews of %s tenths of a star, and its published ones are %s of %s', id,
      review_count, rating_tenths, counted.reviews, counted.tenths) AS fault
    FROM products, LATERAL (
      SELECT count(*)::integer AS reviews, coalesce(round(avg(stars) * 10), 0)::integer AS tenths
      FROM reviews WHERE product_id = products.id AND reviews.state = 'published') AS counted
    WHERE (review_count, rating_tenths) IS DISTINCT FROM (counted.reviews, counted.tenths)
  UNION
  SELECT 'reviews', format('review %s is of product %s and names a purchase of product %s', reviews.id, reviews.product_id,
      order_lines.product_id)
    FROM reviews JOIN order_lines ON order_lines.id = order_line_id
    WHERE order_lines.product_id <> reviews.product_id
  ORDER BY 1, 2`;

/** Number of items that were uploaded for a product, also those that were moved to another product since. */
const uploadedItems = sql`
  (SELECT count(*) FROM items WHERE coalesce(uploaded_for, items.product_id)::text = uploads.product_id)`;

const NUMBERED_WITHIN = sql`interval '1 minute'`;

/** Whether a process of the shop has run on this database: it creates this schema, which no backup contains. */
const HAS_WORKED = sql`to_regnamespace('jobs') IS NOT NULL`;

/** Faults of receipts and credit notes: gaps in the series, missing numbers, and wrong totals. */
export const listReceiptFaults = (db: Database) => rowsOf<Fault>(db)`
  SELECT 'receipts' AS invariant, format('the series is at %s, and has %s numbers up to %s', last_number, numbers, last) AS fault
    FROM receipt_series, (SELECT count(*) AS numbers, coalesce(max(number), 0) AS last FROM receipts) AS used
    WHERE last_number <> numbers OR last_number <> last
  UNION
  SELECT 'receipts', format('order %s was paid at %s, and has no receipt', id, paid_at) FROM orders
    WHERE paid_at < now() - ${NUMBERED_WITHIN} AND ${HAS_WORKED}
      AND NOT EXISTS (SELECT FROM receipts WHERE order_id = orders.id AND refund_id IS NULL)
  UNION
  SELECT 'receipts', format('refund %s was given at %s, and has no credit note', refunds.id, finished_at)
    FROM refunds JOIN orders ON orders.id = order_id
    WHERE refunds.state = 'done' AND split_from IS NULL AND finished_at < now() - ${NUMBERED_WITHIN}
      AND paid_at IS NOT NULL AND ${HAS_WORKED}
      AND NOT EXISTS (SELECT FROM receipts WHERE refund_id = refunds.id)
  UNION
  SELECT 'receipts', format('number %s is of %s cents, and says %s', number, cents, content ->> 'totalCents')
    FROM (
      SELECT number, content, coalesce(refunds.cents + coalesce(split.cents, 0), total_cents) AS cents
      FROM receipts JOIN orders ON orders.id = receipts.order_id LEFT JOIN refunds ON refunds.id = refund_id
        LEFT JOIN (SELECT split_from, sum(cents) AS cents FROM refunds GROUP BY split_from) AS split
          ON split.split_from = refund_id
    ) AS numbered
    WHERE (content ->> 'totalCents')::integer <> cents
  ORDER BY 1, 2`;

export const countReceipts = (db: Database) => fieldOf<number>(db)`SELECT count(*)::integer FROM receipts`;
