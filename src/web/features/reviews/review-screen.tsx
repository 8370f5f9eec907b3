import { useQueryClient } from '@tanstack/react-query';
import { ArrowLeft, PackageX, Trash2 } from 'lucide-react';
import { useEffect, useReducer, useState } from 'react';
import { useController } from 'react-hook-form';
import { Link, useParams } from 'react-router';
import * as z from 'zod/mini';
import { productPath } from '../../../shared/pages.ts';
import { type OwnReview, type Reviewable, type ReviewState, reviewBody } from '../../../shared/reviews.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { filled, maxLengthOf } from '../../lib/form-fields.ts';
import { useSendForm } from '../../lib/forms.ts';
import { useTitle } from '../../lib/page.ts';
import { mineKey, useOwnReviews } from '../../state/account-status.ts';
import { isNotFound, useDialogCall, useLateAnswer } from '../../state/answers.ts';
import { useSession } from '../../state/session.tsx';
import { useToasts } from '../../state/toasts.tsx';
import { Button, ButtonLink, keepFocus } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, Callout, Card, EmptyState, Picture, Skeleton, type Tone } from '../../ui/display.tsx';
import { Form } from '../../ui/form-page.tsx';
import { Field, TextArea } from '../../ui/input.tsx';
import { LoadFailure, Loading } from '../../ui/loading.tsx';
import { Quote } from '../../ui/prose.tsx';
import { StarField } from '../../ui/stars.tsx';

export function ReviewScreen() {
  const { productId = '' } = useParams();
  const query = useOwnReviews(productId);
  const { data, error } = query;
  const own = data?.[0];
  useTitle(own ? `Review of ${own.product.name}` : 'My review');
  return (
    <div className="mx-auto grid w-full max-w-[44rem] gap-4 px-4 py-8 sm:px-6">
      {own ? (
        <OwnReviewCard key={productId} own={own} />
      ) : error && !isNotFound(error) ? (
        <LoadFailure heading="h1" title="This page did not load" text={messageOf(error, '')} query={query} />
      ) : data || error ? (
        <EmptyState
          icon={PackageX}
          heading="h1"
          title="Nothing to review here"
          action={<ButtonLink to="/orders">My Orders</ButtonLink>}>
          Only buyers who have received this product can review it.
        </EmptyState>
      ) : (
        <Loading label="Loading your review">
          <Skeleton className="h-96" />
        </Loading>
      )}
    </div>
  );
}

function OwnReviewCard({ own }: { own: Reviewable }) {
  const { product, mayReview, review } = own;
  // Only a deletion here empties the form: a review that the shop publishes or rejects meanwhile may be half edited.
  const [deletions, countDeletion] = useReducer((count: number) => count + 1, 0);
  const back = product.isActive ? productPath(product) : '/orders';
  return (
    <>
      <Link
        to={back}
        className="inline-flex min-h-11 items-center gap-1 justify-self-start text-sm font-semibold text-muted hover:text-accent-ink">
        <ArrowLeft aria-hidden className="size-4" />
        {product.isActive ? 'Back to the product' : 'Back to Orders'}
      </Link>
      <Card className="grid grid-cols-1 gap-6 p-5 sm:p-8">
        <div className="flex items-center gap-4">
          <Picture src={product.image} category={product.category} className="aspect-4/3 w-24 shrink-0 rounded-md" />
          <div className="grid min-w-0 gap-1">
            <h1 className="text-xl">{review ? 'Your review' : 'Write a review'}</h1>
            <p className="text-muted wrap-anywhere">{product.name}</p>
          </div>
        </div>
        {review && <ReviewStatus review={review} />}
        {mayReview ? (
          <ReviewForm key={deletions} own={own} />
        ) : (
          <Callout tone="neutral">You have given this product back, so the review can only be deleted.</Callout>
        )}
        {review && <DeleteReview product={product} onDeleted={countDeletion} />}
      </Card>
    </>
  );
}

const states: Record<ReviewState, { label: string; tone: Tone; text: string }> = {
  pending: { label: 'Waiting', tone: 'warning', text: 'The shop reads it first. Until then only you can see it.' },
  published: {
    label: 'Published',
    tone: 'success',
    text: 'Everybody can read it. If you change it, the shop reads it again first.',
  },
  rejected: { label: 'Not published', tone: 'danger', text: 'You can change it and send it again.' },
};

function ReviewStatus({ review: { state, rejectReason, reply } }: { review: OwnReview }) {
  const { label, tone, text } = states[state];
  return (
    <div className="grid gap-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{label}</Badge>
        <span className="text-muted">{text}</span>
      </p>
      {rejectReason && <Quote title="Reason of the shop">{rejectReason}</Quote>}
      {reply && <Quote title="Reply of the shop">{reply.text}</Quote>}
    </div>
  );
}

const { title, text } = reviewBody.shape;
const fields = z.object({
  stars: z.int().check(z.minimum(1, 'Please choose one to five stars')),
  title,
  text: filled('Please write a few words', text),
});

const valuesOf = (review: OwnReview | null) => ({
  stars: review?.stars ?? 0,
  title: review?.title ?? '',
  text: review?.text ?? '',
});

function ReviewForm({ own: { product, review } }: { own: Reviewable }) {
  const { user } = useSession();
  const done = useChanged(product._id);
  const { showLate } = useLateAnswer();
  const { fieldOf, form, control, formState, reset } = useSendForm({
    schema: fields,
    defaultValues: valuesOf(review),
    send: async (body) => {
      await call('PUT /my-reviews/:productId', { params: { productId: product._id }, body });
      await done('Thank you! Your review is published once the shop has read it.');
    },
    errorMessage: 'Your review could not be saved',
    onFailure: (_failure, message) => showLate(message),
    keepAs: `review ${user?._id} ${product._id}`,
    keepsDraft: true,
  });
  // The form may have opened with what was known before the review was saved, and then follows what is loaded.
  useEffect(() => reset(valuesOf(review), { keepDirtyValues: true, keepErrors: true }), [review, reset]);
  const { field: stars } = useController({ name: 'stars', control });
  return (
    <Form {...form} action={review ? 'Save review' : 'Send review'} isFilled={formState.isDirty}>
      <StarField label="Your rating" {...stars} error={formState.errors.stars?.message} />
      <Field label="Title" dir="auto" optional maxLength={maxLengthOf(title)} {...fieldOf('title')} />
      <TextArea
        label="Review"
        rows={6}
        required
        maxLength={maxLengthOf(text)}
        hint="What is good about it, and what is not? Please name no keys, passwords or people."
        {...fieldOf('text')}
      />
      <p className="text-sm text-muted">
        It is shown with your first name and the initial of your last name, never with your email.
      </p>
    </Form>
  );
}

type DeleteReviewProps = { product: Reviewable['product']; onDeleted(): void };

function DeleteReview({ product, onDeleted }: DeleteReviewProps) {
  const [isAsked, setIsAsked] = useState(false);
  const close = () => setIsAsked(false);
  return (
    <div className="border-t border-line pt-4">
      <Button icon={Trash2} variant="danger" size="sm" className="min-h-11" onClick={() => setIsAsked(true)}>
        Delete review
      </Button>
      <Dialog title="Delete your review?" isOpen={isAsked} onClose={close}>
        <DeleteForm product={product} onDeleted={onDeleted} onClose={close} />
      </Dialog>
    </div>
  );
}

function DeleteForm({ product, onDeleted, onClose }: DeleteReviewProps & { onClose(): void }) {
  const done = useChanged(product._id);
  const form = useDialogCall({
    send: async () => {
      await keepFocus(async () => {
        await call('DELETE /my-reviews/:productId', { params: { productId: product._id } });
        await done('Your review is deleted');
      });
      onDeleted();
    },
    errorMessage: 'Your review could not be deleted',
    onClose,
  });
  return (
    <Form {...form} action="Delete review" danger onCancel={onClose}>
      <p>Its stars no longer count. You can write another one later.</p>
    </Form>
  );
}

/** Returns a function that reloads the data that a changed review affects, and then shows the message. */
function useChanged(productId: string) {
  const queries = useQueryClient();
  const { user } = useSession();
  const { show } = useToasts();
  return async (message: string) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: mineKey(user?._id, 'reviews') }),
      queries.invalidateQueries({ queryKey: ['reviews', productId] }),
      queries.invalidateQueries({ queryKey: ['product'] }),
    ]);
    show({ type: 'success', message });
  };
}
