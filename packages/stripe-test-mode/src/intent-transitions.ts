import type { CardError, Intent, Refund, RefundEnd } from './store.ts';
import { AUTHORISATION_MS, invalidRequest, newId, RequestRefused } from './stripe-objects.ts';
import { isRefundedLater, type TestCard } from './test-cards.ts';

export type IntentEventType =
  | 'payment_intent.amount_capturable_updated'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'charge.refunded'
  | RefundEventType;

/** The events of a refund that ends after the response to its request. */
type RefundEventType = 'refund.updated' | 'refund.failed';

/**
 * The changes that a request makes. The functions of this file are pure: the caller saves their result, or decides
 * again.
 */
export interface Transition {
  next: Intent;
  events: IntentEventType[];
  refund?: Refund;
  /** The change is saved, and the request is answered with this refusal. */
  problem?: RequestRefused;
}

const authenticationFailed: CardError = {
  type: 'card_error',
  code: 'payment_intent_authentication_failure',
  message: 'We are unable to authenticate your payment method. Please try again or use another card.',
};

export function confirmIntent(intent: Intent, card: TestCard, now: Date): Transition {
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') {
    throw unexpectedState(intent.status, 'confirmed');
  }
  const presented: Intent = {
    ...intent,
    paymentMethodId: newId('pm'),
    cardBrand: card.brand,
    cardLast4: card.last4,
    lastError: null,
  };
  if (card.verdict === 'authorised') return authorise(presented, now);
  if (card.verdict === 'challenge') return { next: { ...presented, status: 'requires_action' }, events: [] };
  return decline(presented, card.verdict, new RequestRefused(402, card.verdict));
}

export function finishChallenge(intent: Intent, outcome: 'complete' | 'fail', now: Date): Transition {
  if (intent.status !== 'requires_action') throw unexpectedState(intent.status, 'authenticated');
  return outcome === 'complete' ? authorise(intent, now) : decline(intent, authenticationFailed);
}

function authorise(intent: Intent, now: Date): Transition {
  return {
    next: {
      ...intent,
      status: 'requires_capture',
      chargeId: newId('ch'),
      captureBefore: new Date(now.getTime() + AUTHORISATION_MS),
    },
    events: ['payment_intent.amount_capturable_updated'],
  };
}

// As at Stripe, the intent can be confirmed again with another card.
function decline(intent: Intent, error: CardError, problem?: RequestRefused): Transition {
  return {
    next: {
      ...intent,
      status: 'requires_payment_method',
      paymentMethodId: null,
      lastError: { ...error, ...(problem && { charge: newId('ch') }) },
    },
    events: ['payment_intent.payment_failed'],
    ...(problem && { problem }),
  };
}

export function captureIntent(intent: Intent): Transition {
  if (intent.status !== 'requires_capture') throw unexpectedState(intent.status, 'captured');
  return {
    next: { ...intent, status: 'succeeded', capturedCents: intent.amountCents },
    events: ['payment_intent.succeeded'],
  };
}

export function cancelIntent(intent: Intent, reason: string | null, now: Date): Transition {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpectedState(intent.status, 'canceled');
  }
  const next: Intent = { ...intent, status: 'canceled', canceledAt: now, cancellationReason: reason };
  if (intent.status !== 'requires_capture') return { next, events: ['payment_intent.canceled'] };
  // As at Stripe, the release of reserved money is a refund of a charge that was never captured.
  const release = {
    amountCents: intent.amountCents,
    reason: reason === 'automatic' ? 'expired_uncaptured_charge' : null,
    metadata: {},
  };
  return {
    next,
    events: ['charge.refunded', 'payment_intent.canceled'],
    refund: { ...newRefund(intent, release, now), status: 'succeeded' },
  };
}

/** Returns the cancellation of an authorisation whose seven days are over; undefined before that. */
export function lapseIntent(intent: Intent, now: Date): Transition | undefined {
  const lapsed = intent.status === 'requires_capture' && intent.captureBefore && intent.captureBefore <= now;
  return lapsed ? cancelIntent(intent, 'automatic', now) : undefined;
}

interface RefundRequest extends Pick<Refund, 'reason' | 'metadata'> {
  /** Undefined: the rest of what was captured. */
  amountCents: number | undefined;
  isChargedBack: boolean;
}

export function refundIntent(intent: Intent, request: RefundRequest, now: Date): Transition {
  const { reason, metadata } = request;
  if (intent.status !== 'succeeded') throw unexpectedState(intent.status, 'refunded');
  if (request.isChargedBack) {
    throw invalidRequest(`Charge ${intent.chargeId} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  }
  const leftCents = intent.capturedCents - intent.refundedCents;
  if (leftCents === 0) {
    throw invalidRequest(`Charge ${intent.chargeId} has already been refunded.`, { code: 'charge_already_refunded' });
  }
  const amountCents = request.amountCents ?? leftCents;
  if (amountCents > leftCents) {
    throw invalidRequest(`The refund is greater than the ${leftCents} cents left on the charge.`, {
      code: 'amount_too_large',
      param: 'amount',
    });
  }
  return {
    next: { ...intent, refundedCents: intent.refundedCents + amountCents },
    events: ['charge.refunded'],
    refund: newRefund(intent, { amountCents, reason, metadata }, now),
  };
}

const newRefund = (
  { id, cardLast4 }: Intent,
  of: Pick<Refund, 'amountCents' | 'reason' | 'metadata'>,
  now: Date,
): Refund => ({
  ...of,
  id: newId('re'),
  intentId: id,
  status: isRefundedLater(cardLast4) ? 'pending' : 'succeeded',
  failureReason: null,
  createdAt: now,
});

export function endRefund(intent: Intent, refund: Refund, { status, reason }: RefundEnd): Transition {
  const mayEnd = refund.status === 'pending' || (refund.status === 'succeeded' && status === 'failed');
  if (!mayEnd) throw invalidRequest(`A refund that is ${refund.status} cannot become ${status}.`);
  const returnedCents = status === 'succeeded' ? 0 : refund.amountCents;
  return {
    next: { ...intent, refundedCents: intent.refundedCents - returnedCents },
    events: [status === 'failed' ? 'refund.failed' : 'refund.updated'],
    refund: { ...refund, status, failureReason: status === 'failed' ? (reason ?? 'unknown') : null },
  };
}

const unexpectedState = (status: string, verb: string) =>
  invalidRequest(`A PaymentIntent with status ${status} cannot be ${verb}.`, {
    code: 'payment_intent_unexpected_state',
  });
