import { isAppError } from '../../../shared/errors.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import type { Metrics, ProviderOutcome } from '../metrics/metrics.ts';
import { unless } from '../system-errors.ts';
import type { Tracing } from '../tracing/tracing.ts';

export const intentStatuses = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'processing',
  'requires_capture',
  'canceled',
  'succeeded',
] as const;

export type IntentStatus = (typeof intentStatuses)[number];

/** The provider's payment intent, as far as the shop relies on it. Money is integer cents. */
export interface PaymentIntent {
  id: string;
  clientSecret: string;
  status: IntentStatus;
  amountCents: number;
  receivedCents: number;
  currency: string;
  /** `metadata.order_id`; undefined on an intent that this shop did not make. */
  orderId: string | undefined;
  /** `metadata.shop`: the shop that made the intent. Other software may use the same account. */
  shopId: string | undefined;
  /** The items that the order held when the intent was created; undefined if the metadata does not list them. */
  itemIds: readonly string[] | undefined;
  liveMode: boolean;
  createdAt: Date;
  /** When the card was authorised, in whole seconds. Known only for an intent that was retrieved by its id. */
  authorisedAt?: Date | undefined;
  /** The card of the latest charge. Known only for an intent retrieved by its id, if the provider returns it. */
  card?: (PaidCard & { fingerprint?: string | undefined }) | undefined;
  /** The charge of the latest declined card; undefined without one. */
  declineId: string | undefined;
}

/** Whether the card was authorised: the money is reserved for the shop, or captured. */
export const isAuthorised = ({ status }: Pick<PaymentIntent, 'status'>): boolean =>
  status === 'requires_capture' || status === 'succeeded';

export const refundStatuses = ['pending', 'succeeded', 'failed', 'canceled', 'requires_action'] as const;

/** A refund as the provider has it. Money is integer cents. */
export interface ProviderRefund {
  id: string;
  status: (typeof refundStatuses)[number];
  cents: number;
  /** The shop's id of the refund. Undefined for refunds in the dashboard and full refunds (without `oneOfSeveral`). */
  refundId: string | undefined;
  /** In the provider's spelling, e.g. "expired_or_canceled_card". */
  failure: string | undefined;
  createdAt: Date;
}

/** Whether the refund's money has gone back or is on its way. The money of a failed refund is the shop's again. */
export const isValid = ({ status }: Pick<ProviderRefund, 'status'>): boolean =>
  status !== 'failed' && status !== 'canceled';

/**
 * A claim of a card's bank against a payment. An inquiry leaves the money with the shop, which may refund it; when it
 * becomes a dispute, it keeps its id. An early fraud warning stays open.
 */
export interface PaymentClaim {
  id: string;
  cause: 'dispute' | 'inquiry' | 'fraud-warning';
  /** `won`: decided for the shop, or closed. `lost`: decided for the cardholder. */
  outcome: 'open' | 'won' | 'lost';
  /** What is disputed, which may be a part of the payment; undefined for a warning, and in a currency other than USD. */
  cents?: number;
}

/**
 * Called for an entry of a list that the shop cannot read, e.g. because it does not know its status. Then the list goes
 * on; without this function, the list throws.
 */
export type OnUnreadable = (error: unknown, providerId: string) => void;

/** A signed webhook. The shop takes only the ids from it, and reads everything else from the provider. */
export interface PaymentEvent {
  id: string;
  type: string;
  paymentIntentId?: string | undefined;
  /** The charge of a declined card, where the event has one. */
  declineId?: string | undefined;
}

/**
 * The card provider. Every method is safe to repeat: calls that move money carry idempotency keys of the order's id. A
 * final rejection throws PaymentRefused; a transient failure PAYMENT_PROVIDER_UNAVAILABLE.
 */
export interface Payments {
  /** Creates an intent with manual capture, for cards. Idempotency key `create/{order}/{attempt}`; keeps `itemIds`. */
  createIntent(input: {
    orderId: string;
    attempt: number;
    amountCents: number;
    receiptEmail: string;
    /** The items that the order holds, sorted: the same for each attempt. */
    itemIds: readonly string[];
  }): Promise<PaymentIntent>;
  retrieveIntent(intentId: string): Promise<PaymentIntent>;
  /** Captures the whole amount. Idempotency key: `capture/{order}`. */
  captureIntent(input: { intentId: string; orderId: string }): Promise<PaymentIntent>;
  /** Cancels the intent and returns it: `canceled`, or `succeeded` when a capture came first. */
  cancelIntent(input: { intentId: string; orderId: string }): Promise<PaymentIntent>;
  /**
   * Makes the full refund of an order (key `refund/{order}`), or one of several refunds (key `refund/{order}/{refund}`)
   * of `amountCents` or, if undefined, of all that is left. Each refund is made once, even after the provider has
   * forgotten its key. A later `attempt` has its own key, and makes another refund only if the earlier attempts have
   * failed.
   */
  refundIntent(input: {
    intentId: string;
    orderId: string;
    oneOfSeveral?: { refundId: string; amountCents: number | undefined; attempt?: number } | undefined;
  }): Promise<ProviderRefund>;
  /** The card that paid, if the provider returns it. `fingerprint` is the same for all payments with one card. */
  findCard(intentId: string): Promise<PaymentIntent['card']>;
  /** The sum of all valid refunds of an intent so far, including those made at the provider by hand. */
  refundedCents(intentId: string): Promise<number>;
  /** The refunds of an intent, newest first, including failed refunds, but not releases of reserved money. */
  listRefunds(intentId: string): Promise<ProviderRefund[]>;
  /** All refunds since then, newest first, including failed ones. */
  listAllRefunds(input: {
    since: Date;
    onUnreadable?: OnUnreadable;
  }): AsyncIterable<ProviderRefund & { intentId: string }>;
  listClaims(intentId: string): Promise<PaymentClaim[]>;
  /** The payments against which a claim was made since then. A payment may appear more than once. */
  listClaimedIntents(input: { since: Date }): AsyncIterable<string>;
  /** Newest first. */
  listIntents(input: { createdSince: Date; onUnreadable?: OnUnreadable }): AsyncIterable<PaymentIntent>;
  /** Checks the signature over the raw body; throws AppError WEBHOOK_INVALID. */
  readEvent(rawBody: Buffer, signature: string): PaymentEvent;
}

/** The reason of PaymentRefused when a refund is refused because of a dispute. */
export const REFUSED_AS_DISPUTED = 'charge_disputed';

/** A final rejection by the provider: card declined, wrong state, authorisation lapsed. */
export class PaymentRefused extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'PaymentRefused';
    this.reason = reason;
  }
}

export const unlessRefused = unless((error) => error instanceof PaymentRefused);

/** Counts, times and traces every call of the provider; for a list, only the request of its first page. */
export function observePayments(
  payments: Payments,
  { metrics: { providerCall }, tracing }: { metrics: Metrics; tracing: Tracing },
): Payments {
  async function observe<T>(call: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const end = (outcome: ProviderOutcome) => providerCall(call, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const result = await tracing.inSpan({ name: `provider ${call}`, kind: 'client' }, work);
      end('ok');
      return result;
    } catch (error) {
      end(outcomeOf(error));
      throw error;
    }
  }

  async function* observeList<T>(call: string, list: AsyncIterable<T>): AsyncIterable<T> {
    const rows = list[Symbol.asyncIterator]();
    const first = await observe(call, () => rows.next());
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => rows };
  }

  return {
    createIntent: (input) => observe('createIntent', () => payments.createIntent(input)),
    retrieveIntent: (intentId) => observe('retrieveIntent', () => payments.retrieveIntent(intentId)),
    captureIntent: (input) => observe('captureIntent', () => payments.captureIntent(input)),
    cancelIntent: (input) => observe('cancelIntent', () => payments.cancelIntent(input)),
    refundIntent: (input) => observe('refundIntent', () => payments.refundIntent(input)),
    findCard: (intentId) => observe('findCard', () => payments.findCard(intentId)),
    refundedCents: (intentId) => observe('refundedCents', () => payments.refundedCents(intentId)),
    listRefunds: (intentId) => observe('listRefunds', () => payments.listRefunds(intentId)),
    listAllRefunds: (input) => observeList('listAllRefunds', payments.listAllRefunds(input)),
    listClaims: (intentId) => observe('listClaims', () => payments.listClaims(intentId)),
    listClaimedIntents: (input) => observeList('listClaimedIntents', payments.listClaimedIntents(input)),
    listIntents: (input) => observeList('listIntents', payments.listIntents(input)),
    readEvent: (rawBody, signature) => payments.readEvent(rawBody, signature),
  };
}

function outcomeOf(error: unknown): ProviderOutcome {
  if (error instanceof PaymentRefused) return 'refused';
  return isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE') ? 'unavailable' : 'failed';
}
