import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { v7 } from 'uuid';
import type { ChargeFacts, ClaimOnCharge, Intent, Refund, StoredEvent } from './store.ts';

// The JSON that Stripe's API answers with, as far as this provider knows its fields (docs.stripe.com/api).

/** An id in Stripe's manner, as in `pi_01...`; ids of one kind grow with time, which keeps indexes compact. */
export const newId = (kind: string) => `${kind}_${v7().replaceAll('-', '')}`;

/** 122 random bits as 32 hexadecimal digits. */
export const randomHex = () => randomUUID().replaceAll('-', '');

// Stripe's rule for cards: an authorisation that is not captured within seven days is cancelled.
export const AUTHORISATION_MS = 7 * 24 * 60 * 60 * 1000;

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** The intent as a publishable key may see it. */
export function publicIntentObject(intent: Intent) {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amountCents,
    canceled_at: intent.canceledAt && seconds(intent.canceledAt),
    cancellation_reason: intent.cancellationReason,
    capture_method: 'manual',
    client_secret: intent.clientSecret,
    confirmation_method: 'automatic',
    created: seconds(intent.createdAt),
    currency: intent.currency,
    last_payment_error: intent.lastError,
    livemode: false,
    next_action:
      intent.status === 'requires_action'
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'test_mode_challenge' } }
        : null,
    payment_method: intent.paymentMethodId,
    allowed_payment_method_types: ['card'],
    payment_method_types: ['card'],
    receipt_email: intent.receiptEmail,
    status: intent.status,
  };
}

export function intentObject(intent: Intent) {
  return {
    ...publicIntentObject(intent),
    amount_capturable: intent.status === 'requires_capture' ? intent.amountCents : 0,
    amount_received: intent.capturedCents,
    latest_charge: intent.chargeId,
    metadata: intent.metadata,
  };
}

/** The refund with the id of its charge or, with `expandCharge`, with the charge. */
export function refundObject(
  refund: Refund,
  { chargeId, currency, capturedCents }: ChargeFacts,
  { expandCharge = false } = {},
) {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amountCents,
    charge: expandCharge ? { id: chargeId, object: 'charge', captured: capturedCents > 0, currency } : chargeId,
    created: seconds(refund.createdAt),
    currency,
    ...(refund.failureReason !== null && { failure_reason: refund.failureReason }),
    metadata: refund.metadata,
    payment_intent: refund.intentId,
    reason: refund.reason,
    status: refund.status,
  };
}

/** Returns when the intent's charge was made; the intent may be older. */
const authorisedAt = ({ captureBefore, createdAt }: Intent) =>
  captureBefore ? new Date(captureBefore.getTime() - AUTHORISATION_MS) : createdAt;

export function chargeObject(intent: Intent) {
  // A cancelled authorisation is released in full.
  const refundedCents = intent.status === 'canceled' ? intent.amountCents : intent.refundedCents;
  return {
    id: intent.chargeId,
    object: 'charge',
    amount: intent.amountCents,
    amount_captured: intent.capturedCents,
    amount_refunded: refundedCents,
    captured: intent.capturedCents > 0,
    created: seconds(authorisedAt(intent)),
    currency: intent.currency,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    payment_method_details: { type: 'card', card: { brand: intent.cardBrand, last4: intent.cardLast4 } },
    refunded: refundedCents === intent.amountCents,
    status: 'succeeded',
  };
}

export function claimObject(claim: ClaimOnCharge) {
  const { id, kind, status, caseType, amountCents, chargeId, currency, capturedCents, intentId, createdAt } = claim;
  const common = { id, charge: chargeId, created: seconds(createdAt), livemode: false, payment_intent: intentId };
  if (kind === 'warning')
    return { ...common, object: 'radar.early_fraud_warning', actionable: true, fraud_type: 'misc' };
  return {
    ...common,
    object: 'dispute',
    amount: amountCents ?? capturedCents,
    currency,
    payment_method_details: { type: 'card', card: { brand: 'visa', case_type: caseType } },
    reason: 'fraudulent',
    status,
  };
}

export function listObject(url: string, data: object[], hasMore: boolean) {
  return { object: 'list', url, has_more: hasMore, data };
}

// The process that writes or takes an event has this long to deliver it; then the event is due for any process.
const LEASE_MS = 15_000;

export const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_MS);

export function newEvent(type: string, object: object, now: Date): StoredEvent {
  const id = newId('evt');
  const payload = JSON.stringify({
    id,
    object: 'event',
    api_version: Stripe.API_VERSION,
    created: seconds(now),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: null,
    type,
  });
  return { id, type, payload, attempts: 0, nextAttemptAt: leaseEnd(now) };
}

interface ErrorObject {
  type: 'card_error' | 'invalid_request_error' | 'idempotency_error' | 'api_error';
  code?: string;
  decline_code?: string;
  message: string;
  param?: string;
}

/** A request that the provider refuses: the HTTP status and Stripe's error object. */
export class RequestRefused extends Error {
  readonly status: number;
  readonly details: ErrorObject;

  constructor(status: number, details: ErrorObject) {
    super(details.message);
    this.name = 'RequestRefused';
    this.status = status;
    this.details = details;
  }
}

export const invalidRequest = (message: string, details: { code?: string; param?: string } = {}) =>
  new RequestRefused(400, { type: 'invalid_request_error', ...details, message });

const paramOfKind = { payment_intent: 'intent', refund: 'id', claim: 'id', PaymentMethod: 'payment_method' };

/** Makes the error for a missing object, also for a wrong client secret, so that nobody learns which intents exist. */
export const noSuchObject = (kind: keyof typeof paramOfKind, id: string) =>
  new RequestRefused(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: paramOfKind[kind],
    message: `No such ${kind}: '${id}'`,
  });
