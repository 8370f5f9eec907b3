import type { Ref } from 'react';

export const PAYMENT_FAILED = 'Payment failed. Please try again.';

export interface ConfirmedPayment {
  id: string;
  status: 'succeeded' | 'requires_capture';
}

export type Confirmation =
  | { outcome: 'authorised'; payment: ConfirmedPayment }
  /** The card was not accepted; the same payment may be tried again. */
  | { outcome: 'refused'; message: string }
  /** This payment has ended; a new one is needed. */
  | { outcome: 'ended' }
  /** The response was lost: only the shop knows whether the card was authorised. */
  | { outcome: 'unknown' };

export interface CardEntry {
  /** Shows errors at their fields and, if `focus` is set, moves the focus to the first of them. */
  check: (options: { focus: boolean }) => Promise<boolean>;
  confirm: (input: { clientSecret: string; name: string; email: string }) => Promise<Confirmation>;
}

export interface CardEntryProps {
  ref: Ref<CardEntry>;
  publishableKey: string;
  readOnly: boolean;
}

interface ProviderIntent {
  id: string;
  status: string;
}

/** The parts of a confirmation response that both providers share. */
export interface ProviderResponse {
  paymentIntent?: ProviderIntent | undefined;
  error?: { type: string; message?: string | undefined; payment_intent?: ProviderIntent | undefined } | undefined;
}

/** Reads the provider's response. An error about an intent that is authorised already counts as authorised. */
export function confirmationOf({ paymentIntent, error }: ProviderResponse): Confirmation {
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
