import { Readable } from 'node:stream';
import { type Options, stringify } from 'csv-stringify/sync';
import type { ReportKind } from '../../../shared/admin.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { orderNumber } from '../../../shared/format.ts';
import { ADJUSTMENTS } from '../../../shared/pricing.ts';
import type { Database } from '../../platform/database/database.ts';
import type { CallPolicy } from '../../platform/http/route.ts';
import {
  type Days,
  findSoldDays,
  listOrdersPaidOn,
  type SoldOrder,
  type SoldProduct,
  sumProductsPaidOn,
  sumTaxPaidOn,
} from './reports.queries.ts';

/**
 * Streams a report as CSV for spreadsheets: formulas in texts are escaped, and a byte order mark tells Excel that the
 * file is UTF-8. The database is read only as fast as the client receives. A failure destroys the stream, so that a
 * partial report is not taken for a complete report.
 */
export const streamReport = (db: Database, report: ReportOptions): Readable =>
  Readable.from(written(db, report), { objectMode: false });

interface ReportOptions extends Days {
  kind: ReportKind;
  maskPeople?: CallPolicy['maskPeople'] | undefined;
  /** Called before each part is sent. Throws when the report must end, e.g. because its administrator was blocked. */
  assertAllowed?: () => Promise<void>;
}

async function* written(
  db: Database,
  { kind, maskPeople, assertAllowed, ...days }: ReportOptions,
): AsyncGenerator<string> {
  const { header, rows } = reports[kind];
  // Read before the first line, so that a database that is away results in an error response.
  const sold = await findSoldDays(db, days);
  yield csv([header], { bom: true });
  if (!sold) return;
  for await (const some of rows(db, eachDay(sold.first, sold.last), maskPeople)) {
    if (some.length === 0) continue;
    await assertAllowed?.();
    yield csv(some);
  }
}

type Row = (string | number)[];

const csv = (rows: Row[], options = {}): string => csvOf(rows, { record_delimiter: 'windows', ...options });

function* eachDay(first: string, last: string): Generator<string> {
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS) {
    yield new Date(at).toISOString().slice(0, 10);
  }
}

interface Report {
  header: string[];
  /** In batches, so that memory does not grow with the number of orders. */
  rows(db: Database, days: Iterable<string>, maskPeople?: <T>(record: T) => T): AsyncGenerator<Row[]>;
}

const ORDERS_AT_ONCE = 500;

const money = (cents: number): string => (cents / 100).toFixed(2);
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Each report counts an order, and its refunds since, on the day of its payment. */
const reports: Record<ReportKind, Report> = {
  orders: {
    header: [
      ...['Paid at (GMT+8)', 'Order number', 'Order ID', 'Type', 'Payment', 'Customer', 'Email', 'Units'],
      ...['Items', ...ADJUSTMENTS.map(capitalised), 'Gross', 'Refunded', 'Net', 'Payment ID'],
    ],
    async *rows(db, days, maskPeople = (record) => record) {
      for (const day of days) {
        let batch: SoldOrder[];
        let after: SoldOrder | undefined;
        do {
          batch = await listOrdersPaidOn(db, day, after, ORDERS_AT_ONCE);
          after = batch.at(-1);
          yield batch.map((order) => orderRow(maskPeople(order)));
        } while (batch.length === ORDERS_AT_ONCE);
      }
    },
  },

  sales: {
    header: [
      ...['Product', 'Product ID', 'Type', 'Units sold', 'Units refunded'],
      ...['Gross before tax', 'Refunded before tax', 'Net before tax'],
    ],
    async *rows(db, days) {
      const sold = new Map<string, SoldProduct>();
      for (const day of days) {
        for (const product of await sumProductsPaidOn(db, day)) {
          sold.set(product.product, add(product, sold.get(product.product)));
        }
      }
      yield [...sold.values()].sort((one, other) => netOf(other) - netOf(one)).map(productRow);
    },
  },

  tax: {
    header: [
      ...['Day', 'Orders', 'Sales before tax', 'Tax', 'Gross', 'Refunded', 'Refunded tax'],
      ...['Net before tax', 'Net tax'],
    ],
    async *rows(db, days) {
      for (const day of days) {
        const { orders, beforeTaxCents, taxCents, refundedCents, refundedTaxCents } = await sumTaxPaidOn(db, day);
        if (orders === 0) continue;
        const amounts = [
          ...[beforeTaxCents, taxCents, beforeTaxCents + taxCents, refundedCents, refundedTaxCents],
          ...[beforeTaxCents - (refundedCents - refundedTaxCents), taxCents - refundedTaxCents],
        ];
        yield [[day, orders, ...amounts.map(money)]];
      }
    },
  },
};

function orderRow(order: SoldOrder): Row {
  const { items_cents, total_cents, refunded_cents } = order;
  return [
    ...[order.paid, orderNumber(order.id), order.id, order.type === 'digital' ? 'Digital' : 'Physical'],
    ...[paymentOf(order), order.customer, order.email, order.units],
    ...[items_cents, ...ADJUSTMENTS.map((amount) => order[`${amount}_cents`])].map(money),
    ...[total_cents, refunded_cents, total_cents - refunded_cents].map(money),
    order.payment_intent_id ?? '',
  ];
}

function paymentOf({ state, refunded_cents }: SoldOrder): string {
  if (state === 'refunding') return 'Refunding';
  if (state === 'refunded') return 'Refunded';
  if (state === 'disputed') return 'Disputed';
  return refunded_cents > 0 ? 'Partly refunded' : 'Paid';
}

function add(later: SoldProduct, earlier: SoldProduct | undefined): SoldProduct {
  const sum = (field: 'units' | 'cents' | 'refundedUnits' | 'refundedCents') => later[field] + (earlier?.[field] ?? 0);
  const refunded = { refundedUnits: sum('refundedUnits'), refundedCents: sum('refundedCents') };
  return { ...later, units: sum('units'), cents: sum('cents'), ...refunded };
}

const netOf = ({ cents, refundedCents }: SoldProduct): number => cents - refundedCents;

const productRow = (sold: SoldProduct): Row => [
  ...[sold.name, sold.product, sold.kind === 'digital' ? 'Digital' : 'Physical', sold.units, sold.refundedUnits],
  ...[sold.cents, sold.refundedCents, netOf(sold)].map(money),
];

// In locales with decimal commas, a spreadsheet separates cells by semicolons, and sometimes by tabs. A quote that begins
// such a cell, and is doubled in the file, is an empty text before the rest.
const FORMULA_IN_CELL = /((?:[;|]|(?<!^)\t)["\s]*)([=+\-@＝＋－＠])/g;

/** Formats rows as CSV for spreadsheets. Formulas are escaped as text for every separator that spreadsheets use. */
export const csvOf = (rows: readonly (string | number)[][], options: Options = {}): string =>
  stringify(
    rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell.replace(FORMULA_IN_CELL, "$1'$2") : cell))),
    { escape_formulas: true, ...options },
  );
