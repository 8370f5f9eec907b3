import type { Api, SearchOf } from '../../../shared/api.ts';
import type { OutputOf } from '../../../shared/endpoint.ts';
import {
  type AdminReview,
  MAX_STARS,
  type OwnReview,
  type PublicReview,
  type Reviewable,
} from '../../../shared/reviews.ts';
import type { Deps } from '../../deps.ts';
import { cutPage } from '../../platform/database/list-queries.ts';
import type { ReviewRow } from '../../platform/database/tables.ts';
import { createResponseCache, type SerializedBody } from '../../platform/http/response-cache.ts';
import {
  countByStars,
  listPublished,
  type listReviewable,
  type ModeratedReview,
  type ShownReview,
} from './reviews.queries.ts';

const NAMELESS = 'A buyer';
const MAX_FIRST_NAME = 30;
/** In these scripts a full name has no space. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * Returns the first name and the initial of the last name. For a Chinese, Japanese or Korean name without a space,
 * returns its first character. An e-mail in place of a name is not shown.
 */
export function maskedName(name: string): string {
  const [first = '', ...others] = name.split(/\s+/).filter((word) => word !== '' && !word.includes('@'));
  if (first === '') return NAMELESS;
  const initial = [...(others.at(-1) ?? '')][0];
  const shown = [...first].slice(0, MAX_FIRST_NAME).join('');
  if (!initial && UNSPACED.test(first)) return `${[...first][0]}**`;
  return initial ? `${shown} ${initial.toUpperCase()}.` : shown;
}

/** The part that the author and everybody else see. */
const writtenPart = ({ reply, replied_at: repliedAt, ...row }: ReviewRow) => ({
  stars: row.stars,
  title: row.title,
  text: row.text,
  createdAt: row.created_at.toISOString(),
  reply: reply === null || repliedAt === null ? null : { text: reply, at: repliedAt.toISOString() },
});

const presentReview = (row: ShownReview): PublicReview => ({
  ...writtenPart(row),
  _id: row.id,
  author: maskedName(row.author),
  returned: row.returned,
});

const presentOwnReview = (row: ReviewRow): OwnReview => ({
  ...writtenPart(row),
  state: row.state,
  rejectReason: row.reject_reason,
});

type ReviewableRow = Awaited<ReturnType<typeof listReviewable>>[number];

export const presentReviewable = (row: ReviewableRow): Reviewable => ({
  product: presentReviewed({ ...row, product_id: row.reviewed_id }),
  mayReview: row.may_review,
  review: row.id === null ? null : presentOwnReview(row as ReviewRow),
});

export const presentAdminReview = (row: ModeratedReview): AdminReview => ({
  ...presentOwnReview(row),
  _id: row.id,
  product: presentReviewed(row),
  author: { _id: row.user_id, name: row.author, email: row.email },
  orderId: row.order_id,
  updatedAt: row.updated_at.toISOString(),
  returned: row.returned,
  version: row.version,
});

const presentReviewed = (
  row: Pick<ModeratedReview, 'product_id' | 'kind' | 'name' | 'image' | 'category' | 'is_active'>,
) => ({
  _id: row.product_id,
  kind: row.kind,
  name: row.name,
  image: row.image,
  category: row.category,
  isActive: row.is_active,
});

const PAGE_SIZE = 10;

/** The published reviews of a product, for the API and for the page that embeds them. */
export type PublishedReviews = (query: SearchOf<'GET /reviews'>) => Promise<SerializedBody>;

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
