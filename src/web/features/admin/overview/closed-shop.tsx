import { useState } from 'react';
import type { Api } from '../../../../shared/api.ts';
import { closedText, DEFAULT_CLOSED_MESSAGE } from '../../../../shared/closing.ts';
import type { OutputOf } from '../../../../shared/endpoint.ts';
import { call } from '../../../lib/api-client.ts';
import { maxLengthOf } from '../../../lib/form-fields.ts';
import { Moment } from '../../../lib/moment.tsx';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { Field } from '../../../ui/input.tsx';
import { ActionDialog } from '../action-dialog.tsx';
import { useAdminData } from '../admin-queries.ts';
import { useDashboardUrl } from '../dashboard-url.ts';

const HINT = 'For administrators only, kept in the audit log';

/** Says that the shop is closed, with a button to open it. Renders nothing while the shop is open. */
export function ClosedShop() {
  const { data: closed } = useAdminData(['closed'], async () => (await call('GET /admin/shop/closed')).data);
  return closed && <Closed closed={closed} />;
}

type Closing = NonNullable<OutputOf<Api['GET /admin/shop/closed']>['data']>;

function Closed({ closed }: { closed: Closing }) {
  const [isOpening, setIsOpening] = useState(false);
  return (
    <Section heading="h3" title="The shop is closed">
      <p>
        No new payments since <Moment at={closed.since} />: <span className="wrap-anywhere">{closed.reason}</span>
      </p>
      <p className="text-muted wrap-anywhere">Buyers read: {closed.message}</p>
      <Button className="justify-self-start" onClick={() => setIsOpening(true)}>
        Open the shop
      </Button>
      <ActionDialog
        title="Open the shop"
        isOpen={isOpening}
        danger={false}
        send={(reason) => call('POST /admin/shop/open', { body: { reason } })}
        successMessage="The shop takes payments"
        errorMessage="The shop could not be opened"
        onClose={() => setIsOpening(false)}
        hint={HINT}>
        <p>Buyers can pay again at once.</p>
      </ActionDialog>
    </Section>
  );
}

export function CloseShopDialog() {
  const { get, set } = useDashboardUrl();
  const [message, setMessage] = useState('');
  function close() {
    setMessage('');
    set({ dialog: '' });
  }
  return (
    <ActionDialog
      title="Close the shop"
      isOpen={get('dialog') === 'close'}
      send={(reason) => call('POST /admin/shop/close', { body: { reason, ...(message.trim() && { message }) } })}
      successMessage="The shop takes no new payments"
      errorMessage="The shop could not be closed"
      onClose={close}
      isFilled={message.trim() !== ''}
      hint={HINT}>
      <p>No new payment begins. What was paid is delivered, and buyers still see the shop and their orders.</p>
      <Field
        label="Text for buyers (optional)"
        maxLength={maxLengthOf(closedText)}
        hint={`Otherwise: ${DEFAULT_CLOSED_MESSAGE}`}
        value={message}
        onChange={({ target }) => setMessage(target.value)}
      />
    </ActionDialog>
  );
}
