import { Stripe } from 'stripe';
import type { TestModeIntentRow, TestModeRefundRow } from '../../database/test-mode-tables.ts';
import { newId } from './ids.ts';

const seconds = (date: Date) => Math.floor(date.getTime() / 1000);

/** The intent as a publishable key may see it. */
export function publicIntentObject(intent: TestModeIntentRow) {
  return {
    id: intent.id,
    object: 'payment_intent',
    amount: intent.amount_cents,
    canceled_at: intent.canceled_at && seconds(intent.canceled_at),
    cancellation_reason: intent.cancellation_reason,
    capture_method: 'manual',
    client_secret: intent.client_secret,
    confirmation_method: 'automatic',
    created: seconds(intent.created_at),
    currency: intent.currency,
    last_payment_error: intent.last_error,
    livemode: false,
    next_action:
      intent.status === 'requires_action'
        ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'test_mode_challenge' } }
        : null,
    payment_method: intent.payment_method_id,
    allowed_payment_method_types: ['card'],
    payment_method_types: ['card'],
    receipt_email: intent.receipt_email,
    status: intent.status,
  };
}

export function intentObject(intent: TestModeIntentRow) {
  return {
    ...publicIntentObject(intent),
    amount_capturable: intent.status === 'requires_capture' ? intent.amount_cents : 0,
    amount_received: intent.captured_cents,
    latest_charge: intent.charge_id,
    metadata: intent.metadata,
  };
}

export function refundObject(
  refund: TestModeRefundRow,
  intent: { charge_id: string | null; currency: string },
) {
  return {
    id: refund.id,
    object: 'refund',
    amount: refund.amount_cents,
    charge: intent.charge_id,
    created: seconds(refund.created_at),
    currency: intent.currency,
    metadata: refund.metadata,
    payment_intent: refund.intent_id,
    reason: refund.reason,
    status: 'succeeded',
  };
}

export function chargeObject(intent: TestModeIntentRow) {
  return {
    id: intent.charge_id,
    object: 'charge',
    amount: intent.amount_cents,
    amount_captured: intent.captured_cents,
    amount_refunded: intent.refunded_cents,
    captured: intent.captured_cents > 0,
    created: seconds(intent.created_at),
    currency: intent.currency,
    livemode: false,
    metadata: intent.metadata,
    paid: true,
    payment_intent: intent.id,
    payment_method_details: {
      type: 'card',
      card: { brand: intent.card_brand, last4: intent.card_last4 },
    },
    refunded: intent.refunded_cents === intent.amount_cents,
    status: 'succeeded',
  };
}

export function disputeObject(intent: TestModeIntentRow, now: Date) {
  return {
    id: newId('dp'),
    object: 'dispute',
    amount: intent.captured_cents,
    charge: intent.charge_id,
    created: seconds(now),
    currency: intent.currency,
    livemode: false,
    payment_intent: intent.id,
    reason: 'fraudulent',
    status: 'needs_response',
  };
}

/** An event with its payload exactly as it is signed and sent, however often. */
export interface ProviderEvent {
  id: string;
  type: string;
  payload: string;
}

export function providerEvent(type: string, object: object, now: Date): ProviderEvent {
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
  return { id, type, payload };
}

export function listObject(url: string, data: object[], hasMore: boolean) {
  return { object: 'list', url, has_more: hasMore, data };
}
