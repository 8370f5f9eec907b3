import { useMutation } from '@tanstack/react-query';
import { OPENING_ENDS_RETURN } from '../../../shared/order-words.ts';
import { LOOKUP_CODE_LENGTH, type OpenedOrder } from '../../../shared/orders.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { useCodeCheck } from '../../lib/use-code-check.ts';
import { useShop } from '../../state/shop.ts';
import { Button } from '../../ui/button.tsx';
import { Form, FormPage, FormProblem } from '../../ui/form-page.tsx';
import { OtpField } from '../../ui/otp-field.tsx';
import { MailboxLink } from '../../ui/verify-email.tsx';
import type { Lookup } from './find-order-screen.tsx';

interface LookupCodeProps {
  lookup: Lookup;
  onResent(lookup: Lookup): void;
  onBack(): void;
  onOpened(opened: OpenedOrder): void;
}

/** Asks for the mailed code, with the same words whether or not such an order exists. */
export function LookupCode({ lookup, onResent, onBack, onOpened }: LookupCodeProps) {
  const { lookupId, ...details } = lookup;
  const mailbox = useShop()?.mailbox;
  const { code, clear, field, form } = useCodeCheck({
    check: (typed) => call('POST /order-lookup/guest/open', { body: { lookupId, code: typed } }),
    onChecked: ({ data }) => onOpened(data),
    errorMessage: 'Verification failed',
  });
  const resend = useMutation({
    mutationFn: () => call('POST /order-lookup/guest', { body: details }),
    onSuccess: ({ data }) => {
      clear();
      onResent({ ...lookup, ...data });
    },
  });
  return (
    <FormPage
      title="Enter the code"
      lead={
        <>
          If there is an order with this number and address, a mail with a 6-digit code is on its way to{' '}
          <strong className="wrap-anywhere text-ink">{details.email}</strong>. The code works for 10 minutes.
        </>
      }>
      <Form {...form} action="Open the order" disabled={code.length !== LOOKUP_CODE_LENGTH}>
        <OtpField
          {...field}
          focused
          label="Code from the mail"
          length={LOOKUP_CODE_LENGTH}
          hint="Please enter a 6-digit code"
        />
      </Form>
      <p className="text-center text-sm text-muted">{OPENING_ENDS_RETURN}</p>
      <MailboxLink path={mailbox} />
      <div className="grid grid-cols-[auto_1fr] gap-2">
        <Button variant="secondary" onClick={onBack}>
          Back
        </Button>
        <Button variant="secondary" loading={resend.isPending} onClick={() => resend.mutate()}>
          Send a new code
        </Button>
      </div>
      <p role="status" className="text-center text-sm text-muted empty:hidden">
        {resend.isSuccess &&
          'A new code is on its way, under the same condition. Only the newest works, and we send at most three an hour.'}
      </p>
      <FormProblem>{resend.error && messageOf(resend.error, 'Verification failed')}</FormProblem>
    </FormPage>
  );
}
