import { call } from '../../../lib/api-client.ts';
import { Form } from '../../../ui/form-page.tsx';
import { useAction, useRequiredText } from '../action-dialog.tsx';
import { ItemField } from '../inventory/item-field.tsx';

interface DeliverFormProps {
  orderId: string;
  line: { _id: string; name: string; quantity: number };
  /** Number of the unit in its line. */
  unit: number;
}

/** Delivers a unit that waits for manual delivery. The typed text becomes the buyer's item. */
export function DeliverForm({ orderId, line, unit }: DeliverFormProps) {
  const content = useRequiredText('Please enter what is delivered');
  const { run, ...form } = useAction({
    send: (draft) =>
      call('POST /admin/orders/:id/deliver-unit', {
        params: { id: orderId },
        body: { line: line._id, unit, content: content.text, draft },
      }),
    successMessage: 'Delivered, and the buyer is notified by e-mail',
    errorMessage: 'It could not be delivered',
  });
  function submit() {
    if (content.check()) run();
  }
  const name = line.quantity > 1 ? `${line.name}, number ${unit}` : line.name;
  return (
    <li className="rounded-md border border-warning p-4">
      <Form {...form} layout="card" action="Deliver" onSubmit={submit} isFilled={!content.isMissing}>
        <ItemField
          {...content.field}
          label={`What is delivered for ${name}`}
          hint="Kept encrypted, and shown only on the buyer’s page"
        />
      </Form>
    </li>
  );
}
