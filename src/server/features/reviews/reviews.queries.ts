import { type Insertable, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { SearchOf } from '../../../shared/api.ts';
import {
  columnOf,
  type Database,
  firstFieldOf,
  firstRowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import {
  afterCursor,
  containing,
  cutPage,
  isNamed,
  newestFirst,
  onePage,
  type PageStart,
  placeOf,
  readCountedIds,
  type Sort,
  searchByWords,
  sortTerms,
  type WordSearch,
} from '../../platform/database/list-queries.ts';
import type { ItemRow, ProductRow, ReviewRow, Tables } from '../../platform/database/tables.ts';

/** Whether a line of an order has a unit that was delivered and not returned: an item, or a unit in a parcel. */
const hasDeliveredUnit = sql<SqlBool>`(orders.state = 'fulfilled' AND (
  EXISTS (SELECT FROM items WHERE order_line_id = order_lines.id AND items.state = 'sold')
  OR (order_lines.counted_units > 0 AND EXISTS (SELECT FROM parcel_lines WHERE order_line_id = order_lines.id))))`;

const isReturned = sql<boolean>`NOT (SELECT ${hasDeliveredUnit} FROM order_lines JOIN orders ON orders.id = order_id
  WHERE order_lines.id = reviews.order_line_id)`;

// The reviews of a hidden product are hidden, too.
const isOfShownProduct = sql<SqlBool>`EXISTS (SELECT FROM products WHERE products.id = reviews.product_id AND is_active)`;

export type ShownReview = ReviewRow & { returned: boolean };

const newest = newestFirst('reviews');

/** Lists the published reviews of an active product, newest first, with one row more than a page shows. */
export const listPublished = (db: Database, { productId, ...start }: PageStart & { productId: string }) =>
  rowsOf<ShownReview & { place: string[] }>(db)`
    SELECT *, ${isReturned} AS returned, ${placeOf(newest)} FROM reviews
    WHERE product_id = ${productId} AND state = 'published' AND ${isOfShownProduct} ${onePage(newest, start)}`;

export const countByStars = (db: Database, productId: string) => rowsOf<{ stars: number; count: number }>(db)`
  SELECT stars, count(*)::integer AS count FROM reviews
  WHERE product_id = ${productId} AND state = 'published' AND ${isOfShownProduct} GROUP BY stars`;

/** Recalculates a product's rating. The product must be locked before its reviews change, so that none is missed. */
export const refreshRating = (trx: Transaction, productId: string) =>
  sql`
    UPDATE products SET review_count = counted.reviews, rating_tenths = counted.tenths FROM (
      SELECT count(*)::integer AS reviews, coalesce(round(avg(stars) * 10), 0)::integer AS tenths
      FROM reviews WHERE product_id = ${productId} AND state = 'published') AS counted
    WHERE products.id = ${productId}
      AND (review_count, rating_tenths) IS DISTINCT FROM (counted.reviews, counted.tenths)`.execute(trx);

export interface Author {
  userId: string;
  productId: string;
}

/** The latest line of the user's orders that lets them review the product. */
export const findReviewableLine = (trx: Transaction, { userId, productId }: Author) => firstFieldOf<string>(trx)`
  SELECT order_lines.id FROM orders JOIN order_lines ON order_id = orders.id
  WHERE user_id = ${userId} AND product_id = ${productId} AND ${hasDeliveredUnit}
  ORDER BY orders.created_at DESC LIMIT 1`;

const MAX_READ_ITEMS = 1_000;

/** Lists the items of a product that the user has bought and read, newest first. The name of a file is no secret. */
export const listReadItems = (db: Database, { userId, productId }: Author) => rowsOf<ItemRow>(db)`
  SELECT items.* FROM orders JOIN order_lines ON order_id = orders.id JOIN items ON order_line_id = order_lines.id
  WHERE user_id = ${userId} AND order_lines.product_id = ${productId} AND order_lines.delivery <> 'file'
    AND first_viewed_at IS NOT NULL
  ORDER BY first_viewed_at DESC LIMIT ${MAX_READ_ITEMS}`;

/** Locks the author's row, because a review refers to it. Call it before the product is locked. */
export const lockAuthor = (trx: Transaction, userId: string): Promise<{ name: string }> =>
  trx.selectFrom('users').select('name').where('id', '=', userId).forKeyShare().executeTakeFirstOrThrow();

/**
 * Writes a user's only review of a product. If its title, text or stars or the author's name have changed, the review
 * is `pending` again; otherwise only its purchase is updated.
 */
export async function saveReview(trx: Transaction, review: Insertable<Tables['reviews']>): Promise<void> {
  await sql`
    ${trx.insertInto('reviews').values(review)}
    ON CONFLICT (product_id, user_id) DO UPDATE SET author = excluded.author, stars = excluded.stars,
      title = excluded.title, text = excluded.text, updated_at = excluded.updated_at, state = 'pending',
      reject_reason = NULL, version = reviews.version + 1
    WHERE (reviews.author, reviews.stars, reviews.title, reviews.text)
      IS DISTINCT FROM (excluded.author, excluded.stars, excluded.title, excluded.text)`.execute(trx);
  await setPurchase(trx, { userId: review.user_id, productId: review.product_id }, review.order_line_id);
}

/** Sets the purchase that lets a user review a product. */
export const setPurchase = (trx: Transaction, { userId, productId }: Author, line: string) =>
  sql`
    UPDATE reviews SET order_line_id = ${line} WHERE product_id = ${productId} AND user_id = ${userId}`.execute(trx);

export const listProductsOfOrder = (db: Database, orderId: string) => columnOf<string>(db)`
    SELECT DISTINCT product_id FROM order_lines WHERE order_id = ${orderId}`;

/** Lists the reviews of an order's purchases that the owner has not written. */
export const listReviewsOfOthers = (db: Database, orderId: string, ownerId: string | null) => rowsOf<Author>(db)`
  SELECT user_id AS "userId", reviews.product_id AS "productId"
  FROM reviews JOIN order_lines ON order_lines.id = order_line_id
  WHERE order_id = ${orderId} AND user_id IS DISTINCT FROM ${ownerId}`;

export const deleteReview = (trx: Transaction, { userId, productId }: Author) =>
  trx.deleteFrom('reviews').where('user_id', '=', userId).where('product_id', '=', productId).execute();

/** Updates a review and increments its version. */
export async function updateReview(trx: Transaction, id: string, changes: Updateable<Tables['reviews']>) {
  const edit = { ...changes, version: sql<number>`version + 1` };
  await trx.updateTable('reviews').set(edit).where('id', '=', id).execute();
}

export const findReview = (db: Database, id: string): Promise<ReviewRow | undefined> =>
  db.selectFrom('reviews').selectAll().where('id', '=', id).executeTakeFirst();

type ReviewedProduct = Pick<ProductRow, 'kind' | 'name' | 'image' | 'category' | 'is_active'>;
type OwnReview = { [Column in keyof ReviewRow]: ReviewRow[Column] | null };

const MAX_REVIEWABLE = 200;

/**
 * Lists products of which the user got a unit, or which they reviewed; without a review its columns are null. A hidden
 * product has the name and picture of their purchase: an administrator may have changed them since it was hidden.
 */
export function listReviewable(db: Database, { userId, productId }: { userId: string; productId: string | undefined }) {
  const chosen = productId === undefined ? sql`true` : sql`product_id = ${productId}`;
  return rowsOf<OwnReview & ReviewedProduct & { reviewed_id: string; may_review: boolean }>(db)`
    WITH bought AS (
      SELECT product_id, max(orders.created_at) AS at FROM orders JOIN order_lines ON order_id = orders.id
      WHERE user_id = ${userId} AND ${chosen} AND ${hasDeliveredUnit} GROUP BY product_id
    ), written AS (SELECT product_id, created_at AS at FROM reviews WHERE user_id = ${userId} AND ${chosen})
    SELECT products.id AS reviewed_id, kind, coalesce(line.name, products.name) AS name,
      coalesce(line.image, products.image) AS image, category, is_active, bought.at IS NOT NULL AS may_review, reviews.*
    FROM bought FULL JOIN written USING (product_id) JOIN products ON products.id = product_id
    LEFT JOIN LATERAL (
      SELECT order_lines.name, order_lines.image FROM order_lines JOIN orders ON orders.id = order_id
      WHERE order_lines.product_id = products.id AND user_id = ${userId} ORDER BY orders.created_at DESC LIMIT 1
    ) AS line ON NOT is_active
    LEFT JOIN reviews ON reviews.product_id = products.id AND reviews.user_id = ${userId}
    ORDER BY coalesce(bought.at, written.at) DESC, products.id LIMIT ${MAX_REVIEWABLE}`;
}

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

/** Lists a page of pending reviews first, then the others, each latest first; and how many there are on all pages. */
export async function listReviews(db: Database, filter: ReviewFilter) {
  const { ids, ...counted } = filter.q
    ? await searchReviews(db, filter, filter.q)
    : await readCountedIds(db, filter, inQueue, selectReviews);
  const found = await rowsOf<ModeratedReview>(db)`
    ${moderated} WHERE reviews.id = ANY (${ids}::uuid[]) ORDER BY ${sortTerms(pendingFirst)}`;
  return { ...cutPage(found, filter), ...counted };
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
