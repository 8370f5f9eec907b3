import { CardElement, Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import { loadStripe } from '@stripe/stripe-js/pure';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useImperativeHandle, useState } from 'react';
import { useTheme } from '../../../state/shop.ts';
import { Skeleton } from '../../../ui/display.tsx';
import { FieldFrame, inputClass } from '../../../ui/field.tsx';
import { NOT_LOADED, NotLoaded } from '../checkout-notices.tsx';
import { type CardEntry, type CardEntryProps, confirmationOf } from './card-entry.ts';

const CARD_ID = 'card-details';
const INCOMPLETE = 'Your card details are incomplete.';

/** Stripe's own card field; card data never reaches the shop. */
export function StripeCard(props: CardEntryProps) {
  const { publishableKey } = props;
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['stripe', publishableKey],
    queryFn: () => loadStripe(publishableKey),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  if (data) {
    return (
      <Elements stripe={data}>
        <StripeCardField {...props} />
      </Elements>
    );
  }
  return isError && !isFetching ? <NotLoaded onRetry={() => void refetch()} /> : <Skeleton className="h-[4.425rem]" />;
}

// Stripe's field is an iframe: it needs colour values, not CSS variables.
function colourOf(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--color-${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const styleOf = () => ({
  base: { color: colourOf('ink'), fontSize: '16px', '::placeholder': { color: colourOf('muted') } },
  invalid: { color: colourOf('danger') },
});

function StripeCardField({ ref, readOnly }: CardEntryProps) {
  const stripe = useStripe();
  const elements = useElements();
  const { theme } = useTheme();
  const [style, setStyle] = useState(styleOf);
  // Runs after the theme class has been set on the page.
  useEffect(() => {
    if (theme) setStyle(styleOf());
  }, [theme]);
  const [isComplete, setIsComplete] = useState(false);
  const [error, setError] = useState<string | undefined>();

  const check: CardEntry['check'] = ({ focus }) => {
    if (isComplete) return Promise.resolve(true);
    setError((shown) => shown ?? INCOMPLETE);
    if (focus) elements?.getElement(CardElement)?.focus();
    return Promise.resolve(false);
  };

  const confirm: CardEntry['confirm'] = async ({ clientSecret, ...billing }) => {
    const card = elements?.getElement(CardElement);
    if (!stripe || !card) return { outcome: 'refused', message: NOT_LOADED };
    return confirmationOf(
      await stripe.confirmCardPayment(clientSecret, { payment_method: { card, billing_details: billing } }),
    );
  };

  useImperativeHandle(ref, () => ({ check, confirm }));

  return (
    <FieldFrame id={CARD_ID} label="Card details" error={error}>
      <CardElement
        id={CARD_ID}
        className={inputClass('py-3')}
        options={{ style, hidePostalCode: true, disabled: readOnly }}
        onChange={(change) => {
          setIsComplete(change.complete);
          setError(change.error?.message);
        }}
      />
    </FieldFrame>
  );
}
