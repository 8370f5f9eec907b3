import * as z from 'zod/mini';
import { type CardDetails, digitsOf, monthAndYear } from './card-fields.ts';

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

export interface TestModeResponse {
  paymentIntent?: z.infer<typeof intent>;
  error?: z.infer<typeof failure>['error'];
}

interface Payment {
  clientSecret: string;
  publishableKey: string;
}

/** Calls the built-in provider (docs/test-mode.md); rejects when the connection is lost. */
async function post(payment: Payment, action: 'confirm' | 'challenge', fields: Record<string, string>) {
  const { clientSecret, publishableKey } = payment;
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

export function confirmCard(
  payment: Payment,
  card: CardDetails,
  billing: { name: string; email: string },
): Promise<TestModeResponse> {
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

/** Sends the buyer's answer to the 3D Secure question. */
export function answerChallenge(payment: Payment, outcome: 'complete' | 'fail'): Promise<TestModeResponse> {
  return post(payment, 'challenge', { outcome });
}
