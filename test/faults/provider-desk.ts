import { randomUUID } from 'node:crypto';
import { createStripeTestMode, type StripeTestMode } from '@kedai/stripe-test-mode';
import { sql } from 'kysely';
import { Stripe } from 'stripe';
import type { Database } from '../../src/server/platform/database/database.ts';
import type { Clock } from '../../src/server/platform/database/database-clock.ts';
import { createTestModeStore } from '../../src/server/platform/payments/test-mode-store.queries.ts';
import { systemClock } from '../system-clock.ts';

/** What a dispute is, when it is not a chargeback of the whole payment. */
type DisputeFacts = Parameters<StripeTestMode['openDispute']>[1];

/** The provider's side: its events, which a test delivers at any time and repeatedly, and actions in its dashboard. */
export interface ProviderDesk {
  /** The provider's events about an intent, oldest first, with their payloads as sent. */
  listEvents(intentId: string): Promise<{ id: string; type: string; payload: string }[]>;
  /** Returns an event about the present state of an intent, as the provider would write it. */
  writeEvent(type: string, intentId: string): string;
  /** Sends an event to a process of the shop; returns the HTTP status. */
  deliver(url: string, payload: string): Promise<number>;
  /** Does something in the provider's dashboard, without the shop. */
  act(url: string, deed: 'capture' | 'cancel' | 'refund', intentId: string): Promise<void>;
  /** The bank of the card claims a captured payment: the cardholder disputes it, or it may be fraud. */
  claim(kind: 'dispute' | 'fraud-warning', intentId: string, facts?: DisputeFacts): Promise<void>;
  /** The bank decides the dispute of a payment. */
  decide(url: string, intentId: string, outcome: 'won' | 'lost'): Promise<void>;
  /** The bank moves the dispute of a payment to another status, e.g. after an appeal. */
  moveDispute(intentId: string, to: Parameters<StripeTestMode['changeDispute']>[1]): Promise<void>;
  refundPart(url: string, intentId: string, cents: number): Promise<void>;
  /** Ends a refund of a payment at the bank, by default the newest, as happens days or weeks after the request. */
  endRefund(
    intentId: string,
    end: { status: 'succeeded' | 'failed' | 'canceled'; reason?: string | undefined; refundId?: string | undefined },
  ): Promise<void>;
}

/** The first intent in the payload: the object itself, or the payment to which the object belongs. */
export const intentOfEvent = sql<string>`substring(payload FROM '"(pi_[A-Za-z0-9]+)"')`;

/** Events are signed by `clock`, which a shop whose clock was moved must share. */
export async function openProviderDesk(db: Database, clock: Clock = systemClock): Promise<ProviderDesk> {
  const account = await db.selectFrom('test_mode_account').selectAll().executeTakeFirstOrThrow();

  async function post(url: string, path: string, body: string): Promise<void> {
    const response = await fetch(`${url}/test-mode/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secret_key}`, 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    if (!response.ok) throw new Error(`The provider refuses ${path}: ${await response.text()}`);
  }

  return {
    listEvents: (intentId) =>
      db
        .selectFrom('test_mode_events')
        .select(['id', 'type', 'payload'])
        .where(intentOfEvent, '=', intentId)
        .orderBy('created_at')
        .execute(),

    writeEvent: (type, intentId) => {
      const object = type.startsWith('payment_intent.')
        ? { object: 'payment_intent', id: intentId }
        : { object: type.split('.').at(-2), payment_intent: intentId };
      return JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type, data: { object } });
    },

    deliver: async (url, payload) => {
      const secret = account.webhook_secret;
      const timestamp = Math.floor(clock.now().getTime() / 1_000);
      const response = await fetch(`${url}/api/webhooks/stripe`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
        },
        body: payload,
      });
      return response.status;
    },

    act: (url, deed, intentId) =>
      deed === 'refund'
        ? post(url, 'refunds', `payment_intent=${intentId}`)
        : post(url, `payment_intents/${intentId}/${deed}`, ''),

    claim: async (kind, intentId, facts) => {
      const provider = await createStripeTestMode({ store: createTestModeStore(db), clock });
      await (kind === 'dispute' ? provider.openDispute(intentId, facts) : provider.openFraudWarning(intentId));
    },

    decide: async (url, intentId, outcome) => {
      const disputes = db.selectFrom('test_mode_claims').select('id').where('kind', '=', 'dispute');
      const { id } = await disputes.where('intent_id', '=', intentId).executeTakeFirstOrThrow();
      const evidence = outcome === 'won' ? 'winning_evidence' : 'losing_evidence';
      await post(url, `disputes/${id}`, `evidence[uncategorized_text]=${evidence}`);
    },

    moveDispute: async (intentId, to) => {
      const provider = await createStripeTestMode({ store: createTestModeStore(db), clock });
      await provider.changeDispute(intentId, to);
    },

    endRefund: async (intentId, { status, reason, refundId }) => {
      const provider = await createStripeTestMode({ store: createTestModeStore(db), clock });
      const refunds = db.selectFrom('test_mode_refunds').select('id').where('intent_id', '=', intentId);
      const { id } = await refunds.orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow();
      await provider.endRefund(refundId ?? id, { status, ...(reason !== undefined && { reason }) });
    },

    refundPart: (url, intentId, cents) => post(url, 'refunds', `payment_intent=${intentId}&amount=${cents}`),
  };
}
