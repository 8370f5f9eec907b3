import type { Api } from '../../../shared/api.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import { MAX_STARS } from '../../../shared/reviews.ts';
import type { Deps } from '../../deps.ts';
import { cutPage, type PageStart } from '../../platform/database/list-queries.ts';
import { createResponseCache } from '../../platform/http/response-cache.ts';
import type { SerializedBody } from '../../platform/http/serialized-body.ts';
import { presentReview } from './present-review.ts';
import { countByStars, listPublished } from './reviews.queries.ts';

const PAGE_SIZE = 10;

/** The published reviews of a product, for the API and for the page that embeds them. */
export type PublishedReviews = (query: PageStart & { product: string }) => Promise<SerializedBody>;

export type ReviewPage = OutputOf<Api['GET /reviews']>;

export function createPublishedReviews({ db, clock }: Pick<Deps, 'db' | 'clock'>): PublishedReviews {
  const cached = createResponseCache(clock);

  return ({ product: productId, limit = PAGE_SIZE, cursor }) =>
    cached(JSON.stringify([productId, limit, cursor]), async (): Promise<Omit<ReviewPage, 'success'>> => {
      const [found, counted] = await Promise.all([
        listPublished(db, { productId, limit, cursor }),
        countByStars(db, productId),
      ]);
      const { rows, nextCursor } = cutPage(found, { limit });
      return { data: rows.map(presentReview), nextCursor, summary: summaryOf(counted) };
    });
}

function summaryOf(counted: { stars: number; count: number }[]) {
  const byStars = Array.from({ length: MAX_STARS }, (_, index) => {
    return counted.find(({ stars }) => stars === index + 1)?.count ?? 0;
  });
  const numReviews = byStars.reduce((sum, count) => sum + count, 0);
  const sum = byStars.reduce((total, count, index) => total + count * (index + 1), 0);
  // Must round as refreshRating does.
  return { rating: numReviews === 0 ? 0 : Math.round((sum * 10) / numReviews) / 10, numReviews, byStars };
}
