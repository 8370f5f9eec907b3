/** A payment intent, as the provider keeps it. Money is integer cents. */
export interface Intent {
  id: string;
  clientSecret: string;
  status: 'requires_payment_method' | 'requires_action' | 'requires_capture' | 'succeeded' | 'canceled';
  /** Grows by one with every change. */
  version: number;
  amountCents: number;
  capturedCents: number;
  refundedCents: number;
  currency: string;
  metadata: Record<string, string>;
  receiptEmail: string | null;
  paymentMethodId: string | null;
  cardBrand: string | null;
  cardLast4: string | null;
  chargeId: string | null;
  lastError: CardError | null;
  /** An authorisation that is not captured by then is cancelled. */
  captureBefore: Date | null;
  canceledAt: Date | null;
  cancellationReason: string | null;
  createdAt: Date;
}

/** Stripe's `last_payment_error`, as far as the provider keeps it. */
export interface CardError {
  /** The charge of a card that a bank declined. Each decline has another charge. */
  charge?: string;
  type: 'card_error';
  code: string;
  decline_code?: string;
  message: string;
}

export interface Refund {
  id: string;
  intentId: string;
  amountCents: number;
  /** A failed or cancelled refund moves no money: its amount is left on the charge again. */
  status: 'pending' | 'succeeded' | 'failed' | 'canceled';
  /** Stripe's `failure_reason`; null unless it failed. */
  failureReason: string | null;
  reason: string | null;
  metadata: Record<string, string>;
  createdAt: Date;
}

/** The end of a refund that was pending, or that a bank sends back after it had succeeded. */
export interface RefundEnd {
  status: Exclude<Refund['status'], 'pending'>;
  /** Stripe's `failure_reason`, for a failed refund. */
  reason?: string;
}

/**
 * A bank's claim against a captured payment: a dispute, or an early fraud warning, of which status, case type and amount
 * mean nothing. A payment has at most one claim of each kind.
 */
export interface Claim {
  id: string;
  intentId: string;
  kind: 'dispute' | 'warning';
  /** An inquiry, which takes no money yet, has a status that begins with `warning_`. */
  status:
    | 'warning_needs_response'
    | 'warning_under_review'
    | 'warning_closed'
    | 'needs_response'
    | 'under_review'
    | 'appeal_needs_response'
    | 'appeal_under_review'
    | 'won'
    | 'lost'
    | 'prevented';
  /** Stripe's `case_type`. A dispute that is prevented gives the money back (`resolution`), or leaves it (`block`). */
  caseType: 'chargeback' | 'inquiry' | 'block' | 'resolution' | 'compliance';
  /** The disputed part of the payment; null: all of it. */
  amountCents: number | null;
  createdAt: Date;
}

/** What makes one dispute differ from another. */
export type DisputeFacts = Pick<Claim, 'status' | 'caseType' | 'amountCents'>;

/** What the answers about claims and refunds say about the charge. */
export type ChargeFacts = Pick<Intent, 'chargeId' | 'currency' | 'capturedCents'>;

export type ClaimOnCharge = Claim & ChargeFacts;

export type RefundOfCharge = Refund & ChargeFacts;

/** The response to a request with an idempotency key, for when the same key is used again. */
export interface StoredResponse {
  key: string;
  requestHash: Buffer;
  requestId: string;
  status: number;
  body: string;
}

/** A webhook event that was not delivered yet. */
export interface StoredEvent {
  id: string;
  type: string;
  /** The JSON exactly as it is signed and sent, however often. */
  payload: string;
  /** Failed deliveries so far. */
  attempts: number;
  /** A process that looks for due events leaves this one alone until then. */
  nextAttemptAt: Date;
}

/** The secret keys open nothing but test mode; they stay on the server all the same. */
export interface Keys {
  publishableKey: string;
  secretKey: string;
  webhookSecret: string;
}

export interface Page {
  createdSince: Date | undefined;
  /** The id of the last entry of the page before. */
  after: string | undefined;
  limit: number;
}

/**
 * Where the provider keeps its state. Several processes may share one store, so each method is atomic: `insertIntent` and
 * `saveIntent` write everything they are given, or return false and write nothing.
 */
export interface Store {
  findKeys(): Promise<Keys | undefined>;
  /** Does nothing when the store has keys. */
  insertKeys(keys: Keys, now: Date): Promise<void>;

  /** The intent, and the stored response to the idempotency key if there is one. */
  findIntent(
    id: string,
    idempotencyKey?: string,
  ): Promise<{ intent: Intent; response: StoredResponse | undefined } | undefined>;
  /** Newest first. */
  listIntents(page: Page): Promise<Intent[]>;
  /** False when the idempotency key of `response` was used before. */
  insertIntent(input: { intent: Intent; response: StoredResponse | undefined; now: Date }): Promise<boolean>;
  /**
   * Replaces version `intent.version` of the intent by `intent`, with the next version number, and inserts or replaces
   * `refund`. False when the stored intent has another version, or the idempotency key of `response` was used before.
   */
  saveIntent(change: {
    intent: Intent;
    events: StoredEvent[];
    refund: Refund | undefined;
    response: StoredResponse | undefined;
    now: Date;
  }): Promise<boolean>;

  findRefund(id: string): Promise<RefundOfCharge | undefined>;
  /** Newest first. */
  listRefunds(page: Page & { intentId: string | undefined }): Promise<RefundOfCharge[]>;

  /** False when the payment has a claim of this kind. */
  insertClaim(input: { claim: Claim; events: StoredEvent[]; now: Date }): Promise<boolean>;
  findClaim(id: string): Promise<ClaimOnCharge | undefined>;
  /** Newest first. */
  listClaims(page: Page & { kind: Claim['kind']; intentId: string | undefined }): Promise<ClaimOnCharge[]>;
  /** Changes a dispute that has the status `from`; false when it has another. */
  saveDispute(change: {
    dispute: Pick<Claim, 'id' | 'status' | 'caseType'>;
    from: Claim['status'];
    events: StoredEvent[];
    now: Date;
  }): Promise<boolean>;

  findResponse(key: string): Promise<StoredResponse | undefined>;
  /** False when the key was used before. */
  insertResponse(response: StoredResponse, now: Date): Promise<boolean>;

  /** Returns events whose `nextAttemptAt` is past and postpones it to `until`, so that no other process takes them. */
  takeDueEvents(input: { now: Date; until: Date; limit: number }): Promise<StoredEvent[]>;
  postponeEvent(event: Pick<StoredEvent, 'id' | 'attempts' | 'nextAttemptAt'>): Promise<void>;
  deleteEvents(ids: string[]): Promise<void>;

  /** Tells whether an error of this store is temporary: the response is then 503 instead of 500. */
  isUnavailable?(error: unknown): boolean;
}
