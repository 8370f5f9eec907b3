import { Stripe } from 'stripe';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../clock.ts';
import type { IntentStatus, PaymentCard, PaymentEvent, PaymentIntent, Payments } from './payments.ts';
import { callRepeatably, knownStatus, toShopError, wasReplayed } from './stripe-calls.ts';
import { giveRefund, isStanding, listStandingRefunds, refundIdOf, sumOfRefunds } from './stripe-refunds.ts';

const TIMEOUT_MS = 10_000;
// Stripe's recommendation: older signatures may be a recorded request that is played again.
const SIGNATURE_TOLERANCE_SECONDS = 300;
// For clocks that differ a little. A signature dated further ahead could be replayed for longer.
const SIGNATURE_AHEAD_SECONDS = 30;
const PAGE = 100;

export interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  /** How often the SDK itself tries again, with the same idempotency key; 2 unless said. */
  maxNetworkRetries?: number;
  /** Carries the requests elsewhere than to Stripe. */
  httpClient?: Stripe.HttpClient;
  /** Marks the payments as this shop's. */
  shopId?: string | undefined;
  /** Tells the age of a webhook's signature. */
  clock: Clock;
}

/** The card provider through the official SDK; Stripe itself, or whatever speaks its language at another address. */
export function createStripePayments(options: StripeOptions): Payments {
  const { secretKey, webhookSecret, httpClient, maxNetworkRetries = 2, clock, shopId } = options;
  const stripe = new Stripe(secretKey, {
    apiVersion: Stripe.API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries,
    telemetry: false,
    ...(httpClient && { httpClient }),
  });

  const retrieveIntent = async (intentId: string) => {
    try {
      return toIntent(await stripe.paymentIntents.retrieve(intentId));
    } catch (error) {
      throw toShopError(error);
    }
  };
  const intentIf = async (intentId: string, statuses: readonly IntentStatus[]) => {
    const intent = await retrieveIntent(intentId);
    return statuses.includes(intent.status) ? intent : undefined;
  };

  return {
    createIntent: ({ orderId, attempt, amountCents, receiptEmail }) =>
      callRepeatably({
        key: `create/${orderId}/${attempt}`,
        call: async (idempotencyKey) => {
          const intent = await stripe.paymentIntents.create(
            {
              amount: amountCents,
              currency: 'usd',
              capture_method: 'manual',
              allowed_payment_method_types: ['card'],
              metadata: { order_id: orderId, ...(shopId !== undefined && { shop: shopId }) },
              receipt_email: receiptEmail,
            },
            { idempotencyKey },
          );
          // A repeated answer shows the intent as it was made; it may have been confirmed since.
          return wasReplayed(intent.lastResponse.headers) ? retrieveIntent(intent.id) : toIntent(intent);
        },
        standing: async () => undefined,
      }),

    retrieveIntent,

    captureIntent: ({ intentId, orderId }) =>
      callRepeatably({
        key: `capture/${orderId}`,
        keyOnMismatch: `capture/${orderId}/${intentId}`,
        call: async (idempotencyKey) => toIntent(await stripe.paymentIntents.capture(intentId, {}, { idempotencyKey })),
        standing: () => intentIf(intentId, ['succeeded']),
      }),

    cancelIntent: ({ intentId, orderId }) =>
      callRepeatably({
        key: `cancel/${orderId}`,
        keyOnMismatch: `cancel/${orderId}/${intentId}`,
        call: async (idempotencyKey) => toIntent(await stripe.paymentIntents.cancel(intentId, {}, { idempotencyKey })),
        standing: () => intentIf(intentId, ['canceled', 'succeeded']),
      }),

    findCard: (intentId) => findCard(stripe, intentId),

    refundIntent: (input) => giveRefund(stripe, input),

    refundedCents: async (intentId) => sumOfRefunds(await listStandingRefunds(stripe, intentId)),

    listRefunds: async (intentId) =>
      (await listStandingRefunds(stripe, intentId)).map((refund) => ({
        refundId: refundIdOf(refund),
        cents: refund.amount,
      })),

    listAllRefunds: ({ since }) => listAllRefunds(stripe, since),

    listIntents: ({ createdSince }) => listIntents(stripe, createdSince),

    readEvent: (rawBody, signature) => readEvent(rawBody, signature, { webhookSecret, clock }),
  };
}

async function findCard(stripe: Stripe, intentId: string): Promise<PaymentCard | undefined> {
  try {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] });
    if (charge === null || typeof charge === 'string') return undefined;
    const { brand, last4 } = charge.payment_method_details?.card ?? {};
    return brand && last4 ? { brand, last4 } : undefined;
  } catch (error) {
    throw toShopError(error);
  }
}

async function* listIntents(stripe: Stripe, createdSince: Date): AsyncIterable<PaymentIntent> {
  try {
    const page = { created: since(createdSince), limit: PAGE };
    for await (const intent of stripe.paymentIntents.list(page)) yield toIntent(intent);
  } catch (error) {
    throw toShopError(error);
  }
}

async function* listAllRefunds(
  stripe: Stripe,
  refundedSince: Date,
): AsyncIterable<{ intentId: string; cents: number }> {
  try {
    const page = { created: since(refundedSince), limit: PAGE };
    for await (const refund of stripe.refunds.list(page)) {
      const { payment_intent: intent, amount: cents } = refund;
      if (intent && isStanding(refund)) yield { intentId: typeof intent === 'string' ? intent : intent.id, cents };
    }
  } catch (error) {
    throw toShopError(error);
  }
}

const since = (moment: Date) => ({ gte: Math.floor(moment.getTime() / 1000) });

function toIntent(intent: Stripe.PaymentIntent): PaymentIntent {
  return {
    id: intent.id,
    clientSecret: intent.client_secret ?? '',
    status: knownStatus(intentStatuses, intent.status),
    amountCents: intent.amount,
    receivedCents: intent.amount_received,
    currency: intent.currency,
    orderId: intent.metadata['order_id'],
    shopId: intent.metadata['shop'],
    liveMode: intent.livemode,
    createdAt: new Date(intent.created * 1000),
    declineId: intent.last_payment_error?.charge,
  };
}

const intentStatuses: readonly IntentStatus[] = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
];
function readEvent(
  rawBody: Buffer,
  signature: string,
  { webhookSecret, clock }: { webhookSecret: string; clock: Clock },
): PaymentEvent {
  const now = clock.now().getTime();
  const invalid = () => new AppError('WEBHOOK_INVALID', 'The webhook is not signed by the payment provider');
  try {
    const event = Stripe.webhooks.constructEvent(
      rawBody,
      signature,
      webhookSecret,
      SIGNATURE_TOLERANCE_SECONDS,
      undefined,
      now,
    );
    // The SDK refuses what is too old, and nothing that is dated ahead.
    if (!(signedAt(signature) <= now / 1000 + SIGNATURE_AHEAD_SECONDS)) throw invalid();
    const { object } = event.data;
    const declineId = 'last_payment_error' in object ? object.last_payment_error?.charge : undefined;
    return { id: event.id, type: event.type, paymentIntentId: paymentIntentOf(object), declineId };
  } catch {
    throw invalid();
  }
}

/** In seconds since 1970: the `t` of a signature, its last one where there are several, as the SDK reads it. */
function signedAt(signature: string): number {
  const stamp = signature.split(',').findLast((part) => part.startsWith('t='));
  return Number.parseInt(stamp?.slice(2) ?? '', 10);
}

/** Charges, disputes and refunds name their intent, by its id or, expanded, as the object. */
function paymentIntentOf(object: object): string | undefined {
  const {
    object: kind,
    id,
    payment_intent: named,
  } = object as { object?: unknown; id?: unknown; payment_intent?: unknown };
  const intent =
    kind === 'payment_intent' ? id : typeof named === 'object' && named ? (named as { id?: unknown }).id : named;
  return typeof intent === 'string' ? intent : undefined;
}
