import { type AdminOrderPage, orderNoteBody } from '../../../../shared/admin-orders.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Section } from '../../../ui/card.tsx';
import { Form } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { useAction, useRequiredText } from '../action-dialog.tsx';

/** Notes about an order, which only administrators see. */
export function OrderNotes({ order }: { order: AdminOrderPage }) {
  const note = useRequiredText('Please write a note');
  const { run, ...form } = useAction({
    check: note.check,
    send: (draft) =>
      call('POST /admin/orders/:id/notes', { params: { id: order._id }, body: { text: note.text, draft } }),
    successMessage: 'The note is written',
    errorMessage: 'The note could not be written',
    onDone: note.clear,
  });
  return (
    <Section title="Notes">
      {order.notes.length === 0 && <p className="text-sm text-muted">No notes yet.</p>}
      <ol aria-label="Notes" className="grid gap-4 text-sm empty:hidden">
        {order.notes.map(({ _id, text: words, author, at }) => (
          <li key={_id} className="grid gap-0.5">
            <p className="text-base wrap-anywhere whitespace-pre-wrap">{words}</p>
            <p className="text-muted wrap-anywhere">
              {author}, <Moment at={at} />
            </p>
          </li>
        ))}
      </ol>
      <Form {...form} layout="dialog" action="Add note" onSubmit={run}>
        <TextArea
          {...note.field}
          label="New note"
          rows={3}
          hint="For administrators only: the buyer never sees it"
          maxLength={maxLengthOf(orderNoteBody.shape.text)}
        />
      </Form>
    </Section>
  );
}
