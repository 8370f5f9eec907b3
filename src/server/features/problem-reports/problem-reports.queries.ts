import { type Insertable, sql } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import {
  type Database,
  fieldOf,
  firstRowOf,
  hasRow,
  insertUnlessKnown,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import {
  afterCursor,
  anyContains,
  cutPage,
  isNamed,
  placeOf,
  readCountedIds,
  type Sort,
  searchByWords,
  sortTerms,
  type WordSearch,
} from '../../platform/database/list-queries.ts';
import type { ItemRow, OrderLineRow, ProductRow, ReportRow, Tables } from '../../platform/database/tables.ts';
import { reportEnd } from '../inventory/inventory.queries.ts';
import { numberOf } from '../orders/orders.queries.ts';

export interface ItemReport extends ReportRow {
  unit: number;
  line_id: string;
  delivered_at: Date;
  image: OrderLineRow['image'];
  warranty_days: OrderLineRow['warranty_days'];
  category: ProductRow['category'];
}

const itemColumns = sql`problem_reports.*, items.unit, order_lines.id AS line_id, items.delivered_at,
  order_lines.image, order_lines.warranty_days, products.category`;

const joined = sql`problem_reports JOIN items ON items.id = problem_reports.item_id
  JOIN order_lines ON order_lines.id = items.order_line_id JOIN products ON products.id = order_lines.product_id`;

export const listReportsOfOrder = (db: Database, orderId: string) => rowsOf<ItemReport>(db)`
  SELECT ${itemColumns} FROM ${joined} WHERE problem_reports.order_id = ${orderId} ORDER BY opened_at, problem_reports.id`;

export const findReport = (db: Database, id: string) => firstRowOf<ItemReport>(db)`
  SELECT ${itemColumns} FROM ${joined} WHERE problem_reports.id = ${id}`;

export interface AdminReportRow extends ItemReport {
  customer: string;
  email: string;
}

const customer = sql`coalesce(nullif(orders.guest_name, ''), users.name, '')`;
const customerColumns = sql`orders.contact_email AS email, ${customer} AS customer`;
const withCustomer = sql`${joined} JOIN orders ON orders.id = problem_reports.order_id
  LEFT JOIN users ON users.id = orders.user_id`;

export const findAdminReport = (db: Database, id: string) => firstRowOf<
  AdminReportRow & { delivery: OrderLineRow['delivery']; available: number }
>(db)`
  SELECT ${itemColumns}, ${customerColumns}, order_lines.delivery,
    (SELECT count(*)::integer FROM items AS other
      WHERE other.product_id = items.product_id AND other.state = 'available') AS available
  FROM ${withCustomer} WHERE problem_reports.id = ${id}`;

export const getReportedItem = (db: Database, { item_id }: ReportRow): Promise<ItemRow> =>
  db.selectFrom('items').selectAll().where('id', '=', item_id).executeTakeFirstOrThrow();

type ReportFilter = SearchOf<'GET /admin/problem-reports'>;

const byId = { value: sql`problem_reports.id`, type: 'uuid' } as const;

const sorts: Record<'open' | 'closed', Sort> = {
  open: {
    columns: [
      { value: sql`(waiting_since IS NULL)::integer`, type: 'integer' },
      { value: sql`coalesce(waiting_since, opened_at)`, type: 'timestamptz' },
      byId,
    ],
    direction: 'ASC',
  },
  closed: { columns: [{ value: sql`closed_at`, type: 'timestamptz' }, byId], direction: 'DESC' },
};

const sortOf = ({ closed, order }: ReportFilter) => sorts[closed && !order ? 'closed' : 'open'];

const isListed = ({ cursor, ...filter }: ReportFilter) => sql`
  ${filter.order ? sql`problem_reports.order_id = ${filter.order}` : filter.closed ? sql`closed_at IS NOT NULL` : sql`closed_at IS NULL`}
  AND ${afterCursor(sortOf(filter), cursor)}`;

/** Lists a page of open reports: longest unanswered first, then answered; or closed, newest first. Counts all pages. */
export async function listReports(db: Database, filter: ReportFilter) {
  const sort = sortOf(filter);
  const { ids, ...counted } = filter.q
    ? await searchReports(db, filter, filter.q)
    : await readCountedIds(db, filter, { table: 'problem_reports', sort }, selectReports);
  const found = await rowsOf<AdminReportRow & { place: string[] }>(db)`
    SELECT ${itemColumns}, ${customerColumns}, ${placeOf(sort)} FROM ${withCustomer}
    WHERE problem_reports.id = ANY (${ids}::uuid[]) ORDER BY ${sortTerms(sort)}`;
  return { ...cutPage(found, filter), ...counted };
}

const selectReports = (filter: ReportFilter) =>
  sql`SELECT problem_reports.* FROM problem_reports WHERE ${isListed(filter)}`;

/** Finds reports by the product, the order's number, or the buyer's name or e-mail. `newest` is for tests. */
export const searchReports = (db: Database, filter: ReportFilter, q: string, newest?: number) =>
  searchByWords(db, filter, about(q, sortOf(filter)), newest);

function about(q: string, sort: Sort): WordSearch<ReportFilter> {
  // Nothing else is in a number, and to compare it costs more than to compare the name.
  const mayBeNumber = /^#?[\da-f]{0,8}$/i.test(q);
  const isAbout = anyContains([sql`product_name`, ...(mayBeNumber ? [numberOf('problem_reports.order_id')] : [])], q);
  const isOrderOf = isNamed(['orders.contact_email', 'orders.guest_name'], q);
  const isBuyer = sql`(orders.guest_name = '' AND ${isNamed(['users.name'], q)})`;
  const ofOrders = (filter: ReportFilter) => sql`
    JOIN problem_reports ON problem_reports.order_id = orders.id AND ${isListed(filter)}`;
  return {
    table: 'problem_reports',
    sort,
    first: (filter, limit) => sql`${selectReports(filter)} ORDER BY ${sortTerms(sort)} LIMIT ${limit}`,
    matches: sql`(${isAbout} OR (SELECT ${isOrderOf} OR coalesce(${isBuyer}, false)
      FROM orders LEFT JOIN users ON users.id = orders.user_id WHERE orders.id = problem_reports.order_id))`,
    // Reads all reports, but orders and users by the indexes orders_by_words and users_by_words.
    byWords: (filter) => sql`
      ${selectReports(filter)} AND ${isAbout}
      UNION
      SELECT problem_reports.* FROM orders ${ofOrders(filter)} WHERE ${isOrderOf}
      UNION
      SELECT problem_reports.* FROM users JOIN orders ON orders.user_id = users.id ${ofOrders(filter)} WHERE ${isBuyer}`,
  };
}

export const hasOpenReport = (db: Database, itemId: string) =>
  hasRow(db)`SELECT FROM problem_reports WHERE item_id = ${itemId} AND closed_at IS NULL`;

export const insertReport = (trx: Transaction, report: Insertable<Tables['problem_reports']>) =>
  insertUnlessKnown(trx, 'problem_reports', report);

/** The order must be locked, as for every change of a report. */
export const updateReport = (
  trx: Transaction,
  id: string,
  { closed_at, ...changes }: Partial<Pick<ReportRow, 'waiting_since' | 'outcome'>> & { closed_at?: Date },
) =>
  trx
    .updateTable('problem_reports')
    .set({ ...changes, ...(closed_at && { closed_at: reportEnd(closed_at) }) })
    .where('id', '=', id)
    .execute();

export type MessageRow = Tables['report_messages'] & {
  has_kept_picture: boolean;
  /** E-mail of the administrator who wrote it; null for the buyer. */
  actor: string | null;
};

export const listMessages = (db: Database, reportIds: readonly string[]) => rowsOf<MessageRow>(db)`
  SELECT report_messages.*, users.email AS actor,
    has_picture AND EXISTS (SELECT FROM report_pictures WHERE message_id = report_messages.id) AS has_kept_picture
  FROM report_messages LEFT JOIN users ON users.id = report_messages.user_id
  WHERE report_id = ANY (${reportIds}::uuid[]) ORDER BY at, report_messages.id`;

export const insertMessage = (trx: Transaction, message: Tables['report_messages']): Promise<boolean> =>
  insertUnlessKnown(trx, 'report_messages', message);

export const insertPicture = (trx: Transaction, picture: Tables['report_pictures']) =>
  trx.insertInto('report_pictures').values(picture).execute();

export const findPicture = (db: Database, { reportId, messageId }: { reportId: string; messageId: string }) =>
  firstRowOf<Tables['report_pictures'] & { order_id: string }>(db)`
    SELECT report_pictures.*, order_id FROM report_pictures
      JOIN report_messages ON report_messages.id = message_id JOIN problem_reports ON problem_reports.id = report_id
    WHERE message_id = ${messageId} AND report_id = ${reportId}`;

export const countBuyerMessages = (db: Database, reportId: string) => fieldOf<number>(db)`
    SELECT count(*)::integer FROM report_messages WHERE report_id = ${reportId} AND user_id IS NULL`;
