import type { Ref } from 'react';

/** Shown when the provider or the shop gives no words of its own. */
export const PAYMENT_FAILED = 'Payment failed. Please try again.';

export interface ConfirmedPayment {
  id: string;
  status: 'succeeded' | 'requires_capture';
}

/** What became of one attempt to pay. */
export type Confirmation =
  | { outcome: 'authorised'; payment: ConfirmedPayment }
  /** The card was not accepted; the same payment may be tried again. */
  | { outcome: 'refused'; message: string }
  /** This payment is over; a new one is needed. */
  | { outcome: 'ended' }
  /** The answer was lost: only the shop can say whether the card was authorised. */
  | { outcome: 'unknown' };

export interface CardEntry {
  /** Shows what is missing at its field and moves the focus to the first one when `focus` is set. */
  check: (options: { focus: boolean }) => Promise<boolean>;
  confirm: (input: { clientSecret: string; name: string; email: string }) => Promise<Confirmation>;
}

export interface CardEntryProps {
  ref: Ref<CardEntry>;
  publishableKey: string;
  /** While a payment runs. */
  readOnly: boolean;
}

interface ProviderIntent {
  id: string;
  status: string;
}

/** What both providers answer to a confirmation, as far as it matters here. */
export interface ProviderAnswer {
  paymentIntent?: ProviderIntent | undefined;
  error?:
    | { type: string; message?: string | undefined; payment_intent?: ProviderIntent | undefined }
    | undefined;
}

/** Reads the provider's answer; an error about an intent that is already authorised means paid, not failed. */
export function confirmationOf({ paymentIntent, error }: ProviderAnswer): Confirmation {
  const intent = paymentIntent ?? error?.payment_intent;
  switch (intent?.status) {
    case 'succeeded':
    case 'requires_capture':
      return { outcome: 'authorised', payment: { id: intent.id, status: intent.status } };
    case 'canceled':
      return { outcome: 'ended' };
    case 'processing':
      return { outcome: 'unknown' };
  }
  if (error?.type === 'api_connection_error' || error?.type === 'api_error') return { outcome: 'unknown' };
  return { outcome: 'refused', message: error?.message ?? PAYMENT_FAILED };
}
