import { Agent } from 'node:https';
import { Stripe } from 'stripe';
import * as z from 'zod/mini';
import { AppError } from '../../../shared/errors.ts';
import { requiredLine } from '../../../shared/text.ts';
import type { Clock } from '../database/database-clock.ts';
import { type IntentStatus, intentStatuses, type PaymentEvent, type PaymentIntent, type Payments } from './payments.ts';
import {
  callRepeatably,
  checkedClient,
  convertAll,
  createSharedLookup,
  knownStatus,
  listSince,
  read,
  readAll,
  wasReplayed,
  whole,
} from './stripe-calls.ts';
import { createStripeClaims, createStripeRefunds } from './stripe-refunds-and-claims.ts';

const TIMEOUT_MS = 10_000;
// Stripe's recommendation: an older signature may belong to a recorded request that is replayed.
const SIGNATURE_TOLERANCE_SECONDS = 300;
// Tolerance for clock skew. A signature dated further in the future could be replayed for longer.
const SIGNATURE_AHEAD_SECONDS = 30;

interface StripeOptions {
  secretKey: string;
  webhookSecret: string;
  /** Retries by the SDK itself, with the same idempotency key; 2 by default. */
  maxNetworkRetries?: number;
  httpClient?: Stripe.HttpClient;
  /** Written into the metadata of the shop's payments. */
  shopId?: string | undefined;
  clock: Clock;
}

/** The card provider through the official SDK: Stripe itself, or a compatible server. */
export function createStripePayments(options: StripeOptions): Payments {
  const { secretKey, webhookSecret, maxNetworkRetries = 2, clock, shopId } = options;
  const openClient = () => Stripe.createNodeHttpClient(new Agent({ keepAlive: true, lookup: createSharedLookup() }));
  const stripe = new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries,
    telemetry: false,
    httpClient: checkedClient(options.httpClient ?? openClient(), TIMEOUT_MS),
  });

  const retrieveIntent = async (intentId: string) =>
    toIntent(await read(() => stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] })));

  /** Captures or cancels; the intent is done when its status is one of `doneStatuses`. */
  const end = (
    action: 'capture' | 'cancel',
    { intentId, orderId }: { intentId: string; orderId: string },
    doneStatuses: readonly IntentStatus[],
  ) =>
    callRepeatably({
      clock,
      key: `${action}/${orderId}`,
      keyOnMismatch: `${action}/${orderId}/${intentId}`,
      call: async (idempotencyKey) => toIntent(await stripe.paymentIntents[action](intentId, {}, { idempotencyKey })),
      findDone: async () => {
        const intent = await retrieveIntent(intentId);
        return doneStatuses.includes(intent.status) ? intent : undefined;
      },
    });

  return {
    createIntent: ({ orderId, attempt, amountCents, receiptEmail, itemIds }) =>
      callRepeatably({
        clock,
        key: `create/${orderId}/${attempt}`,
        call: async (idempotencyKey) => {
          const intent = await stripe.paymentIntents.create(
            {
              amount: amountCents,
              currency: 'usd',
              capture_method: 'manual',
              allowed_payment_method_types: ['card'],
              metadata: {
                order_id: orderId,
                ...(shopId !== undefined && { shop: shopId }),
                ...metadataOfItems(itemIds),
              },
              receipt_email: receiptEmail,
            },
            { idempotencyKey },
          );
          // A replayed response contains the intent as it was created; it may have been confirmed since.
          return wasReplayed(intent.lastResponse.headers) ? retrieveIntent(intent.id) : toIntent(intent);
        },
        findDone: async () => undefined,
      }),

    retrieveIntent,

    captureIntent: (input) => end('capture', input, ['succeeded']),

    cancelIntent: (input) => end('cancel', input, ['canceled', 'succeeded']),

    findCard: async (intentId) => (await retrieveIntent(intentId)).card,

    listIntents({ createdSince, onUnreadable }) {
      const list = readAll(() => stripe.paymentIntents.list(listSince(createdSince)));
      return convertAll(list, toIntent, onUnreadable);
    },

    ...createStripeRefunds(stripe, clock),
    ...createStripeClaims(stripe),

    readEvent: (rawBody, signature) => readEvent(rawBody, signature, { webhookSecret, clock }),
  };
}

// Stripe's metadata takes 50 values of 500 characters.
const IDS_IN_VALUE = 13;
const MAX_IDS = 45 * IDS_IN_VALUE;

/** Lists the items in the metadata: without its database, the shop still knows what was paid. All ids, or none. */
function metadataOfItems(ids: readonly string[]): Record<string, string> {
  if (ids.length > MAX_IDS) return {};
  const values = Array.from({ length: Math.ceil(ids.length / IDS_IN_VALUE) }, (_, n) =>
    ids.slice(n * IDS_IN_VALUE, (n + 1) * IDS_IN_VALUE).join(' '),
  );
  return { items: String(ids.length), ...Object.fromEntries(values.map((value, n) => [`items_${n + 1}`, value])) };
}

function itemsInMetadata(metadata: Stripe.Metadata): string[] | undefined {
  const ids = Object.keys(metadata)
    .filter((name) => /^items_\d+$/.test(name))
    .flatMap((name) => (metadata[name] ?? '').split(' '));
  return metadata['items'] === String(ids.length) ? ids : undefined;
}

const fieldsOfIntent = z.object({
  id: z.string(),
  amount: z.int(),
  amount_received: z.int(),
  currency: z.string(),
  metadata: z.record(z.string(), z.string()),
  livemode: z.boolean(),
  created: z.int(),
});

function toIntent(answer: Stripe.PaymentIntent): PaymentIntent {
  const intent = whole(answer, fieldsOfIntent);
  return {
    id: intent.id,
    clientSecret: intent.client_secret ?? '',
    status: knownStatus(intentStatuses, intent.status),
    amountCents: intent.amount,
    receivedCents: intent.amount_received,
    currency: intent.currency,
    orderId: intent.metadata['order_id'],
    shopId: intent.metadata['shop'],
    itemIds: itemsInMetadata(intent.metadata),
    liveMode: intent.livemode,
    createdAt: new Date(intent.created * 1000),
    ...factsOfCharge(intent.latest_charge),
    declineId: intent.last_payment_error?.charge,
  };
}

function factsOfCharge(charge: Stripe.PaymentIntent['latest_charge']): Pick<PaymentIntent, 'authorisedAt' | 'card'> {
  if (!charge || typeof charge === 'string') return {};
  const { brand, last4, fingerprint } = charge.payment_method_details?.card ?? {};
  return {
    // A declined card makes a charge, too.
    authorisedAt: charge.paid ? new Date(charge.created * 1000) : undefined,
    card: brand && last4 ? { brand, last4, fingerprint: fingerprint ?? undefined } : undefined,
  };
}

// The signature proves the sender, not the content: the values are compared with and written to the database.
const providerText = requiredLine(255);
const paymentEvent = z.object({
  id: providerText,
  type: providerText,
  paymentIntentId: z.optional(providerText),
  declineId: z.optional(providerText),
});

/** The types of events that the shop acts on. They have an object. */
const ABOUT_PAYMENTS = /^(payment_intent|charge|refund|radar\.early_fraud_warning)\./;

function readEvent(
  rawBody: Buffer,
  signature: string,
  { webhookSecret, clock }: { webhookSecret: string; clock: Clock },
): PaymentEvent {
  const now = clock.now().getTime();
  const invalid = () => new AppError('WEBHOOK_INVALID', 'The webhook is not signed by the payment provider');
  try {
    const tolerance = SIGNATURE_TOLERANCE_SECONDS;
    // Not constructEvent, which rejects the events of other products of Stripe that have no object.
    const { signature: checker } = Stripe.webhooks;
    if (!checker?.verifyHeader(rawBody, signature, webhookSecret, tolerance, undefined, now)) throw invalid();
    // The SDK rejects a signature that is too old, but not a signature dated in the future.
    if (!(signedAt(signature) <= now / 1000 + SIGNATURE_AHEAD_SECONDS)) throw invalid();
    const event = fieldsOf(JSON.parse(rawBody.toString()));
    const { object } = fieldsOf(event['data']);
    if (Object(object) !== object && ABOUT_PAYMENTS.test(String(event['type']))) throw invalid();
    const { charge } = fieldsOf(fieldsOf(object)['last_payment_error']);
    const paymentIntentId = paymentIntentOf(fieldsOf(object));
    return paymentEvent.parse({ ...event, paymentIntentId, declineId: charge ?? undefined });
  } catch {
    throw invalid();
  }
}

/** The fields of an object; none of any other value. */
const fieldsOf = (value: unknown): Record<string, unknown> => Object(value);

/** Returns the `t` of a signature in seconds since 1970; if there are several, the last one, as in the SDK. */
function signedAt(signature: string): number {
  const stamp = signature.split(',').findLast((part) => part.startsWith('t='));
  return Number.parseInt(stamp?.slice(2) ?? '', 10);
}

/** Returns the id of an object's payment intent: charges, disputes and refunds hold the id or, expanded, the intent. */
function paymentIntentOf({ object: kind, id, payment_intent: intent }: Record<string, unknown>): string | undefined {
  const intentId = kind === 'payment_intent' ? id : (fieldsOf(intent)['id'] ?? intent);
  return typeof intentId === 'string' ? intentId : undefined;
}
