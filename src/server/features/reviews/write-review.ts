import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { lockProductsById } from '../catalog/products.queries.ts';
import {
  deleteReview,
  findReviewableLine,
  listProductsOfOrder,
  listReviewsOfOthers,
  lockAuthor,
  refreshRating,
  saveReview,
  setPurchase,
} from './reviews.queries.ts';

interface Author {
  userId: string;
  productId: string;
}

/**
 * Writes or changes a user's only review of a product, of which a unit must have been delivered to them and not
 * returned. Nobody else sees it until an administrator publishes it. Throws NOT_FOUND, FORBIDDEN and RATE_LIMITED.
 */
export async function writeReview(
  deps: Deps,
  { userId, productId, ...review }: Author & { stars: number; title: string; text: string },
): Promise<void> {
  await deps.limits.count('review', { user: userId });
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const { name: author } = await lockAuthor(trx, userId);
    const [product] = await lockProductsById(trx, [productId]);
    if (!product) throw new AppError('NOT_FOUND', 'Product not found');
    const line = await findReviewableLine(trx, { userId, productId });
    if (!line) throw new AppError('FORBIDDEN', 'Only buyers who have received this product can review it');
    const ids = { id: uuidv7(), product_id: productId, user_id: userId, order_line_id: line };
    await saveReview(trx, { ...ids, author, ...review, created_at: now, updated_at: now });
    await refreshRating(trx, productId);
  });
}

/** Deletes a user's review of a product, even of a returned one. No effect without one. Throws RATE_LIMITED. */
export async function withdrawReview(deps: Deps, { userId, productId }: Author): Promise<void> {
  await deps.limits.count('review', { user: userId });
  await deps.db.transaction().execute(async (trx) => {
    await lockProductsById(trx, [productId]);
    await deleteReview(trx, { userId, productId });
    await refreshRating(trx, productId);
  });
}

/**
 * Removes the reviews of an order's purchases by anybody but its owner, who has just become the owner and may review each
 * purchase once. An author who has bought the product again keeps the review. The order must be locked.
 */
export async function removeReviewsOfOthers(trx: Transaction, order: { orderId: string; ownerId: string | null }) {
  await lockProductsById(trx, await listProductsOfOrder(trx, order.orderId));
  for (const { user_id: userId, product_id: productId } of await listReviewsOfOthers(trx, order)) {
    const line = await findReviewableLine(trx, { userId, productId });
    if (line) await setPurchase(trx, { userId, productId, line });
    else await deleteReview(trx, { userId, productId });
    await refreshRating(trx, productId);
  }
}
