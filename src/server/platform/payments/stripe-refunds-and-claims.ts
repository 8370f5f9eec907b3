import type { Stripe } from 'stripe';
import * as z from 'zod/mini';
import type { Clock } from '../database/database-clock.ts';
import { isValid, type PaymentClaim, type Payments, type ProviderRefund, refundStatuses } from './payments.ts';
import {
  callRepeatably,
  convertAll,
  idOf,
  knownStatus,
  listOf,
  listSince,
  read,
  readAll,
  wasReplayed,
  whole,
} from './stripe-calls.ts';

/** Key in the metadata of each of several refunds of an order. */
const REFUND_ID = 'refund_id';

type RefundMethods = Pick<Payments, 'refundIntent' | 'refundedCents' | 'listRefunds' | 'listAllRefunds'>;

export function createStripeRefunds(stripe: Stripe, clock: Clock): RefundMethods {
  /** Leaves out the releases of money that was only reserved, which Stripe lists as refunds, too. */
  async function* list(params: Stripe.RefundListParams): AsyncIterable<Stripe.Refund> {
    for await (const refund of readAll(() => stripe.refunds.list({ ...params, expand: ['data.charge'] }))) {
      const { charge } = refund;
      if (!charge || typeof charge === 'string' || charge.captured) yield refund;
    }
  }

  async function listRefunds(intentId: string): Promise<ProviderRefund[]> {
    const refunds: ProviderRefund[] = [];
    for await (const refund of list(listOf(intentId))) refunds.push(toRefund(refund));
    return refunds;
  }
  const listValid = async (intentId: string) => (await listRefunds(intentId)).filter(isValid);

  return {
    async refundIntent({ intentId, orderId, oneOfSeveral }) {
      const findDone = async (): Promise<ProviderRefund | undefined> => {
        const refunds = await listValid(intentId);
        const ours = oneOfSeveral && refunds.find(({ refundId }) => refundId === oneOfSeveral.refundId);
        if (ours) return ours;
        if (oneOfSeveral?.amountCents !== undefined || refunds.length === 0) return undefined;
        // If staff refunded only a part, the refund of all that is left still has to be made.
        const { amount_received: received } = await read(() => stripe.paymentIntents.retrieve(intentId));
        if (sumOf(refunds) < received) return undefined;
        // A refund with an id belongs to another refund of the shop, so prefer a refund without an id.
        return refunds.find(({ refundId }) => refundId === undefined) ?? refunds[0];
      };
      // The whole cannot be refunded twice, but a part can if the provider has forgotten its key.
      const done = oneOfSeveral && (await findDone());
      if (done) return done;

      const { refundId, attempt = 1 } = oneOfSeveral ?? {};
      const parts = ['refund', orderId, ...(refundId ? [refundId] : []), ...(attempt > 1 ? [attempt] : [])];
      const key = parts.join('/');
      return callRepeatably({
        clock,
        key,
        keyOnMismatch: [key, intentId, oneOfSeveral?.amountCents].filter(Boolean).join('/'),
        call: async (idempotencyKey) => {
          const refund = await stripe.refunds.create(
            {
              payment_intent: intentId,
              ...(oneOfSeveral && { metadata: { [REFUND_ID]: oneOfSeveral.refundId } }),
              ...(oneOfSeveral?.amountCents !== undefined && { amount: oneOfSeveral.amountCents }),
            },
            { idempotencyKey },
          );
          const replayed = wasReplayed(refund.lastResponse.headers);
          return toRefund(replayed ? await stripe.refunds.retrieve(refund.id) : refund);
        },
        findDone,
      });
    },

    refundedCents: async (intentId) => sumOf(await listValid(intentId)),

    listRefunds,

    async *listAllRefunds({ since, onUnreadable }) {
      const toListed = (refund: Stripe.Refund) => ({ ...toRefund(refund), intent: refund.payment_intent });
      for await (const { intent, ...refund } of convertAll(list(listSince(since)), toListed, onUnreadable)) {
        if (intent) yield { ...refund, intentId: idOf(intent) };
      }
    },
  };
}

const sumOf = (refunds: ProviderRefund[]): number => refunds.reduce((sum, { cents }) => sum + cents, 0);

const fieldsOfRefund = z.object({ id: z.string(), amount: z.int(), created: z.int() });
const fieldsOfDispute = z.object({ id: z.string(), amount: z.int(), currency: z.string(), status: z.string() });

function toRefund(answer: Stripe.Refund): ProviderRefund {
  const { id, status, amount, metadata, failure_reason: failure, created } = whole(answer, fieldsOfRefund);
  return {
    id,
    status: knownStatus(refundStatuses, status === null ? 'pending' : status),
    cents: amount,
    refundId: metadata?.[REFUND_ID],
    failure,
    createdAt: new Date(created * 1000),
  };
}

/** Lists the claims of a card's bank against its payment: disputes, inquiries and early fraud warnings. */
export function createStripeClaims(stripe: Stripe): Pick<Payments, 'listClaims' | 'listClaimedIntents'> {
  const disputes = (which: Stripe.DisputeListParams) => readAll(() => stripe.disputes.list(which));
  const warnings = (which: Stripe.Radar.EarlyFraudWarningListParams) =>
    readAll(() => stripe.radar.earlyFraudWarnings.list(which));

  return {
    async listClaims(intentId) {
      const claims: PaymentClaim[] = [];
      for await (const answer of disputes(listOf(intentId))) {
        const dispute = whole(answer, fieldsOfDispute);
        const cause = dispute.status.startsWith('warning_') ? 'inquiry' : 'dispute';
        const cents = dispute.currency === 'usd' ? { cents: dispute.amount } : {};
        claims.push({ id: dispute.id, cause, outcome: outcomeOf(dispute), ...cents });
      }
      for await (const { id } of warnings(listOf(intentId))) {
        claims.push({ id, cause: 'fraud-warning', outcome: 'open' });
      }
      return claims;
    },

    async *listClaimedIntents({ since }) {
      for (const claims of [disputes(listSince(since)), warnings(listSince(since))]) {
        for await (const { payment_intent: intent } of claims) {
          if (intent) yield idOf(intent);
        }
      }
    },
  };
}

const outcomes: ReadonlyMap<string, PaymentClaim['outcome']> = new Map([
  ['won', 'won'],
  ['warning_closed', 'won'],
  ['lost', 'lost'],
]);

/** A prevented dispute was blocked, or resolved by a refund. Any other outcome needs a person. */
const outcomesOfPrevented: ReadonlyMap<string | undefined, PaymentClaim['outcome']> = new Map([
  ['block', 'won'],
  ['resolution', 'lost'],
]);

/** Every other status waits for the shop's answer or the bank's decision, also during an appeal. */
function outcomeOf({ status, payment_method_details: details }: Stripe.Dispute): PaymentClaim['outcome'] {
  const outcome = status === 'prevented' ? outcomesOfPrevented.get(details?.card?.case_type) : outcomes.get(status);
  return outcome ?? 'open';
}
