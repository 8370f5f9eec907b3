import { useState } from 'react';
import { v7 as uuidv7 } from 'uuid';
import { uploadedItem } from '../../../../shared/inventory.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Form } from '../../../ui/form-page.tsx';
import { TextArea } from '../../../ui/text-fields.tsx';
import { useAction, useRequiredText } from '../action-dialog.tsx';

interface DeliverFormProps {
  orderId: string;
  line: { _id: string; name: string; quantity: number };
  /** Number of the unit in its line. */
  unit: number;
}

/** Delivers a unit that waits for manual delivery. The typed text becomes the buyer's item. */
export function DeliverForm({ orderId, line, unit }: DeliverFormProps) {
  // Idempotency key: a second press, or a retry after a lost response, delivers once.
  const [draft] = useState(() => uuidv7());
  const content = useRequiredText('Please enter what is delivered');
  const { run, ...form } = useAction({
    send: () =>
      call('POST /admin/orders/:id/deliver-unit', {
        params: { id: orderId },
        body: { line: line._id, unit, content: content.text, draft },
      }),
    successMessage: 'Delivered, and the buyer is told by mail',
    errorMessage: 'It could not be delivered',
  });
  function submit() {
    content.check();
    if (!content.isMissing) run();
  }
  const name = line.quantity > 1 ? `${line.name}, number ${unit}` : line.name;
  return (
    <li className="rounded-md border border-warning p-4">
      <Form {...form} layout="card" action="Deliver" onSubmit={submit} isFilled={!content.isMissing}>
        <TextArea
          {...content.field}
          label={`What is delivered for ${name}`}
          rows={3}
          maxLength={maxLengthOf(uploadedItem)}
          autoComplete="off"
          spellCheck={false}
          hint="Kept encrypted, and shown only on the buyer’s page"
          className="font-mono text-sm"
        />
      </Form>
    </li>
  );
}
