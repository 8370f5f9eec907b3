import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ChangeEvent, useImperativeHandle } from 'react';
import { useForm } from 'react-hook-form';
import { Field } from '../../../ui/field.tsx';
import { type CardEntry, type CardEntryProps, confirmationOf } from '../card/card-entry.ts';
import { formatCardNumber, formatCvc, formatExpiry, formatInPlace } from './card-format.ts';
import { type CardDetails, cardSchema } from './card-schema.ts';
import { ChallengeDialog } from './challenge-dialog.tsx';
import { TestCards } from './test-cards.tsx';
import { answerChallenge, confirmCard, type TestModeAnswer } from './test-mode-client.ts';
import { useChallenge } from './use-challenge.ts';

const formats = { number: formatCardNumber, expiry: formatExpiry, cvc: formatCvc };
const fieldOfParam: Record<string, keyof CardDetails> = {
  number: 'number',
  exp_month: 'expiry',
  exp_year: 'expiry',
  cvc: 'cvc',
};

const asksBuyer = ({ paymentIntent, error }: TestModeAnswer) =>
  (paymentIntent ?? error?.payment_intent)?.status === 'requires_action';

const nextYears = () => `12 / ${String(new Date().getFullYear() + 3).slice(2)}`;

/** The card form of the built-in provider. What is typed here lives in this form only. */
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
      let answer = await confirmCard(payment, getValues(), billing);
      if (asksBuyer(answer)) answer = await answerChallenge(payment, await challenge.ask());
      const field = fieldOfParam[answer.error?.param ?? ''];
      if (field && answer.error?.message) setError(field, { message: answer.error.message });
      return confirmationOf(answer);
    } catch {
      return { outcome: 'unknown' };
    }
  };

  useImperativeHandle(ref, () => ({
    check: ({ focus }) => trigger(undefined, { shouldFocus: focus }),
    confirm,
  }));

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
      <Field
        {...fieldOf('number')}
        label="Card number"
        autoComplete="cc-number"
        placeholder="1234 1234 1234 1234"
      />
      <div className="grid grid-cols-2 items-start gap-4">
        <Field {...fieldOf('expiry')} label="Expiry date" autoComplete="cc-exp" placeholder="MM / YY" />
        <Field {...fieldOf('cvc')} label="Security code" autoComplete="cc-csc" placeholder="CVC" />
      </div>
      <ChallengeDialog isOpen={challenge.isOpen} onAnswer={challenge.give} />
    </div>
  );
}
