import { useInfiniteQuery } from '@tanstack/react-query';
import { BadgeCheck, MessageSquareText, PencilLine, Store } from 'lucide-react';
import type { Product } from '../../../shared/catalog.ts';
import { formatCount, plural } from '../../../shared/format.ts';
import type { PublicReview, ReviewSummary } from '../../../shared/reviews.ts';
import { messageOf } from '../../lib/api-client.ts';
import { Day } from '../../lib/moment.tsx';
import { useOwnReviews } from '../../state/account-status.ts';
import { reviewsQuery } from '../../state/shop.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Badge, Card, EmptyState, Skeleton } from '../../ui/display.tsx';
import { LoadFailure, LoadMore } from '../../ui/loading.tsx';
import { PersonText, Quote } from '../../ui/prose.tsx';
import { Stars } from '../../ui/stars.tsx';

export function ProductReviews({ product }: { product: Pick<Product, '_id' | 'name'> }) {
  const list = useInfiniteQuery(reviewsQuery(product._id));
  const { data, error } = list;
  const text = messageOf(error, '');
  const summary = data?.pages[0]?.summary;
  const reviews = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section aria-labelledby="reviews" className="mt-16 grid gap-6">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="reviews" className="text-2xl">
          Reviews
        </h2>
        <OwnReviewLink product={product} />
      </div>
      {summary === undefined && error === null && <Skeleton className="h-48" />}
      {summary === undefined && error !== null && (
        <LoadFailure icon={MessageSquareText} heading="h3" title="The reviews did not load" text={text} query={list} />
      )}
      {summary?.numReviews === 0 && (
        <EmptyState icon={MessageSquareText} heading="h3" title="No reviews yet">
          Everybody who has bought and received it can write the first one.
        </EmptyState>
      )}
      {summary !== undefined && summary.numReviews > 0 && (
        <div className="grid items-start gap-x-12 gap-y-6 md:grid-cols-[17rem_minmax(0,1fr)]">
          <Summary summary={summary} />
          <div className="grid gap-6">
            <ul aria-label="Reviews" className="grid gap-4">
              {reviews.map((review) => (
                <li key={review._id}>
                  <Review review={review} />
                </li>
              ))}
            </ul>
            <LoadMore list={list} of="reviews" label="More reviews" />
          </div>
        </div>
      )}
    </section>
  );
}

const reviewCount = (count: number) => `${formatCount(count)} ${plural(count, 'review')}`;

function Summary({ summary: { rating, numReviews, byStars } }: { summary: ReviewSummary }) {
  return (
    <Card className="grid gap-4 p-5">
      <div className="flex items-center gap-4">
        <p className="tabular text-3xl font-bold" aria-hidden>
          {rating.toFixed(1)}
        </p>
        <div className="grid gap-0.5">
          <Stars rating={rating} />
          <p className="text-sm text-muted">{reviewCount(numReviews)}</p>
        </div>
      </div>
      <ul aria-label="By stars" className="tabular grid gap-2 text-sm">
        {byStars
          .map((count, index) => ({ stars: index + 1, count }))
          .toReversed()
          .map(({ stars, count }) => (
            <li key={stars} className="grid grid-cols-[3.75rem_1fr_2rem] items-center gap-3">
              <span className="whitespace-nowrap text-muted">
                {stars} {plural(stars, 'star')}
              </span>
              <span aria-hidden className="h-2 overflow-hidden rounded-full bg-sunken">
                <span
                  className="block h-full rounded-full bg-warning"
                  style={{ width: `${(count / numReviews) * 100}%` }}
                />
              </span>
              <span className="text-right font-semibold">{formatCount(count)}</span>
            </li>
          ))}
      </ul>
      <p className="text-sm text-muted">Only buyers who have received it can review it.</p>
    </Card>
  );
}

function Review({ review: { author, stars, title, text, createdAt, returned, reply } }: { review: PublicReview }) {
  return (
    <Card role="article" aria-label={`Review by ${author}`} className="grid grid-cols-1 gap-3 p-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Stars rating={stars} />
        <span className="font-semibold wrap-anywhere">{author}</span>
        <Badge tone="success">
          <BadgeCheck aria-hidden className="size-3.5" />
          Verified buyer
        </Badge>
        {returned && <Badge>Returned it</Badge>}
        <Day at={createdAt} className="text-sm text-muted sm:ml-auto" />
      </div>
      {title !== '' && (
        <h3 dir="auto" className="text-base wrap-anywhere">
          {title}
        </h3>
      )}
      <PersonText className="max-w-reading">{text}</PersonText>
      {reply && <Quote title={<ReplyTitle at={reply.at} />}>{reply.text}</Quote>}
    </Card>
  );
}

const ReplyTitle = ({ at }: { at: string }) => (
  <span className="flex flex-wrap items-center gap-2">
    <Store aria-hidden className="size-4 text-accent" />
    Reply of the shop
    <Day at={at} className="font-normal text-muted" />
  </span>
);

/** Link to the user's own review; empty for visitors who never received the product. */
function OwnReviewLink({ product: { _id, name } }: { product: Pick<Product, '_id' | 'name'> }) {
  const own = useOwnReviews(_id).data?.[0];
  if (own === undefined) return null;
  const { mayReview, review } = own;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {review?.state === 'pending' && <p className="text-sm text-muted">Your review waits to be published.</p>}
      {(mayReview || review) && (
        <ButtonLink icon={PencilLine} variant="secondary" to={`/review/${_id}`}>
          {review ? 'Your review' : 'Write a review'}
          <span className="sr-only">of {name}</span>
        </ButtonLink>
      )}
    </div>
  );
}
