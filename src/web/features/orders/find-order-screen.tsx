import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { OPENING_ENDS_RETURN } from '../../../shared/format.ts';
import { LOOKUP_CODE_LENGTH, type OpenedOrder, orderLookupBody } from '../../../shared/order-page.ts';
import { call, codeOf, messageOf } from '../../lib/api-client.ts';
import { DroppedWhenLeft } from '../../lib/dropped-when-left.ts';
import { emailField, emailInput } from '../../lib/form-fields.ts';
import { useCodeCheck, useSendForm } from '../../lib/forms.ts';
import { useTitle } from '../../lib/page.ts';
import { isAnswerLost } from '../../state/answers.ts';
import { useShop } from '../../state/shop.ts';
import { Button, keepFocus } from '../../ui/button.tsx';
import { Form, FormPage, FormProblem, MailboxLink, TextLink } from '../../ui/form-page.tsx';
import { Field } from '../../ui/input.tsx';
import { OrderStatusBadges } from '../../ui/order-parts.tsx';
import { OtpField } from '../../ui/otp-field.tsx';
import { ITEMS_ARE_GONE, isWhollyRefunded, OrderPageHead } from './order-details.tsx';
import { BuyAgainButton, DeliveredGoods, OrderSections } from './order-sections.tsx';
import { ReceiptSheet } from './receipt-screen.tsx';

/** Opens an order by a mailed code, without a password. The opened order is dropped when the screen is left. */
export const FindOrderScreen = () => (
  <DroppedWhenLeft>
    <FindOrder />
  </DroppedWhenLeft>
);

function FindOrder() {
  const [lookup, setLookup] = useState<Lookup | null>(null);
  const [isAsked, setIsAsked] = useState(false);
  const [opened, setOpened] = useState<OpenedOrder | null>(null);
  // The title never contains the order number, because titles stay in the browser's history.
  useTitle('Find my order');

  function startAgain() {
    setOpened(null);
    setIsAsked(false);
    setLookup(null);
  }

  if (opened) return <FoundOrder opened={opened} onBack={() => void keepFocus(startAgain)} />;
  if (lookup && isAsked) {
    const back = () => void keepFocus(() => setIsAsked(false));
    return <LookupCode lookup={lookup} onResent={setLookup} onBack={back} onOpened={setOpened} />;
  }
  function asked(sent: Lookup) {
    setLookup(sent);
    setIsAsked(true);
  }
  return <LookupForm lookup={lookup} onAsked={asked} />;
}

function FoundOrder({ opened, onBack }: { opened: OpenedOrder; onBack: () => void }) {
  const { order, delivered, receipts } = opened;
  // With its own history entry: Back leads to the order, which only a new code could open again.
  const { state } = useLocation() as { state: { receipt?: number } | null };
  const navigate = useNavigate();
  const shown = state?.receipt;
  const receipt = receipts.find(({ number }) => number === shown);
  // Order, receipts and form replace each other under the same URL: reset focus and scroll as for a new screen.
  useEffect(() => {
    document.getElementById('content')?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [shown]);
  const back = (
    <Button variant="quiet" className="-ml-4 justify-self-start" onClick={onBack}>
      Find another order
    </Button>
  );
  const column = 'mx-auto grid w-full max-w-[60rem] grid-cols-1 gap-6 px-4 py-8 sm:px-6 print:max-w-none print:p-0';
  if (receipt) {
    const toOrder = (
      <Button variant="quiet" className="-ml-4" onClick={() => void navigate(-1)}>
        Back to the order
      </Button>
    );
    return (
      <div className={column}>
        <ReceiptSheet receipt={receipt} back={toOrder} />
      </div>
    );
  }
  return (
    <div className={column}>
      <OrderPageHead orderId={order._id} orderedAt={order.createdAt} back={back}>
        <OrderStatusBadges order={order} />
      </OrderPageHead>
      <div>
        <BuyAgainButton order={order} />
      </div>
      {delivered && <DeliveredGoods order={delivered} />}
      {order.hasItems && !delivered && (
        <p className="text-muted">
          {isWhollyRefunded(order) ? ITEMS_ARE_GONE : 'There are no items to open in this order at the moment.'}
        </p>
      )}
      <OrderSections order={order} onReceipt={(number) => void navigate('', { state: { receipt: number } })} />
    </div>
  );
}

const lookupDetails = z.object({
  email: emailField,
  orderNumber: z.string().check(
    z.trim(),
    z.minLength(1, { error: 'Please enter your order number', abort: true }),
    z.refine(
      (value) => orderLookupBody.shape.orderNumber.safeParse(value).success,
      'An order number has 8 characters: the digits 0 to 9 and the letters A to F',
    ),
  ),
});

/** The request for a code, with the id that the mailed code belongs to. */
interface Lookup extends z.infer<typeof lookupDetails> {
  lookupId: string;
}

const ANSWER_LOST = 'Your code works once, and the answer to it did not arrive. Please ask for a new code.';

const NOT_SENT = 'The code could not be sent. Please try again.';

/** `lookup` is the last request; its values fill the form. */
function LookupForm({ lookup, onAsked }: { lookup: Lookup | null; onAsked(lookup: Lookup): void }) {
  const { fieldOf, form } = useSendForm({
    schema: lookupDetails,
    defaultValues: { email: lookup?.email ?? '', orderNumber: lookup?.orderNumber ?? '' },
    send: async (body) => onAsked({ ...body, ...(await call('POST /order-lookup/guest', { body })).data }),
    errorMessage: NOT_SENT,
  });
  return (
    <FormPage title="Find my order" lead="Without signing in: we mail you a code, and with it you open the order here.">
      <Form {...form} action="Send the code">
        <Field {...fieldOf('email')} {...emailInput} autoComplete="email" hint="The one you bought with." />
        <Field
          {...fieldOf('orderNumber')}
          label="Order number"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          hint="8 characters, as in the subject of your order's mail."
          className="tabular uppercase"
        />
      </Form>
      <p className="text-center text-muted">
        Have a password?{' '}
        <TextLink to="/login" state={{ from: '/orders' }}>
          Sign In
        </TextLink>
      </p>
    </FormPage>
  );
}

interface LookupCodeProps {
  lookup: Lookup;
  onResent(lookup: Lookup): void;
  onBack(): void;
  onOpened(opened: OpenedOrder): void;
}

/** Asks for the mailed code. The text is the same whether or not the order exists. */
function LookupCode({ lookup, onResent, onBack, onOpened }: LookupCodeProps) {
  const { lookupId, ...details } = lookup;
  const mailbox = useShop()?.mailbox;
  const [wasAnswerLost, setWasAnswerLost] = useState(false);
  const { code, failure, clear, field, form } = useCodeCheck({
    check: (typed) => call('POST /order-lookup/guest/open', { body: { lookupId, code: typed } }),
    onChecked: ({ data }) => onOpened(data),
    onFailure: (failed) => {
      if (isAnswerLost(failed)) setWasAnswerLost(true);
    },
    errorMessage: 'Verification failed',
  });
  const resend = useMutation({
    mutationFn: () => call('POST /order-lookup/guest', { body: details }),
    onSuccess: ({ data }) => {
      clear();
      setWasAnswerLost(false);
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
          error={wasAnswerLost && codeOf(failure) === 'INVALID_CODE' ? ANSWER_LOST : field.error}
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
      <FormProblem>{resend.error && messageOf(resend.error, NOT_SENT)}</FormProblem>
    </FormPage>
  );
}
