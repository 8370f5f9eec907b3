import type {
  TestModeCardError,
  TestModeIntentRow,
  TestModeRefundRow,
} from '../../database/test-mode-tables.ts';
import { newId } from './ids.ts';
import { invalidRequest, ProviderProblem, unexpectedState } from './provider-problem.ts';
import type { TestCard } from './test-cards.ts';

export type IntentEventType =
  | 'payment_intent.amount_capturable_updated'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'charge.refunded';

/** What a request makes of an intent. Nothing here touches the database: the caller saves it, or decides again. */
export interface Transition {
  next: TestModeIntentRow;
  event?: IntentEventType;
  refund?: TestModeRefundRow;
  /** The change is kept and the caller is told this. */
  problem?: ProviderProblem;
}

// Stripe's own for cards: an authorisation that is not captured in seven days is cancelled.
const AUTHORISATION_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

const authenticationFailed: TestModeCardError = {
  type: 'card_error',
  code: 'payment_intent_authentication_failure',
  message: 'We are unable to authenticate your payment method. Please try again or use another card.',
};

export function confirmIntent(intent: TestModeIntentRow, card: TestCard, now: Date): Transition {
  if (intent.status !== 'requires_payment_method' && intent.status !== 'requires_action') {
    throw unexpectedState(intent.status, 'confirmed');
  }
  const presented: TestModeIntentRow = {
    ...intent,
    payment_method_id: newId('pm'),
    card_brand: card.brand,
    card_last4: card.last4,
    last_error: null,
  };
  if (card.verdict === 'authorised') return authorise(presented, now);
  if (card.verdict === 'challenge') return { next: { ...presented, status: 'requires_action' } };
  return decline(presented, card.verdict, new ProviderProblem(402, card.verdict));
}

export function finishChallenge(
  intent: TestModeIntentRow,
  outcome: 'complete' | 'fail',
  now: Date,
): Transition {
  if (intent.status !== 'requires_action') throw unexpectedState(intent.status, 'authenticated');
  return outcome === 'complete' ? authorise(intent, now) : decline(intent, authenticationFailed);
}

function authorise(intent: TestModeIntentRow, now: Date): Transition {
  return {
    next: {
      ...intent,
      status: 'requires_capture',
      charge_id: newId('ch'),
      capture_before: new Date(now.getTime() + AUTHORISATION_DAYS * DAY_MS),
    },
    event: 'payment_intent.amount_capturable_updated',
  };
}

// The intent can be confirmed again, with another card, as at Stripe.
function decline(intent: TestModeIntentRow, error: TestModeCardError, problem?: ProviderProblem): Transition {
  return {
    next: {
      ...intent,
      status: 'requires_payment_method',
      payment_method_id: null,
      last_error: { ...error, ...(problem && { charge: newId('ch') }) },
    },
    event: 'payment_intent.payment_failed',
    ...(problem && { problem }),
  };
}

export function captureIntent(intent: TestModeIntentRow): Transition {
  if (intent.status !== 'requires_capture') throw unexpectedState(intent.status, 'captured');
  return {
    next: { ...intent, status: 'succeeded', captured_cents: intent.amount_cents },
    event: 'payment_intent.succeeded',
  };
}

export function cancelIntent(intent: TestModeIntentRow, reason: string | null, now: Date): Transition {
  if (intent.status === 'succeeded' || intent.status === 'canceled') {
    throw unexpectedState(intent.status, 'canceled');
  }
  return {
    next: { ...intent, status: 'canceled', canceled_at: now, cancellation_reason: reason },
    event: 'payment_intent.canceled',
  };
}

/** The cancellation of an authorisation whose seven days are over; undefined while they last. */
export function lapseIntent(intent: TestModeIntentRow, now: Date): Transition | undefined {
  const lapsed =
    intent.status === 'requires_capture' && intent.capture_before && intent.capture_before <= now;
  return lapsed ? cancelIntent(intent, 'automatic', now) : undefined;
}

/** Without an amount, all that is left of what was captured. */
export function refundIntent(
  intent: TestModeIntentRow,
  input: { amountCents: number | undefined; reason: string | null; metadata: Record<string, string> },
  now: Date,
): Transition {
  if (intent.status !== 'succeeded') throw unexpectedState(intent.status, 'refunded');
  const leftCents = intent.captured_cents - intent.refunded_cents;
  if (leftCents === 0) {
    throw invalidRequest(`Charge ${intent.charge_id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  }
  const amountCents = input.amountCents ?? leftCents;
  if (amountCents > leftCents) {
    throw invalidRequest(`The refund is greater than the ${leftCents} cents left on the charge.`, {
      code: 'amount_too_large',
      param: 'amount',
    });
  }
  return {
    next: { ...intent, refunded_cents: intent.refunded_cents + amountCents },
    event: 'charge.refunded',
    refund: {
      id: newId('re'),
      intent_id: intent.id,
      amount_cents: amountCents,
      reason: input.reason,
      metadata: input.metadata,
      created_at: now,
    },
  };
}
