export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'processing'
  | 'requires_capture'
  | 'canceled'
  | 'succeeded';

/** The provider's payment intent, as far as the shop relies on it. Money is integer cents. */
export interface PaymentIntent {
  id: string;
  clientSecret: string;
  status: IntentStatus;
  amountCents: number;
  /** Captured so far. */
  receivedCents: number;
  /** Lower-case ISO 4217. */
  currency: string;
  /** `metadata.order_id`; undefined on an intent that this shop did not make. */
  orderId: string | undefined;
  /** `metadata.shop`: whose payment it is, on an account that other software uses, too. */
  shopId: string | undefined;
  liveMode: boolean;
  createdAt: Date;
  /** Of the latest declined card, its charge; undefined without one. */
  declineId: string | undefined;
}

export interface Refund {
  id: string;
  status: 'pending' | 'succeeded' | 'failed' | 'canceled' | 'requires_action';
}

/** What a buyer recognises a card by. */
export interface PaymentCard {
  /** In the provider's spelling, e.g. "visa". */
  brand: string;
  last4: string;
}

/** What a signed webhook says: only which intent it is about; the shop then asks the provider for the rest. */
export interface PaymentEvent {
  id: string;
  type: string;
  paymentIntentId: string | undefined;
  /** The charge of a declined card, where the event names one. */
  declineId?: string | undefined;
}

/**
 * The card provider. Every method is safe to repeat: calls that move money carry idempotency keys made of the order's
 * id. A final refusal throws PaymentRefused; anything that may pass later throws AppError PAYMENT_PROVIDER_UNAVAILABLE.
 */
export interface Payments {
  /** Manual capture, card only, key `create/{order}/{attempt}`. */
  createIntent(input: {
    orderId: string;
    attempt: number;
    amountCents: number;
    receiptEmail: string;
  }): Promise<PaymentIntent>;
  retrieveIntent(intentId: string): Promise<PaymentIntent>;
  /** Key `capture/{order}`. */
  captureIntent(input: { intentId: string; orderId: string }): Promise<PaymentIntent>;
  /** Answers the intent as it stands afterwards: `canceled`, or `succeeded` when a capture came first. */
  cancelIntent(input: { intentId: string; orderId: string }): Promise<PaymentIntent>;
  /**
   * In full, key `refund/{order}`; or one of several refunds of an order, key `refund/{order}/{refund}`: `amountCents` of
   * it, or all that is left. Each is given once, also long after the provider has forgotten its key.
   */
  refundIntent(input: {
    intentId: string;
    orderId: string;
    oneOfSeveral?: { refundId: string; amountCents: number | undefined } | undefined;
  }): Promise<Refund>;
  /** The card that paid an intent; undefined where the provider does not tell it. */
  findCard(intentId: string): Promise<PaymentCard | undefined>;
  /** What was given back of an intent so far, by us or by hand at the provider. */
  refundedCents(intentId: string): Promise<number>;
  /** The same one by one. `refundId` is what we named it by; one given by hand has none. */
  listRefunds(intentId: string): Promise<{ refundId: string | undefined; cents: number }[]>;
  /** Everything that was given back since then, newest first. */
  listAllRefunds(input: { since: Date }): AsyncIterable<{ intentId: string; cents: number }>;
  /** Newest first. */
  listIntents(input: { createdSince: Date }): AsyncIterable<PaymentIntent>;
  /** Checks the signature over the raw body; throws AppError WEBHOOK_INVALID. */
  readEvent(rawBody: Buffer, signature: string): PaymentEvent;
}

/** The provider said no for good: declined, wrong state, authorisation lapsed. */
export class PaymentRefused extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = 'PaymentRefused';
    this.reason = reason;
  }
}
