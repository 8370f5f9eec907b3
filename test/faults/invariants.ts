import { sql } from 'kysely';
import type { Database } from '../../src/server/platform/database/database.ts';
import type { OrderState } from '../../src/shared/orders.ts';

/** The units of a line of an order. */
interface LedgerLine {
  ordered: number;
  held: number;
  allocated: number;
  sold: number;
  withdrawn: number;
  /** Faulty ones, of those that are withdrawn. */
  replaced: number;
  /** Units that were given back in refunds of units. */
  refunded: number;
}

/** A payment at the provider beside the order it is for; either may be missing. */
interface LedgerRow {
  intent: string | null;
  status: string | null;
  captured: number;
  refunded: number;
  refunds: number;
  order: string | null;
  state: OrderState | null;
  total: number;
  wasPaid: boolean;
  holdIsOver: boolean;
  lines: LedgerLine[];
  /** What we say was given back, and how often. */
  ourRefunded: number;
  ourRefunds: number;
  ourUnfinished: number;
  /** Cents given back without goods, in refunds of an amount. */
  refundedAmounts: number;
  mails: string[];
}

async function readLedger(db: Database, { now, orderId }: { now: Date; orderId?: string }): Promise<LedgerRow[]> {
  const [intents, orders] = orderId
    ? [
        sql`(SELECT * FROM test_mode_intents WHERE metadata->>'order_id' = ${orderId})`,
        sql`(SELECT * FROM orders WHERE id = ${orderId})`,
      ]
    : [sql`test_mode_intents`, sql`orders`];
  const { rows } = await sql<LedgerRow>`
    SELECT intents.id AS intent, intents.status, coalesce(captured_cents, 0) AS captured,
      coalesce(intents.refunded_cents, 0) AS refunded,
      (SELECT count(*)::integer FROM test_mode_refunds WHERE intent_id = intents.id
       AND test_mode_refunds.status NOT IN ('failed', 'canceled')) AS refunds,
      orders.id AS "order", orders.state, coalesce(total_cents, 0) AS total, paid_at IS NOT NULL AS "wasPaid",
      coalesce(hold_expires_at <= ${now}, false) AS "holdIsOver",
      (SELECT coalesce(json_agg(line), '[]') FROM (${linesOfOrder}) AS line) AS lines,
      coalesce(orders.refunded_cents, 0) AS "ourRefunded",
      (SELECT count(*)::integer FROM refunds WHERE order_id = orders.id) AS "ourRefunds",
      (SELECT count(*)::integer FROM refunds WHERE order_id = orders.id AND state <> 'done') AS "ourUnfinished",
      (SELECT coalesce(sum(cents), 0)::integer FROM refunds WHERE order_id = orders.id AND is_amount) AS "refundedAmounts",
      ARRAY(SELECT kind FROM mails WHERE order_id = orders.id ORDER BY kind) AS mails
    FROM ${intents} AS intents FULL JOIN ${orders} AS orders ON orders.payment_intent_id = intents.id`.execute(db);
  return rows;
}

/** Units of a line in a state: items, or what a line of counted goods has. */
const unitsIn = (state: string) => sql<number>`
  CASE WHEN counted_state IS NULL THEN count(items.id) FILTER (WHERE items.state = ${state})
    WHEN counted_state = ${state} THEN counted_units ELSE 0 END`;

/** The lines of the order of a row; withdrawn units were sold and taken back. */
const linesOfOrder = sql<LedgerLine>`
  SELECT quantity AS ordered, ${unitsIn('held')} AS held, ${unitsIn('allocated')} AS allocated, ${unitsIn('sold')} AS sold,
    count(items.id) FILTER (WHERE items.state IN ('quarantined', 'burnt') AND (counted_state IS NULL OR replaced_by IS NOT NULL))
      + CASE WHEN counted_state = 'sold' THEN quantity - counted_units ELSE 0 END AS withdrawn,
    count(replaced_by) AS replaced,
    (SELECT coalesce(sum(refund_lines.quantity), 0) FROM refund_lines WHERE order_line_id = order_lines.id) AS refunded
  FROM order_lines LEFT JOIN items ON items.order_line_id = order_lines.id
  WHERE order_id = orders.id GROUP BY order_lines.id`;

const unitsOf = ({ lines }: LedgerRow, units: keyof LedgerLine): number =>
  lines.reduce((sum, line) => sum + line[units], 0);

/** I1: every captured payment has its goods or its refund, and no goods are delivered without a payment. */
function moneyAndGoodsApart(row: LedgerRow): string[] {
  const sold = unitsOf(row, 'sold');
  const isSold = row.lines.every((line) => line.sold === line.ordered - line.refunded);
  const isWithdrawn = row.lines.every((line) => line.sold === 0 && line.withdrawn === line.ordered + line.replaced);
  const delivered = row.state === 'fulfilled' && isSold && sold > 0;
  const disputed = row.state === 'disputed' && isWithdrawn;
  const givenBack =
    row.state === 'refunded' && row.refunded === row.captured && sold === 0 && row.refunds <= row.ourRefunds;
  const anyGoods = sold > 0 || row.state === 'fulfilled';
  return [
    ...(row.captured > 0 && !delivered && !disputed && !givenBack
      ? ['I1 a captured payment has neither its delivery nor its full refund']
      : []),
    ...(anyGoods && row.refunded > row.refundedAmounts && unitsOf(row, 'refunded') === 0
      ? ['I1 a refunded payment has its goods']
      : []),
    ...(anyGoods && row.captured !== row.total ? ['I1 goods are delivered without the money'] : []),
    ...(row.state === 'cancelled' && row.status !== null && row.status !== 'canceled'
      ? ['I1 the goods of a payment that can still be taken are on sale']
      : []),
  ];
}

/** I3: each line of an order holds exactly the goods that the order's state says. */
function goodsAgainstState({ state, lines }: LedgerRow): string[] {
  return lines.flatMap(({ ordered, held, allocated, sold, refunded }) => {
    const expected: Partial<Record<OrderState, number[]>> = {
      pending: [ordered, 0, 0],
      capturing: [0, ordered, 0],
      fulfilled: [0, 0, ordered - refunded],
    };
    const [mayHold, mayPin, maySell] = (state && expected[state]) ?? [0, 0, 0];
    const right = held === mayHold && allocated === mayPin && sold === maySell;
    return right ? [] : [`I3 the order has ${held} held, ${allocated} allocated, ${sold} sold of ${ordered}`];
  });
}

/** I4: our money is the provider's. */
function moneyAgainstProvider(row: LedgerRow): string[] {
  const { state, total, wasPaid, captured, refunded, ourRefunded } = row;
  const paid = wasPaid ? total : captured;
  const ours = state === 'fulfilled' || state === 'disputed' || state === 'refunded' ? paid - ourRefunded : 0;
  const theirs = captured - refunded;
  return ours === theirs ? [] : [`I4 the order says ${ours} cents, the provider ${theirs}`];
}

/** I6: the order reaches a final state without another call, and the buyer gets each mail once. */
function unfinished(row: LedgerRow): string[] {
  const { state, status, holdIsOver, mails, ourRefunds, ourUnfinished } = row;
  const authorised = status === 'requires_capture' || status === 'succeeded';
  const waits =
    state === 'capturing' ||
    state === 'refunding' ||
    ourUnfinished > 0 ||
    (state === 'pending' && (authorised || holdIsOver));
  const told = [
    ...Array(unitsOf(row, 'replaced')).fill('item-replaced'),
    'order-delivered',
    ...Array(ourRefunds).fill('order-refunded-in-part'),
  ];
  const keepsGoods = state === 'fulfilled' || state === 'disputed';
  return [
    ...(waits ? ['I6 the order is not finished'] : []),
    ...(keepsGoods && String(mails) !== String(told) ? [`I6 the buyer's mails are [${mails}]`] : []),
    ...(state === 'refunded' && mails.filter((kind) => kind === 'order-refunded').length !== 1
      ? [`I6 the buyer's mails are [${mails}]`]
      : []),
  ];
}

/** Orders that somebody still has to carry on; none is left when the shop is at rest. */
export async function listUnfinished(db: Database, now: Date): Promise<string[]> {
  return explain(await readLedger(db, { now }), unfinished);
}

/**
 * What is wrong with the shop's books, at rest; nothing when I1 to I4 and I6 hold. `uploaded` counts the items ever made;
 * `orderId` keeps to the books of one order and its products, of which `uploaded` then is the number.
 */
export async function findViolations(
  db: Database,
  { uploaded, ...which }: { now: Date; uploaded: number; orderId?: string },
): Promise<string[]> {
  const ledger = await readLedger(db, which);
  const checks = [moneyAndGoodsApart, goodsAgainstState, moneyAgainstProvider, unfinished];
  return [...checks.flatMap((check) => explain(ledger, check)), ...(await wrongGoods(db, uploaded, which.orderId))];
}

function explain(ledger: LedgerRow[], check: (row: LedgerRow) => string[]): string[] {
  return ledger.flatMap((row) =>
    check(row).map((fault) => `${fault} (order ${row.order} ${row.state}, intent ${row.intent} ${row.status})`),
  );
}

/** What the goods themselves show: I2, what was shown while it was frozen, and the sums of I3. One statement, as plays ask it often. */
async function wrongGoods(db: Database, uploaded: number, orderId: string | undefined): Promise<string[]> {
  const isAsked = (product: string) =>
    orderId === undefined
      ? sql`true`
      : sql`${sql.ref(product)} IN (SELECT product_id FROM order_lines WHERE order_id = ${orderId})`;
  const { rows } = await sql<{ fault: string }>`
    -- I2: what was sold to one order, as witnessed by the log of recordSales, was never sold to another or shown to one.
    SELECT 'I2 item ' || item_id || ' belongs to two orders' AS fault FROM (
      SELECT item_id FROM sales_log JOIN items ON items.id = item_id WHERE ${isAsked('items.product_id')}
        GROUP BY item_id HAVING count(*) > 1
      UNION
      SELECT item_id FROM reveals JOIN items ON items.id = item_id
        LEFT JOIN order_lines ON order_lines.id = items.order_line_id
        WHERE order_lines.order_id IS DISTINCT FROM reveals.order_id AND ${isAsked('items.product_id')}) AS of_two
    UNION ALL
    -- What was not seen when its order was frozen was shown to nobody until the freeze ended.
    SELECT 'item ' || items.id || ' was shown while its order was frozen'
      FROM items JOIN order_lines ON order_lines.id = order_line_id JOIN order_freezes USING (order_id)
      WHERE first_viewed_at > frozen_at AND first_viewed_at < coalesce(ended_at, 'infinity')
        AND ${isAsked('items.product_id')}
    UNION ALL
    -- I3, the sums. Nothing that was uploaded is missing, and what is counted beside the items agrees with them.
    SELECT 'I3 ' || count(*) || ' items are left of ' || ${uploaded}::integer
      FROM items JOIN products ON products.id = product_id WHERE delivery = 'unique' AND ${isAsked('products.id')}
      HAVING count(*) <> ${uploaded}::integer
    UNION ALL
    SELECT 'I3 ' || name || ' has ' || stock || ' on the shelf, and its ledger says ' || entered || ' of ' || counted
      FROM products, LATERAL (
        SELECT coalesce(sum(units), 0) AS entered, coalesce(sum(units) FILTER (WHERE reason = 'counted'), 0) AS counted
        FROM stock_changes WHERE product_id = products.id) AS ledger
      -- Of what is refunded here nothing was shipped: it is on the shelf again.
      WHERE stock IS NOT NULL AND ${isAsked('products.id')} AND (stock <> entered OR counted <> stock + (
        SELECT coalesce(sum(counted_units), 0) FROM order_lines WHERE product_id = products.id))
    UNION ALL
    SELECT 'I3 ' || name || ' has ' || delivered || ' copies of ' || counted_units || ' units that were sold'
      FROM order_lines, LATERAL (
        SELECT count(*) AS delivered FROM items WHERE order_line_id = order_lines.id AND state = 'sold') AS copies
      WHERE delivery IN ('shared', 'file') AND ${isAsked('order_lines.product_id')}
        AND delivered <> CASE counted_state WHEN 'sold' THEN counted_units ELSE 0 END
    UNION ALL
    SELECT 'I3 ' || name || ' counts ' || flash_units_taken || ' flash sale units' FROM products
      WHERE flash_units_limit IS NOT NULL AND ${isAsked('products.id')} AND flash_units_taken <>
        (SELECT coalesce(sum(quantity), 0) FROM order_lines JOIN orders ON orders.id = order_id
         WHERE product_id = products.id AND takes_flash_units AND cancelled_at IS NULL)`.execute(db);
  return rows.map(({ fault }) => fault);
}

/** Has the database itself write down every sale of an item, so that a second one cannot go unseen. */
export async function recordSales(db: Database): Promise<void> {
  await sql`CREATE TABLE sales_log (item_id uuid NOT NULL, order_line_id uuid NOT NULL, unit integer NOT NULL,
    UNIQUE (item_id, order_line_id, unit))`.execute(db);
  await sql`
    CREATE FUNCTION log_sale() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO sales_log VALUES (NEW.id, NEW.order_line_id, NEW.unit) ON CONFLICT DO NOTHING;
      RETURN NEW;
    END $$`.execute(db);
  await sql`
    CREATE TRIGGER log_sale AFTER UPDATE ON items FOR EACH ROW
    WHEN (NEW.state = 'sold' AND OLD.state <> 'sold') EXECUTE FUNCTION log_sale()`.execute(db);
  await sql`
    CREATE TRIGGER log_sale_of_copy AFTER INSERT ON items FOR EACH ROW
    WHEN (NEW.state = 'sold') EXECUTE FUNCTION log_sale()`.execute(db);
}
