import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { ReviewRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { lockProductsById } from '../catalog/products.queries.ts';
import { findReview, refreshRating, updateReview } from './reviews.queries.ts';

interface Moderation {
  id: string;
  /** Version of the review that the administrator has read. */
  version: number;
  actor: Actor;
}

// These functions throw NOT_FOUND, and EDIT_CONFLICT when the author or another administrator has changed the review since
// it was read. They have no effect when they are repeated, e.g. after a lost answer.

/** Publishes a review. */
export const publishReview = (deps: Deps, moderation: Moderation): Promise<void> =>
  moderate(deps, moderation, isPublished, async (trx, { id }, audit) => {
    await updateReview(trx, id, { state: 'published', reject_reason: null });
    await audit('published', (review) => `Published ${review}`);
  });

/** Rejects a review, or takes it down; its author sees the reason. */
export const rejectReview = (deps: Deps, { reason, ...moderation }: Moderation & { reason: string }): Promise<void> =>
  moderate(deps, moderation, isRejectedFor(reason), async (trx, { id }, audit) => {
    await updateReview(trx, id, { state: 'rejected', reject_reason: reason });
    await audit('rejected', (review) => `Rejected ${review}: ${reason}`);
  });

/** Writes the shop's reply to a review; an empty text removes it. */
export const replyToReview = (deps: Deps, { text, ...moderation }: Moderation & { text: string }): Promise<void> =>
  moderate(deps, moderation, isRepliedBy(text), async (trx, { id }, audit) => {
    await updateReview(
      trx,
      id,
      text === '' ? { reply: null, replied_at: null } : { reply: text, replied_at: deps.clock.now() },
    );
    await audit('replied', (review) =>
      text === '' ? `Removed the reply to ${review}` : `Replied to ${review}: ${text}`,
    );
  });

type IsDone = (review: ReviewRow) => boolean;
const isPublished: IsDone = ({ state }) => state === 'published';
const isRejectedFor =
  (reason: string): IsDone =>
  ({ state, reject_reason }) =>
    state === 'rejected' && reject_reason === reason;
const isRepliedBy =
  (text: string): IsDone =>
  ({ reply }) =>
    text === (reply ?? '');

type WriteEntry = (verb: string, summaryOf: (review: string) => string) => Promise<void>;

async function moderate(
  deps: Deps,
  { id, version, actor }: Moderation,
  isDone: IsDone,
  change: (trx: Transaction, review: ReviewRow, audit: WriteEntry) => Promise<void>,
): Promise<void> {
  const missing = () => new AppError('NOT_FOUND', 'Review not found');
  const found = await findReview(deps.db, id);
  if (!found) throw missing();
  await deps.db.transaction().execute(async (trx) => {
    const [product] = await lockProductsById(trx, [found.product_id]);
    const review = await findReview(trx, id);
    if (!review || !product) throw missing();
    // The earlier call of a repeated one has raised the version by one. A change by the author does so, too, but then the
    // review is `pending`, and a reply stays.
    if (isDone(review) && (review.version === version || review.version === version + 1)) return;
    if (review.version !== version) {
      throw new AppError('EDIT_CONFLICT', 'This review was changed meanwhile. Read it once more.');
    }
    await change(trx, review, async (verb, summaryOf) => {
      await refreshRating(trx, product.id);
      const summary = summaryOf(`the review of "${product.name}" with ${review.stars} stars`);
      await writeAudit(deps, trx, { actor, action: `review.${verb}`, subject: { type: 'review', id }, summary });
    });
  });
}
