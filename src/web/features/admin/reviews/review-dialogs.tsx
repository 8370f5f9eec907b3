import { useState } from 'react';
import type { AdminReview } from '../../../../shared/reviews.ts';
import { call } from '../../../lib/api-client.ts';
import { Quote } from '../../../ui/conversation.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { ActionDialog, useAction } from '../action-dialog.tsx';

interface ReviewDialogProps {
  /** Undefined while the dialog is closed. */
  review: AdminReview | undefined;
  onClose(): void;
}

export const RejectDialog = ({ review, onClose }: ReviewDialogProps) => (
  <ActionDialog
    title="Reject this review?"
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
  <Quote title={`${author.name || author.email}: ${stars} of 5 stars`}>
    {title !== '' && `${title}\n`}
    {text}
  </Quote>
);

const MAX_REPLY = 2_000;

export const ReplyDialog = ({ review, onClose }: ReviewDialogProps) => (
  <Dialog title="Reply to this review" isOpen={review !== undefined} onClose={onClose}>
    {review && <ReplyForm review={review} onClose={onClose} />}
  </Dialog>
);

function ReplyForm({ review, onClose }: { review: AdminReview; onClose(): void }) {
  const before = review.reply?.text ?? '';
  const [text, setText] = useState(before);
  const { run, isBusy, problem } = useAction({
    send: () =>
      call('PUT /admin/reviews/:id/reply', { params: { id: review._id }, body: { version: review.version, text } }),
    successMessage: text.trim() === '' ? 'The reply is removed' : 'The reply is saved',
    errorMessage: 'The reply could not be saved',
    onDone: onClose,
  });
  return (
    <Form
      action="Save reply"
      isBusy={isBusy}
      problem={problem}
      onSubmit={run}
      onCancel={onClose}
      isFilled={text !== before}>
      <ReviewText review={review} />
      <TextArea
        label="Reply"
        rows={5}
        maxLength={MAX_REPLY}
        hint={
          review.state === 'published'
            ? 'Everybody reads it below the review'
            : 'Shown with the review once it is published'
        }
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </Form>
  );
}
