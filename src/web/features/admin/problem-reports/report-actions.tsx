import { useState } from 'react';
import type { AdminReport } from '../../../../shared/problem-reports.ts';
import { call } from '../../../lib/api-client.ts';
import { Button } from '../../../ui/button.tsx';
import { ActionDialog, useRequiredText } from '../action-dialog.tsx';
import { ItemField } from '../inventory/item-field.tsx';

const stockWords = (available: number) =>
  available === 0 ? 'No other item is in stock to replace it with.' : `${available} in stock to replace it with.`;

/** Closes a report by a replacement or a refund of the item. */
export function ReportActions({ report }: { report: AdminReport }) {
  const [dialog, setDialog] = useState<'replace' | 'refund' | null>(null);
  const content = useRequiredText('Please enter what is delivered');
  const { _id, available, delivery, item } = report;
  const lastMessage = report.messages.at(-1)?._id ?? '';
  const params = { id: _id };
  const isTyped = delivery === 'manual';
  function close() {
    content.clear();
    setDialog(null);
  }
  const name = <strong className="wrap-anywhere">{item.productName}</strong>;
  return (
    <div className="grid gap-2 border-t border-line pt-5">
      <div className="flex flex-wrap gap-3">
        <Button disabled={delivery === 'unique' && available === 0} onClick={() => setDialog('replace')}>
          Replace item
        </Button>
        <Button variant="danger" onClick={() => setDialog('refund')}>
          Refund item
        </Button>
      </div>
      <p className="text-sm text-muted">
        {delivery === 'unique' && `${stockWords(available)} `}Either closes the report; the reported item is never sold
        again.
      </p>
      <ActionDialog
        title="Replace item"
        isOpen={dialog === 'replace'}
        danger={false}
        asksReason={false}
        send={() => {
          const typed = isTyped && { content: content.text };
          return call('POST /admin/problem-reports/:id/replace', { params, body: { lastMessage, ...typed } });
        }}
        successMessage="The buyer has a new item"
        errorMessage="The item could not be replaced"
        isFilled={!content.isMissing}
        checkFields={() => !isTyped || content.check()}
        onClose={close}>
        <p>
          The buyer of {name} gets {delivery === 'unique' ? 'another item from the stock' : 'a new item'}, and a mail.
        </p>
        {isTyped && <ItemField {...content.field} label="What is delivered instead" />}
      </ActionDialog>
      <ActionDialog
        title="Refund item"
        isOpen={dialog === 'refund'}
        asksReason={false}
        send={() => call('POST /admin/problem-reports/:id/refund', { params, body: { lastMessage } })}
        successMessage="The money goes back to the buyer"
        errorMessage="The refund failed"
        onClose={close}>
        <p>The price of one {name} and its tax go back to the card. The item is withdrawn. This cannot be undone.</p>
      </ActionDialog>
    </div>
  );
}
