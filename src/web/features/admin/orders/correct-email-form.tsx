import { useState } from 'react';
import { email as emailText } from '../../../../shared/text.ts';
import { call } from '../../../lib/api-client.ts';
import { rememberFocus } from '../../../lib/focus.ts';
import { useIsShown } from '../../../state/late-answer.ts';
import { useToasts } from '../../../state/toasts.tsx';
import { Field } from '../../../ui/input.tsx';
import { useReloadDashboard } from '../admin-queries.ts';
import { FreshCodeForm } from '../fresh-code-form.tsx';
import type { OrderFormProps } from './order-actions.tsx';

/** Corrects the e-mail that a guest mistyped. */
export function CorrectEmailForm({ order, onCancel, onDone }: OrderFormProps) {
  const [email, setEmail] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const { show } = useToasts();
  const isShown = useIsShown();
  const reload = useReloadDashboard();
  const isValid = emailText.safeParse(email).success;
  function checkFields() {
    setIsChecked(true);
    return isValid;
  }
  return (
    <FreshCodeForm
      action="Correct e-mail"
      purpose="Correcting an e-mail"
      send={({ reason, code }) =>
        call('POST /admin/orders/:id/correct-email', { params: { id: order._id }, body: { email, reason, code } })
      }
      onSent={async () => {
        const restoreFocus = rememberFocus();
        await reload();
        show({ type: 'success', message: 'The e-mail is corrected, and both addresses are notified' });
        if (isShown.current) onDone();
        restoreFocus();
      }}
      errorMessage="The e-mail could not be corrected"
      checkFields={checkFields}
      isFilled={email !== ''}
      onCancel={onCancel}>
      <p className="wrap-anywhere">
        The order leaves <strong>{order.contactEmail}</strong>: its links and sessions end, both addresses are notified,
        and the items open an hour later.
      </p>
      <Field
        label="Right e-mail"
        type="email"
        autoComplete="off"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value)}
        error={isChecked && !isValid ? 'Please enter an e-mail address' : undefined}
      />
    </FreshCodeForm>
  );
}
