import type { ReviewRow } from '../platform/database/tables.ts';
import { type DemoData, demoDaysBefore, demoId } from './demo-data.ts';
import type { OrderRows } from './demo-order-rows.ts';

const REPLIED_AFTER_DAYS = 1;

/**
 * Returns the reviews of delivered products. Throws for a review by a buyer to whom the product had not been delivered
 * by then.
 */
export const reviewRows = ({ reviews, customers }: DemoData, orders: readonly OrderRows[], now: Date): ReviewRow[] =>
  reviews.map(({ product: slug, buyer, stars, daysAgo, title, text, reply = null, pending = false }) => {
    const [productId, userId] = [demoId('product', slug), demoId('user', buyer)];
    const at = demoDaysBefore(now, daysAgo);
    const line = orders
      .filter(({ order }) => order.user_id === userId && order.state === 'fulfilled' && isDelivered(order, at))
      .flatMap(({ lines }) => lines)
      .find((one) => one.product_id === productId);
    if (!line) throw new Error(`Nothing was delivered to "${buyer}" that makes the review of "${slug}" one of a buyer`);
    return {
      id: demoId('review', `${slug}/${buyer}`),
      ...{ product_id: productId, user_id: userId, order_line_id: line.id, stars, title, text },
      author: customers.find(({ email }) => email === buyer)?.name ?? '',
      ...{ state: pending ? 'pending' : 'published', reject_reason: null, version: 1, created_at: at, updated_at: at },
      ...{ reply, replied_at: reply === null ? null : demoDaysBefore(now, daysAgo - REPLIED_AFTER_DAYS) },
    };
  });

function isDelivered({ type, delivered_at: delivered, fulfilled_at: paid }: OrderRows['order'], at: Date): boolean {
  const since = type === 'physical' ? delivered : paid;
  return since instanceof Date && since <= at;
}
