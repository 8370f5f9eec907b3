import { orNotFound } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { AdminActor, ChangeCall, Route } from '../../platform/http/route.ts';
import { type PublishedReviews, presentAdminReview, presentReviewable } from './present-review.ts';
import { publishReview, rejectReview, replyToReview, withdrawReview, writeReview } from './review-actions.ts';
import { findModerated, listReviewable, listReviews } from './reviews.queries.ts';

export function reviewsRoutes(route: Route, deps: Deps, reviews: PublishedReviews): void {
  route('GET /reviews', ({ query }) => reviews(query));

  const mine = async (userId: string, productId: string | undefined) =>
    (await listReviewable(deps.db, { userId, productId })).map(presentReviewable);
  route('GET /my-reviews', async ({ viewer, query }) => ({ data: await mine(viewer.userId, query.product) }));

  route('PUT /my-reviews/:productId', async ({ viewer: { userId }, params: { productId }, body }) => {
    await writeReview(deps, { userId, productId, ...body });
    // The review may have been deleted in another tab meanwhile.
    return { data: orNotFound((await mine(userId, productId))[0]?.review, 'Review not found') };
  });

  route('DELETE /my-reviews/:productId', ({ viewer: { userId }, params: { productId } }) =>
    withdrawReview(deps, { userId, productId }),
  );

  route('GET /admin/reviews', async ({ query }) => {
    const { rows, ...page } = await listReviews(deps.db, query);
    return { data: rows.map(presentAdminReview), ...page };
  });

  async function changed<B>(
    { params: { id }, body, actor }: ChangeCall<B>,
    change: (deps: Deps, input: B & { id: string; actor: AdminActor }) => Promise<void>,
  ) {
    await change(deps, { id, ...body, actor });
    return { data: presentAdminReview(orNotFound(await findModerated(deps.db, id), 'Review not found')) };
  }

  route('POST /admin/reviews/:id/publish', (call) => changed(call, publishReview));
  route('POST /admin/reviews/:id/reject', (call) => changed(call, rejectReview));
  route('PUT /admin/reviews/:id/reply', (call) => changed(call, replyToReview));
}
