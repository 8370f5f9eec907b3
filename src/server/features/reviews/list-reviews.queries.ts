import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import {
  afterCursor,
  containing,
  isNamed,
  placeOf,
  readCountedIds,
  type Sort,
  searchByWords,
  sortTerms,
  type WordSearch,
} from '../../platform/database/list-queries.ts';
import { type Database, firstRowOf, rowsOf } from '../../platform/database/open-database.ts';
import type { ReviewRow } from '../../platform/database/tables.ts';
import { isReturned, type ReviewedProduct } from './reviews.queries.ts';

export type ModeratedReview = ReviewRow &
  ReviewedProduct & { email: string; order_id: string; returned: boolean; place: string[] };

type ReviewFilter = SearchOf<'GET /admin/reviews'>;

// The first expression of the index reviews_queue.
const isPending = sql`(reviews.state = 'pending')::integer`;

const pendingFirstBy = (pending: RawBuilder<unknown>): Sort => ({
  columns: [
    { value: pending, type: 'integer' },
    { value: sql`reviews.updated_at`, type: 'timestamptz' },
    { value: sql`reviews.id`, type: 'uuid' },
  ],
  direction: 'DESC',
});
const pendingFirst = pendingFirstBy(isPending);

const isListed = ({ state, cursor }: ReviewFilter) => sql<SqlBool>`(
  ${state ? sql`reviews.state = ${state}` : sql`true`} AND ${afterCursor(pendingFirst, cursor)})`;

const moderated = sql`
  SELECT reviews.*, products.kind, products.name, products.image, products.category, products.is_active, users.email,
    order_lines.order_id, ${isReturned} AS returned, ${placeOf(pendingFirst)}
  FROM reviews JOIN users ON users.id = reviews.user_id JOIN products ON products.id = reviews.product_id
    JOIN order_lines ON order_lines.id = reviews.order_line_id`;

export const findModerated = (db: Database, id: string) => firstRowOf<ModeratedReview>(db)`
  ${moderated} WHERE reviews.id = ${id}`;

/** Lists pending reviews first, then the others, each latest first; and how many there are on all pages. */
export async function listReviews(db: Database, filter: ReviewFilter) {
  const { ids, ...counted } = filter.q
    ? await searchReviews(db, filter, filter.q)
    : await readCountedIds(db, filter, inQueue, selectReviews);
  const found = await rowsOf<ModeratedReview>(db)`
    ${moderated} WHERE reviews.id = ANY (${ids}::uuid[]) ORDER BY ${sortTerms(pendingFirst)}`;
  return { found, ...counted };
}

// Sorted by a column of what is selected: the planner would sort all rows again by the expression.
const inQueue = { table: 'reviews', sort: pendingFirstBy(sql`reviews.pending`) };

const selectReviews = (filter: ReviewFilter) =>
  sql`SELECT *, ${isPending} AS pending FROM reviews WHERE ${isListed(filter)}`;

/** Finds reviews by the product, or the author's name or e-mail. `latest` is for tests. */
export const searchReviews = (db: Database, filter: ReviewFilter, q: string, latest?: number) =>
  searchByWords(db, filter, aboutOrBy(q), latest);

function aboutOrBy(q: string): WordSearch<ReviewFilter> {
  const sorted = sql`reviews.id, reviews.updated_at, ${isPending} AS pending`;
  const isSigned = isNamed(['reviews.author'], q);
  const isOfUser = isNamed(['users.email'], q);
  const isAboutProduct = sql`products.name ILIKE ${containing(q)}`;
  return {
    ...inQueue,
    first: (filter, limit) => sql`${selectReviews(filter)} ORDER BY ${sortTerms(pendingFirst)} LIMIT ${limit}`,
    matches: sql`(${isSigned}
      OR (SELECT ${isOfUser} FROM users WHERE users.id = reviews.user_id)
      OR (SELECT ${isAboutProduct} FROM products WHERE products.id = reviews.product_id))`,
    // By the indexes reviews_by_author, users_by_words, and those of the products' names.
    byWords: (filter) => sql`
      SELECT ${sorted} FROM reviews WHERE ${isSigned} AND ${isListed(filter)}
      UNION
      SELECT ${sorted} FROM users JOIN reviews ON reviews.user_id = users.id WHERE ${isOfUser} AND ${isListed(filter)}
      UNION
      SELECT ${sorted} FROM products JOIN reviews ON reviews.product_id = products.id
      WHERE ${isAboutProduct} AND ${isListed(filter)}`,
  };
}
