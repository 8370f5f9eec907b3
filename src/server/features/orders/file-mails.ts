import { sql } from 'kysely';
import { NIL } from 'uuid';
import { formatBytes, isolated, orderNumber } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import { type Database, firstRowOf, hasRow, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { OrderRow, ProductFileRow } from '../../platform/database/tables.ts';
import type { JobData } from '../../platform/jobs/jobs.ts';
import { findCurrentFile } from '../files/files.queries.ts';
import { enqueueMail, type MailContents } from '../mails/send-mail.ts';
import { linkToItems } from './link-to-items.ts';
import { getOrder, readFullOrder } from './orders.queries.ts';

/** Selects the file items of an order delivered before this version of the file that can still be downloaded. */
const updatedItems = ({ product_id: productId, published_at: publishedAt }: ProductFileRow, now: Date) => sql`
  order_lines JOIN items ON order_line_id = order_lines.id
  WHERE order_id = orders.id AND order_lines.product_id = ${productId} AND order_lines.delivery = 'file'
    AND items.state = 'sold' AND delivered_at < ${publishedAt}
    AND (download_days IS NULL OR delivered_at + download_days * interval '24 hours' > ${now})`;

/** Locks a version of a file, so that two jobs about the version run one after the other. */
export const lockFileVersion = (trx: Transaction, id: string) => firstRowOf<ProductFileRow>(trx)`
  SELECT * FROM product_files WHERE id = ${id} FOR NO KEY UPDATE`;

const findFileVersion = (db: Database, id: string) =>
  firstRowOf<ProductFileRow>(db)`SELECT * FROM product_files WHERE id = ${id}`;

/** `recipient` is null when the account is blocked. */
type OrderToNotify = Pick<OrderRow, 'id' | 'user_id'> & { recipient: string | null };

export const listOrdersToNotify = (
  trx: Transaction,
  file: ProductFileRow,
  { after, limit, now }: { after: string; limit: number; now: Date },
) => rowsOf<OrderToNotify>(trx)`
  SELECT orders.id, orders.user_id, CASE WHEN blocked_at IS NULL THEN coalesce(users.email, contact_email) END AS recipient
  FROM orders LEFT JOIN users ON users.id = orders.user_id
  WHERE orders.id > ${after} AND orders.state = 'fulfilled'
    AND orders.id IN (SELECT order_id FROM order_lines WHERE product_id = ${file.product_id})
    AND EXISTS (SELECT FROM ${updatedItems(file, now)})
  ORDER BY orders.id LIMIT ${limit}`;

const isNotified = (
  trx: Transaction,
  { fileId, recipient, userId }: { fileId: string; recipient: string; userId: string | null },
) => hasRow(trx)`
  SELECT FROM mails WHERE file_id = ${fileId} AND (recipient = ${recipient} OR user_id = ${userId})`;

/** Returns an order of the order's buyer that has such an item, if possible this one, and the product's name then. */
const findUpdatedLine = (
  db: Database,
  { orderId, file, now }: { orderId: string; file: ProductFileRow; now: Date },
) => firstRowOf<{ orderId: string; name: string }>(db)`
    WITH mailed AS (SELECT user_id, contact_email FROM orders WHERE id = ${orderId})
    SELECT orders.id AS "orderId", order_lines.name
    FROM orders, LATERAL (SELECT name FROM ${updatedItems(file, now)} LIMIT 1) AS order_lines
    WHERE orders.state = 'fulfilled' AND orders.id IN (
      SELECT id FROM orders JOIN mailed USING (user_id)
      UNION ALL
      SELECT id FROM orders JOIN mailed USING (contact_email) WHERE orders.user_id IS NULL AND mailed.user_id IS NULL)
    ORDER BY orders.id = ${orderId} DESC LIMIT 1`;

/** Orders per transaction. */
const BATCH = 100;

/**
 * Writes the mails about a new version of a file to earlier buyers: one per buyer, none for returned items, none to a
 * blocked account. Handles one batch and enqueues a job for the next. A repeated job writes no second mail to a buyer.
 */
export function enqueueFileMails(deps: Deps, { fileId, after = NIL }: JobData['tell-buyers'], batch = BATCH) {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const file = await lockFileVersion(trx, fileId);
    if (!file?.tells_buyers) return;
    const orders = await listOrdersToNotify(trx, file, { after, limit: batch, now });
    for (const { id: orderId, recipient, user_id: userId } of orders) {
      if (recipient === null || (await isNotified(trx, { fileId, recipient, userId }))) continue;
      await enqueueMail(deps, trx, { kind: 'file-updated', recipient, orderId, userId, fileId });
    }
    const last = orders.at(-1);
    if (last && orders.length === batch) await deps.jobs.enqueue(trx, 'tell-buyers', { fileId, after: last.id });
  });
}

export const fileMails = {
  // If the item was returned meanwhile, the mail is about another order of its buyer, or is skipped.
  'file-updated': async (deps, trx, mail) => {
    const version = mail.file_id === null ? undefined : await findFileVersion(trx, mail.file_id);
    const file = version && (await findCurrentFile(trx, version.product_id));
    if (!file || mail.order_id === null) throw new Error(`Mail ${mail.id} has no order or no file`);
    const line = await findUpdatedLine(trx, { orderId: mail.order_id, file: version, now: deps.clock.now() });
    if (!line) return undefined;
    const order = await readFullOrder(trx, await getOrder(trx, line.orderId));
    const { action, whyWaiting } = await linkToItems(deps, trx, order, mail);
    return {
      subject: `There is a new version of “${isolated(line.name)}”`,
      heading: 'There is a new version of your file',
      paragraphs: [
        `The shop has a new version of “${isolated(line.name)}”, which you bought with your order ${orderNumber(order.id)}. It is yours, too.`,
        `The file is ${file.name}, ${formatBytes(file.bytes)}. You find it on your order page, in the place of the earlier version.`,
        ...whyWaiting,
      ],
      action,
    };
  },
} satisfies Partial<MailContents>;
