import * as z from 'zod/mini';
import { productKind } from './catalog.ts';
import { dataResponse, type Endpoints, forAdmins, forAll, forCustomers, listResponse, okResponse } from './endpoint.ts';
import { reason } from './inventory.ts';
import { page, pageQuery, pageStart, uncountedPage } from './paging.ts';
import { id, idParams, line, requiredText, text, timestamp } from './text.ts';

export const MAX_STARS = 5;

const stars = z.int().check(z.minimum(1), z.maximum(MAX_STARS));

export const reviewState = z.enum(['pending', 'published', 'rejected']);
export type ReviewState = z.infer<typeof reviewState>;

export const reviewBody = z.object({ stars, title: line(120), text: requiredText(4_000) });

export const replyText = text(2_000);
const reply = z.nullable(z.object({ text: z.string(), at: timestamp }));

const reviewedProduct = z.object({
  _id: id,
  kind: productKind,
  name: z.string(),
  image: z.string(),
  category: z.string(),
  isActive: z.boolean(),
});

const publicReview = z.object({
  _id: id,
  /** First name and initial; never the full name or the e-mail. */
  author: z.string(),
  stars,
  /** May be empty. */
  title: z.string(),
  text: z.string(),
  createdAt: timestamp,
  /** The author no longer has the product: it was refunded or its payment was disputed. */
  returned: z.boolean(),
  reply,
});
export type PublicReview = z.infer<typeof publicReview>;

const reviewSummary = z.object({
  /** Average of 1 to 5 stars with one decimal; 0 without reviews. */
  rating: z.number(),
  numReviews: z.int(),
  /** Number of reviews with 1, 2, 3, 4 and 5 stars. */
  byStars: z.array(z.int()),
});
export type ReviewSummary = z.infer<typeof reviewSummary>;

const ownReview = z.object({
  stars,
  title: z.string(),
  text: z.string(),
  state: reviewState,
  rejectReason: z.nullable(z.string()),
  reply,
  createdAt: timestamp,
});
export type OwnReview = z.infer<typeof ownReview>;

const reviewable = z.object({
  product: reviewedProduct,
  /** The user has a delivered unit that was not refunded, and so may write or change the review. */
  mayReview: z.boolean(),
  review: z.nullable(ownReview),
});
export type Reviewable = z.infer<typeof reviewable>;

const adminReview = z.extend(ownReview, {
  _id: id,
  product: reviewedProduct,
  author: z.object({ _id: id, name: z.string(), email: z.string() }),
  orderId: id,
  updatedAt: timestamp,
  returned: z.boolean(),
  /** Version of the author's text; see `moderated`. */
  version: z.int(),
});
export type AdminReview = z.infer<typeof adminReview>;

/** The version that was shown; the call is rejected (409 EDIT_CONFLICT) if the author has changed the review since. */
const moderated = { version: z.int() };

const moderates = { params: idParams, errors: ['EDIT_CONFLICT'], output: dataResponse(adminReview) } as const;

const productParams = z.object({ productId: id });

export const reviewEndpoints = {
  'GET /reviews': forAll('Published reviews of a product, newest first, and its stars', {
    limit: 'catalogue',
    query: z.object({ product: id, ...pageStart }),
    output: z.extend(uncountedPage(publicReview), { summary: reviewSummary }),
  }),
  'GET /my-reviews': forCustomers('The products that I may review or have reviewed, latest purchase first', {
    query: z.object({ product: z.optional(id) }),
    output: listResponse(reviewable),
  }),
  'PUT /my-reviews/:productId': forCustomers(
    'Review a product that was delivered to me, or change my review; an administrator publishes it',
    {
      params: productParams,
      body: reviewBody,
      errors: ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED'],
      output: dataResponse(ownReview),
    },
  ),
  'DELETE /my-reviews/:productId': forCustomers('Delete my review of a product', {
    params: productParams,
    errors: ['RATE_LIMITED'],
    output: okResponse,
  }),
  'GET /admin/reviews': forAdmins('Reviews: those that wait for an administrator first, then the latest', {
    query: z.object({ ...pageQuery, state: z.optional(reviewState) }),
    output: page(adminReview),
  }),
  'POST /admin/reviews/:id/publish': forAdmins('Publish a review; 409 when its author changed it since `version`', {
    ...moderates,
    body: z.object(moderated),
  }),
  'POST /admin/reviews/:id/reject': forAdmins('Reject a review, or take it down; its author reads the reason', {
    ...moderates,
    body: z.object({ ...moderated, reason }),
  }),
  'PUT /admin/reviews/:id/reply': forAdmins(
    'Reply to a review in the name of the shop; an empty text removes the reply',
    { ...moderates, body: z.object({ ...moderated, text: replyText }) },
  ),
} as const satisfies Endpoints;
