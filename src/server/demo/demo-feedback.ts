import { daysBefore } from '../../shared/durations.ts';
import type { Deps } from '../deps.ts';
import { insertReport, updateReport } from '../features/problem-reports/problem-reports.queries.ts';
import { writeMessage } from '../features/problem-reports/report-problem.ts';
import { refreshRating } from '../features/reviews/reviews.queries.ts';
import { insertRows, type Transaction } from '../platform/database/database.ts';
import type { ReviewRow } from '../platform/database/tables.ts';
import { findFirstItem } from './demo.queries.ts';
import { type DemoData, type DemoOrder, type DemoReport, demoId } from './demo-data.ts';
import { lineIdOf, type OrderRows } from './demo-order-rows.ts';

const REPLIED_AFTER_DAYS = 1;

export async function insertReviews(
  trx: Transaction,
  data: DemoData,
  { orders, now }: { orders: readonly OrderRows[]; now: Date },
): Promise<void> {
  const reviews = reviewRows(data, orders, now);
  await insertRows(trx, 'reviews', reviews);
  for (const productId of new Set(reviews.map((review) => review.product_id))) await refreshRating(trx, productId);
}

/**
 * Returns the reviews of delivered products. Throws for a review by a buyer to whom the product had not been delivered
 * by then.
 */
const reviewRows = ({ reviews, customers }: DemoData, orders: readonly OrderRows[], now: Date): ReviewRow[] =>
  reviews.map(({ product: slug, buyer, stars, daysAgo, title, text, reply = null, pending = false }) => {
    const [productId, userId] = [demoId('product', slug), demoId('user', buyer)];
    const at = daysBefore(now, daysAgo);
    const line = orders
      .filter(({ order }) => order.user_id === userId && order.state === 'fulfilled' && isDelivered(order, at))
      .flatMap(({ lines }) => lines)
      .find((one) => one.product_id === productId);
    if (!line) throw new Error(`The review of "${slug}" is by "${buyer}", to whom the product was not delivered`);
    return {
      id: demoId('review', `${slug}/${buyer}`),
      ...{ product_id: productId, user_id: userId, order_line_id: line.id, stars, title, text },
      author: customers.find(({ email }) => email === buyer)?.name ?? '',
      ...{ state: pending ? 'pending' : 'published', reject_reason: null, version: 1, created_at: at, updated_at: at },
      ...{ reply, replied_at: reply === null ? null : daysBefore(now, daysAgo - REPLIED_AFTER_DAYS) },
    };
  });

function isDelivered({ type, delivered_at: delivered, fulfilled_at: paid }: OrderRows['order'], at: Date): boolean {
  const since = type === 'physical' ? delivered : paid;
  return since instanceof Date && since <= at;
}

/** Inserts the problem reports and their conversations. `administrator` is the id of the user who answers. */
export async function insertReports(
  { cipher }: Pick<Deps, 'cipher'>,
  trx: Transaction,
  {
    reports,
    orders,
    administrator,
    now,
  }: { reports: DemoReport[]; orders: DemoOrder[]; administrator: string; now: Date },
) {
  for (const { order: name, product, problem, daysAgo, text, answer } of reports) {
    const order = orders.find((one) => one.name === name);
    if (!order) throw new Error(`The demo has no order "${name}"`);
    const itemId = await findFirstItem(trx, lineIdOf(order, product));
    const report = { id: demoId('report', `${name}/${product}`), order_id: demoId('order', name), item_id: itemId };
    const write = (part: string, userId: string | null, said: { daysAgo: number; text: string }) =>
      writeMessage({ cipher, clock: { now: () => daysBefore(now, said.daysAgo) } }, trx, {
        ...{ id: demoId('message', `${name}/${product}/${part}`), reportId: report.id, userId, text: said.text },
      });
    await insertReport(trx, { ...report, problem, opened_at: daysBefore(now, daysAgo) });
    await write('question', null, { daysAgo, text });
    await write('answer', administrator, answer);
    await updateReport(trx, report.id, { waiting_since: null });
  }
}
