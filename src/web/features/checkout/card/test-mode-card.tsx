import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ChangeEvent, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/input.tsx';
import { type CardEntry, type CardEntryProps, confirmationOf } from './card-entry.ts';
import {
  type CardDetails,
  cardSchema,
  digitsOf,
  formatCardNumber,
  formatCvc,
  formatExpiry,
  formatInPlace,
  monthAndYear,
} from './card-fields.ts';

const formats = { number: formatCardNumber, expiry: formatExpiry, cvc: formatCvc };
const fieldOfParam: Record<string, keyof CardDetails> = {
  number: 'number',
  exp_month: 'expiry',
  exp_year: 'expiry',
  cvc: 'cvc',
};

const needsChallenge = ({ paymentIntent, error }: TestModeResponse) =>
  (paymentIntent ?? error?.payment_intent)?.status === 'requires_action';

const nextYears = () => `12 / ${String(new Date().getFullYear() + 3).slice(2)}`;

/** The card form of the built-in provider. The card number is kept in this form only. */
export function TestModeCard({ ref, publishableKey, readOnly }: CardEntryProps) {
  const { register, formState, trigger, getValues, setError, setValue } = useForm<CardDetails>({
    resolver: standardSchemaResolver(cardSchema),
    mode: 'onTouched',
    defaultValues: { number: '', expiry: '', cvc: '' },
  });
  const challenge = useChallenge();

  const confirm: CardEntry['confirm'] = async ({ clientSecret, ...billing }) => {
    const payment = { clientSecret, publishableKey };
    try {
      let response = await confirmCard(payment, getValues(), billing);
      if (needsChallenge(response)) response = await post(payment, 'challenge', { outcome: await challenge.ask() });
      const field = fieldOfParam[response.error?.param ?? ''];
      if (field && response.error?.message) setError(field, { message: response.error.message });
      return confirmationOf(response);
    } catch {
      return { outcome: 'unknown' };
    }
  };

  useImperativeHandle(ref, () => ({ check: ({ focus }) => trigger(undefined, { shouldFocus: focus }), confirm }));

  const fieldOf = (name: keyof CardDetails) => {
    const { onChange, ...field } = register(name);
    return {
      ...field,
      onChange: (change: ChangeEvent<HTMLInputElement>) => {
        formatInPlace(change.target, formats[name]);
        return onChange(change);
      },
      error: formState.errors[name]?.message,
      inputMode: 'numeric' as const,
      readOnly,
      className: 'tabular',
    };
  };

  const fillIn = (number: string) => {
    const options = { shouldValidate: true, shouldTouch: true };
    setValue('number', formatCardNumber(number), options);
    setValue('expiry', nextYears(), options);
    setValue('cvc', '123', options);
  };

  return (
    <div className="grid gap-4">
      <TestCards onUse={fillIn} />
      <Field {...fieldOf('number')} label="Card number" autoComplete="cc-number" placeholder="1234 1234 1234 1234" />
      <div className="grid grid-cols-2 items-start gap-4">
        <Field {...fieldOf('expiry')} label="Expiry date" autoComplete="cc-exp" placeholder="MM / YY" />
        <Field {...fieldOf('cvc')} label="Security code" autoComplete="cc-csc" placeholder="CVC" />
      </div>
      <ChallengeDialog isOpen={challenge.isOpen} onAnswer={challenge.give} />
    </div>
  );
}

const cards = [
  { number: '4242424242424242', effect: 'Accepted' },
  { number: '4000002500003155', effect: 'Asks for authentication (3D Secure)' },
  { number: '4000000000000002', effect: 'Declined' },
  { number: '4000000000009995', effect: 'Declined: insufficient funds' },
  { number: '4000000000000127', effect: 'Declined: wrong security code' },
  { number: '4000000000000069', effect: 'Declined: expired card' },
];

/** The test cards (docs/test-mode.md); pressing Use fills one in. */
function TestCards({ onUse }: { onUse: (number: string) => void }) {
  return (
    <details className="rounded-md bg-warning-soft text-sm">
      <summary className="px-4 py-3 font-semibold text-warning">TEST MODE: no money moves. See the test cards</summary>
      <ul className="grid gap-1 px-4 pb-3">
        {cards.map(({ number, effect }) => (
          <li key={number} className="flex items-center justify-between gap-3">
            <span className="min-w-0">
              <span className="tabular block font-semibold">{formatCardNumber(number)}</span>
              <span className="text-muted">{effect}</span>
            </span>
            <Button
              size="sm"
              variant="secondary"
              aria-label={`Use ${formatCardNumber(number)}`}
              onClick={() => onUse(number)}>
              Use
            </Button>
          </li>
        ))}
      </ul>
      <p className="px-4 pb-3 text-muted">Any future expiry date and any security code will do.</p>
    </details>
  );
}

/** Stands in for a bank's 3D Secure page. */
function ChallengeDialog({ isOpen, onAnswer }: { isOpen: boolean; onAnswer: (outcome: ChallengeOutcome) => void }) {
  return (
    <Dialog isOpen={isOpen} onClose={() => onAnswer('fail')} title="Confirm this payment">
      <p>Your bank would ask you here to prove that it is you (3D Secure). In test mode you choose the result.</p>
      <div className="flex flex-col gap-3 sm:flex-row">
        <Button className="flex-1" onClick={() => onAnswer('complete')}>
          Complete authentication
        </Button>
        <Button variant="secondary" className="flex-1" onClick={() => onAnswer('fail')}>
          Fail authentication
        </Button>
      </div>
    </Dialog>
  );
}

type ChallengeOutcome = 'complete' | 'fail';

/** State of the 3D Secure dialog. `ask` opens it and resolves with the outcome that the buyer chose. */
function useChallenge() {
  const [isOpen, setIsOpen] = useState(false);
  const answer = useRef<(outcome: ChallengeOutcome) => void>(undefined);
  const hasLeft = useRef(false);
  // Leaving the screen must end the payment, even if the provider asks its question after that.
  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
      answer.current?.('fail');
    };
  }, []);
  return {
    isOpen,
    async ask(): Promise<ChallengeOutcome> {
      if (hasLeft.current) return 'fail';
      return new Promise((resolve) => {
        answer.current = resolve;
        setIsOpen(true);
      });
    },
    give(outcome: ChallengeOutcome) {
      setIsOpen(false);
      answer.current?.(outcome);
    },
  };
}

const intent = z.object({
  id: z.string(),
  status: z.string(),
  last_payment_error: z.nullish(z.object({ type: z.optional(z.string()), message: z.string() })),
});
const failure = z.object({
  error: z.object({
    type: z.string(),
    message: z.optional(z.string()),
    param: z.optional(z.string()),
    payment_intent: z.optional(intent),
  }),
});

interface TestModeResponse {
  paymentIntent?: z.infer<typeof intent>;
  error?: z.infer<typeof failure>['error'];
}

interface Payment {
  clientSecret: string;
  publishableKey: string;
}

/** Calls the built-in provider (docs/test-mode.md); rejects when the connection is lost. */
async function post(
  { clientSecret, publishableKey }: Payment,
  action: 'confirm' | 'challenge',
  fields: Record<string, string>,
): Promise<TestModeResponse> {
  const intentId = clientSecret.slice(0, clientSecret.indexOf('_secret_'));
  const response = await fetch(`/test-mode/v1/payment_intents/${intentId}/${action}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishableKey}` },
    body: new URLSearchParams({ client_secret: clientSecret, ...fields }),
  });
  const body: unknown = await response.json();
  return response.ok ? responseOf(intent.parse(body)) : { error: failure.parse(body).error };
}

function responseOf(paymentIntent: z.infer<typeof intent>): TestModeResponse {
  const lastError = paymentIntent.last_payment_error;
  if (paymentIntent.status !== 'requires_payment_method' || !lastError) return { paymentIntent };
  return { error: { type: 'card_error', message: lastError.message, payment_intent: paymentIntent } };
}

function confirmCard(payment: Payment, card: CardDetails, billing: { name: string; email: string }) {
  const { month, year } = monthAndYear(card.expiry);
  return post(payment, 'confirm', {
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': digitsOf(card.number),
    'payment_method_data[card][exp_month]': String(month),
    'payment_method_data[card][exp_year]': String(year),
    'payment_method_data[card][cvc]': card.cvc,
    'payment_method_data[billing_details][name]': billing.name,
    'payment_method_data[billing_details][email]': billing.email,
  });
}
