import { sql } from 'kysely';
import type { ProductKind } from '../../../shared/catalog.ts';
import { SHOP_TIME_ZONE } from '../../../shared/format.ts';
import { AMOUNTS } from '../../../shared/pricing.ts';
import { type Database, rowOf, rowsOf } from '../../platform/database/database.ts';
import { onDays, startOfDay } from '../../platform/database/list-queries.ts';
import type { OrderRow } from '../../platform/database/tables.ts';

/** From the first day to the last, as YYYY-MM-DD. */
export type Days = { from?: string | undefined; to?: string | undefined };

// Both kinds are named, because the index of paid orders begins with the type.
const paidOn = (day: string) =>
  sql`type IN ('digital', 'physical') AND paid_at >= ${startOfDay(day)} AND paid_at < ${startOfDay(day, 1)}`;

/** Whether the rest of the order is being refunded, or its money was lost to a dispute. */
const isGivenBack = sql`orders.state IN ('refunding', 'refunded', 'disputed')`;

/** Cents of the refunds that are done and of parts lost to disputes, or the whole total. */
const refunded = sql`CASE WHEN ${isGivenBack} THEN total_cents ELSE refunded_cents + lost_cents END`;
/** Tax in `refunded`: for units the tax in their credit notes, for an amount and a lost part its share of the rest. */
const refundedTax = sql`CASE
  WHEN ${isGivenBack} THEN tax_cents
  WHEN refunded_cents + lost_cents = 0 THEN 0
  ELSE (
    SELECT of_units.tax + round((tax_cents - of_units.tax) * (refunded_cents + lost_cents - of_units.cents) / greatest(total_cents - of_units.cents, 1))
    FROM (
      SELECT coalesce(sum(cents), 0)::numeric AS cents, coalesce(sum(cents - goods_cents), 0)::numeric AS tax
      FROM refunds, LATERAL (
        SELECT sum(refund_lines.quantity * unit_price_cents) AS goods_cents
        FROM refund_lines JOIN order_lines ON order_lines.id = order_line_id WHERE refund_id = refunds.id) AS units
      WHERE refunds.order_id = orders.id AND refunds.state = 'done' AND goods_cents IS NOT NULL) AS of_units) END`;

/** Returns the first and the last of these days on which an order was paid; undefined when none was. */
export async function findSoldDays(db: Database, days: Days): Promise<{ first: string; last: string } | undefined> {
  const paid = (order: 'ASC' | 'DESC') => sql`(
    SELECT paid_at FROM orders WHERE type = kind AND paid_at IS NOT NULL AND ${onDays('paid_at', days)}
    ORDER BY paid_at ${sql.raw(order)} LIMIT 1)`;
  const { first, last } = await rowOf<{ first: string | null; last: string | null }>(db)`
    SELECT shop_day(min(${paid('ASC')}))::text AS first, shop_day(max(${paid('DESC')}))::text AS last
    FROM unnest(ARRAY['digital', 'physical']) AS kind`;
  return first && last ? { first, last } : undefined;
}

type Cents = `${(typeof AMOUNTS)[number]}_cents` | 'refunded_cents';

export interface SoldOrder extends Pick<OrderRow, 'id' | 'type' | 'state' | 'payment_intent_id' | Cents> {
  /** In the shop's time zone. */
  paid: string;
  customer: string;
  email: string;
  units: number;
  /** Time of payment as PostgreSQL prints it, for the cursor of the next batch. */
  paid_at: string;
}

/** Lists a day's orders by time of payment, at most `limit` after the order `after`. */
export function listOrdersPaidOn(db: Database, day: string, after: SoldOrder | undefined, limit: number) {
  const next = after ? sql`AND (paid_at, orders.id) > (${after.paid_at}::timestamptz, ${after.id}::uuid)` : sql``;
  const amounts = sql.join(AMOUNTS.map((amount) => sql.ref(`${amount}_cents`)));
  return rowsOf<SoldOrder>(db)`
    SELECT orders.id, type, orders.state, ${amounts}, payment_intent_id,
      to_char(paid_at AT TIME ZONE ${sql.lit(SHOP_TIME_ZONE)}, 'YYYY-MM-DD HH24:MI:SS') AS paid, paid_at::text AS paid_at,
      CASE WHEN guest THEN guest_name ELSE coalesce(users.name, '') END AS customer, contact_email AS email,
      (SELECT sum(quantity)::integer FROM order_lines WHERE order_id = orders.id) AS units,
      ${refunded} AS refunded_cents
    FROM orders LEFT JOIN users ON users.id = user_id
    WHERE ${paidOn(day)} ${next}
    ORDER BY orders.paid_at, orders.id
    LIMIT ${limit}`;
}

export interface SoldProduct {
  product: string;
  kind: ProductKind;
  name: string;
  units: number;
  cents: number;
  refundedUnits: number;
  refundedCents: number;
}

/** Units of an order line in the refunds that are done. */
export const returnedUnits = sql`coalesce((
  SELECT sum(refund_lines.quantity) FROM refund_lines JOIN refunds ON refunds.id = refund_id
  WHERE order_line_id = order_lines.id AND refunds.state = 'done'), 0)`;

/** Sums what was sold of each product on a day, before tax. `name` is the name in the latest order of the day. */
export const sumProductsPaidOn = (db: Database, day: string) => rowsOf<SoldProduct>(db)`
  SELECT product, kind, (array_agg(name ORDER BY paid_at DESC))[1] AS name, sum(quantity)::integer AS units,
    sum(quantity * unit_price_cents)::float8 AS cents, sum(back)::integer AS "refundedUnits",
    sum(back * unit_price_cents)::float8 AS "refundedCents"
  FROM (
    SELECT product_id AS product, (SELECT kind FROM products WHERE products.id = product_id) AS kind, name, paid_at,
      quantity, unit_price_cents,
      CASE WHEN ${isGivenBack} THEN quantity ELSE ${returnedUnits} END AS back
    FROM orders JOIN order_lines ON order_id = orders.id
    WHERE ${paidOn(day)}
  ) AS sold
  GROUP BY product, kind`;

type TaxSum = 'orders' | 'beforeTaxCents' | 'taxCents' | 'refundedCents' | 'refundedTaxCents';

export const sumTaxPaidOn = (db: Database, day: string) => rowOf<Record<TaxSum, number>>(db)`
  SELECT count(*)::integer AS orders, coalesce(sum(total_cents - tax_cents), 0)::float8 AS "beforeTaxCents",
    coalesce(sum(tax_cents), 0)::float8 AS "taxCents", coalesce(sum(${refunded}), 0)::float8 AS "refundedCents",
    coalesce(sum(${refundedTax}), 0)::float8 AS "refundedTaxCents"
  FROM orders WHERE ${paidOn(day)}`;
