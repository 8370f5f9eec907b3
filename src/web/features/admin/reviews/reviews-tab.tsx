import { MessageSquareText } from 'lucide-react';
import { useState } from 'react';
import { isolated, orderNumber } from '../../../../shared/format.ts';
import { productPath } from '../../../../shared/pages.ts';
import { type AdminReview, type ReviewState, replyText, reviewState } from '../../../../shared/reviews.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { useKeptState } from '../../../lib/forms.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Badge, Card, Picture, type Tone } from '../../../ui/display.tsx';
import { Select } from '../../../ui/field.tsx';
import { Form, FormProblem, TextLink } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/input.tsx';
import { PersonText, Quote } from '../../../ui/prose.tsx';
import { Stars } from '../../../ui/stars.tsx';
import { ActionDialog, useAction, useKeepAs } from '../action-dialog.tsx';
import { ListHeading, SearchedList, useSearchedList } from '../admin-list.tsx';
import { useDashboardUrl, useListFilters, useStats } from '../dashboard.ts';

const states: Record<ReviewState, { label: string; tone: Tone }> = {
  pending: { label: 'Waiting', tone: 'warning' },
  published: { label: 'Published', tone: 'success' },
  rejected: { label: 'Rejected', tone: 'danger' },
};

const stateNames = Object.fromEntries(Object.entries(states).map(([state, { label }]) => [state, label]));

const searched = ({ product, author }: AdminReview) => [product.name, author.name, author.email];

export function ReviewsTab() {
  const { set } = useDashboardUrl();
  const { status: state } = useListFilters(reviewState.options);
  const list = useSearchedList('GET /admin/reviews', state ? { state } : {}, searched);
  const { data: stats } = useStats();
  const [open, setOpen] = useState<{ dialog: 'reject' | 'reply'; review: AdminReview }>();
  const close = () => setOpen(undefined);
  // The current version, which the author may change meanwhile: the shop accepts decisions about the newest only.
  const opened = list.entries.find(({ _id }) => _id === open?.review._id) ?? open?.review;
  const waiting = stats && `${stats.pendingReviews || 'None'} to approve`;
  return (
    <div className="grid grid-cols-1 gap-5">
      <ListHeading title="Reviews" list={list} of="reviews" count={waiting}>
        <div className="max-sm:w-full sm:w-48">
          <Select
            label="Status"
            none="All Status"
            options={stateNames}
            value={state ?? ''}
            onChange={({ target }) => set({ status: target.value })}
          />
        </div>
      </ListHeading>
      <SearchedList
        list={list}
        of="reviews"
        placeholder="Product, name or email"
        icon={MessageSquareText}
        onClear={state !== undefined && (() => set({ status: '' }))}
        whenEmpty={
          state
            ? `No review is ${states[state].label.toLowerCase()}`
            : 'Reviews will appear here once buyers write them'
        }>
        <ul aria-label="Reviews" aria-busy={list.isRefreshing} className="grid grid-cols-1 gap-4">
          {list.entries.map((review) => (
            <li key={review._id}>
              <ReviewCard
                review={review}
                onReject={() => setOpen({ dialog: 'reject', review })}
                onReply={() => setOpen({ dialog: 'reply', review })}
              />
            </li>
          ))}
        </ul>
      </SearchedList>
      <RejectDialog review={open?.dialog === 'reject' ? opened : undefined} onClose={close} />
      <Dialog title="Reply to this review" isOpen={open?.dialog === 'reply'} onClose={close}>
        {opened && <ReplyForm review={opened} onClose={close} />}
      </Dialog>
    </div>
  );
}

function ReviewCard({ review, onReject, onReply }: { review: AdminReview; onReject(): void; onReply(): void }) {
  const { _id, product, author, orderId, state, version } = review;
  const { run, isBusy, problem } = useAction({
    send: () => call('POST /admin/reviews/:id/publish', { params: { id: _id }, body: { version } }),
    successMessage: 'The review is published',
    errorMessage: 'The review could not be published',
  });
  const { label, tone } = states[state];
  const of = `the review of ${product.name} by ${author.name || author.email}`;
  const reply = review.reply ? 'Change reply' : 'Reply';
  return (
    <Card role="article" aria-labelledby={`review-${_id}`} className="grid grid-cols-1 gap-4 p-4 sm:p-5">
      <div className="flex items-start gap-4">
        <Picture src={product.image} category={product.category} className="aspect-4/3 w-16 shrink-0 rounded-sm" />
        <div className="grid min-w-0 flex-1 gap-1">
          <h3 dir="auto" id={`review-${_id}`} className="text-left text-base wrap-anywhere">
            {product.isActive ? <TextLink to={productPath(product)}>{product.name}</TextLink> : product.name}
          </h3>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Stars rating={review.stars} />
            <Badge tone={tone}>{label}</Badge>
            {review.returned && <Badge>Returned it</Badge>}
          </p>
        </div>
      </div>
      <div className="grid gap-1">
        {review.title !== '' && <PersonText className="font-semibold">{review.title}</PersonText>}
        <PersonText className="max-w-reading">{review.text}</PersonText>
      </div>
      {review.rejectReason && <Quote title="Rejected">{review.rejectReason}</Quote>}
      {review.reply && <Quote title="Your reply">{review.reply.text}</Quote>}
      <p className="text-sm text-muted wrap-anywhere">
        <TextLink to={`/admin/users/${author._id}`}>{isolated(author.name || author.email)}</TextLink>
        {author.name && ` · ${author.email}`} ·{' '}
        <TextLink to={`/admin/orders/${orderId}`}>Order #{orderNumber(orderId)}</TextLink> ·{' '}
        <Moment at={review.updatedAt} />
      </p>
      <FormProblem>{problem}</FormProblem>
      <div className="flex flex-wrap gap-3 border-t border-line pt-4">
        {state !== 'published' && (
          <Button size="sm" className="min-h-11" loading={isBusy} aria-label={`Publish ${of}`} onClick={run}>
            Publish
          </Button>
        )}
        <Button variant="secondary" size="sm" className="min-h-11" aria-label={`${reply} to ${of}`} onClick={onReply}>
          {reply}
        </Button>
        {state !== 'rejected' && (
          <Button variant="danger" size="sm" className="min-h-11" aria-label={`Reject ${of}`} onClick={onReject}>
            Reject
          </Button>
        )}
      </div>
    </Card>
  );
}

const RejectDialog = ({ review, onClose }: { review: AdminReview | undefined; onClose(): void }) => (
  <ActionDialog
    title="Reject this review?"
    about={review?._id}
    action="Reject"
    isOpen={review !== undefined}
    send={async (reason) => {
      if (!review) return;
      const { _id: id, version } = review;
      await call('POST /admin/reviews/:id/reject', { params: { id }, body: { version, reason } });
    }}
    successMessage="The review is rejected"
    errorMessage="The review could not be rejected"
    hint="Its author reads it"
    onClose={onClose}>
    {review && <ReviewText review={review} />}
    <p>It is not shown, and its stars do not count. Its author can change it and send it again.</p>
  </ActionDialog>
);

const ReviewText = ({ review: { stars, title, text, author } }: { review: AdminReview }) => (
  <Quote title={`${isolated(author.name || author.email)}: ${stars} of 5 stars`}>
    {title !== '' && `${title}\n`}
    {text}
  </Quote>
);

function ReplyForm({ review, onClose }: { review: AdminReview; onClose(): void }) {
  const before = review.reply?.text ?? '';
  const [text, setText] = useKeptState(useKeepAs('reply', review._id), before);
  const { run, ...form } = useAction({
    send: () =>
      call('PUT /admin/reviews/:id/reply', { params: { id: review._id }, body: { version: review.version, text } }),
    successMessage: text.trim() === '' ? 'The reply is removed' : 'The reply is saved',
    errorMessage: 'The reply could not be saved',
    onDone: onClose,
  });
  return (
    <Form {...form} action="Save reply" onSubmit={run} onCancel={onClose} focused isFilled={text !== before}>
      <ReviewText review={review} />
      <TextArea
        label="Reply"
        rows={5}
        maxLength={maxLengthOf(replyText)}
        hint={
          review.state === 'published'
            ? 'Everybody can read it below the review'
            : 'Shown with the review once it is published'
        }
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </Form>
  );
}
