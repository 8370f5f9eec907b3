import { v7 as uuidv7 } from 'uuid';
import { AppError, orNotFound } from '../../../shared/errors.ts';
import { plural } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ReviewRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { lockProductsById } from '../catalog/products.queries.ts';
import { maskSecrets, maskTyped } from '../inventory/mask-secrets.ts';
import {
  type Author,
  deleteReview,
  findReview,
  findReviewableLine,
  listProductsOfOrder,
  listReadItems,
  listReviewsOfOthers,
  lockAuthor,
  refreshRating,
  saveReview,
  setPurchase,
  updateReview,
} from './reviews.queries.ts';

/**
 * Writes or changes a user's only review of a product, of which a unit must have been delivered to them and not
 * returned. Nobody else sees it until an administrator publishes it, and nobody the items of its author, whose secrets are
 * masked in it. Throws NOT_FOUND, FORBIDDEN and RATE_LIMITED.
 */
export async function writeReview(
  deps: Deps,
  { userId, productId, ...written }: Author & { stars: number; title: string; text: string },
): Promise<void> {
  await deps.limits.count('review', { user: userId });
  const read = await listReadItems(deps.db, { userId, productId });
  const title = await maskSecrets(deps, read, written.title);
  const review = { ...written, title, text: await maskSecrets(deps, read, written.text) };
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const { name: author } = await lockAuthor(trx, userId);
    orNotFound((await lockProductsById(trx, [productId]))[0], 'Product not found');
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
export async function removeReviewsOfOthers(trx: Transaction, orderId: string, ownerId: string | null) {
  await lockProductsById(trx, await listProductsOfOrder(trx, orderId));
  for (const author of await listReviewsOfOthers(trx, orderId, ownerId)) {
    const line = await findReviewableLine(trx, author);
    if (line) await setPurchase(trx, author, line);
    else await deleteReview(trx, author);
    await refreshRating(trx, author.productId);
  }
}

interface Moderation {
  id: string;
  /** Version of the review that the administrator has read. */
  version: number;
  actor: Actor;
}

// These functions throw NOT_FOUND, and EDIT_CONFLICT when the author or another administrator has changed the review since
// it was read. They have no effect when they are repeated, e.g. after a lost answer.

export const publishReview = (deps: Deps, moderation: Moderation): Promise<void> =>
  moderate(
    deps,
    moderation,
    ({ state }) => state === 'published',
    async (trx, name) => {
      await updateReview(trx, moderation.id, { state: 'published', reject_reason: null });
      return { action: 'review.published', summary: `Published ${name}` };
    },
  );

/** Rejects a review, or takes it down; its author sees the reason. */
export async function rejectReview(deps: Deps, { reason: typed, ...moderation }: Moderation & { reason: string }) {
  const reason = await withoutItemsOfAuthor(deps, moderation, typed);
  const isDone = ({ state, reject_reason }: ReviewRow) => state === 'rejected' && reject_reason === reason;
  await moderate(deps, moderation, isDone, async (trx, name) => {
    await updateReview(trx, moderation.id, { state: 'rejected', reject_reason: reason });
    return { action: 'review.rejected', summary: `Rejected ${name}: ${reason}` };
  });
}

/** Writes the shop's reply to a review; an empty text removes it. */
export async function replyToReview(deps: Deps, { text: typed, ...moderation }: Moderation & { text: string }) {
  const text = await withoutItemsOfAuthor(deps, moderation, typed);
  const isDone = ({ reply }: ReviewRow) => text === (reply ?? '');
  await moderate(deps, moderation, isDone, async (trx, name) => {
    const isRemoved = text === '';
    const reply = isRemoved ? { reply: null, replied_at: null } : { reply: text, replied_at: deps.clock.now() };
    await updateReview(trx, moderation.id, reply);
    const summary = isRemoved ? `Removed the reply to ${name}` : `Replied to ${name}: ${text}`;
    return { action: 'review.replied', summary };
  });
}

/** Masks the secrets of the author's items, because everybody reads a reply: a mail with a key is easily copied into it. */
async function withoutItemsOfAuthor(deps: Deps, { id, actor }: Moderation, text: string): Promise<string> {
  const review = await findReview(deps.db, id);
  if (!review) return text;
  const { user_id: userId, product_id: productId } = review;
  return maskTyped(deps, actor, text, await listReadItems(deps.db, { userId, productId }));
}

/** Changes a review under the lock of its product, and writes the audit entry that `change` returns; `name` is for it. */
async function moderate(
  deps: Deps,
  { id, version, actor }: Moderation,
  isDone: (review: ReviewRow) => boolean,
  change: (trx: Transaction, name: string) => Promise<{ action: string; summary: string }>,
): Promise<void> {
  const found = orNotFound(await findReview(deps.db, id), 'Review not found');
  await deps.db.transaction().execute(async (trx) => {
    const [product] = await lockProductsById(trx, [found.product_id]);
    const review = await findReview(trx, id);
    if (!review || !product) throw new AppError('NOT_FOUND', 'Review not found');
    // The earlier call of a repeated one has raised the version by one. A change by the author does so, too, but then the
    // review is `pending`, and a reply stays.
    if (isDone(review) && (review.version === version || review.version === version + 1)) return;
    if (review.version !== version) {
      throw new AppError('EDIT_CONFLICT', 'This review was changed meanwhile. Read it once more.');
    }
    const entry = await change(
      trx,
      `the review of "${product.name}" with ${review.stars} ${plural(review.stars, 'star')}`,
    );
    await refreshRating(trx, product.id);
    await writeAudit(deps, trx, { actor, ...entry, subject: { type: 'review', id } });
  });
}
