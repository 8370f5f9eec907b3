import type { Stripe } from 'stripe';
import type { PaymentClaim, Payments } from './payments.ts';
import { idOf, listOf, listSince, readAll } from './stripe-calls.ts';

/** Lists the claims of a card's bank against its payment: disputes, inquiries and early fraud warnings. */
export function createStripeClaims(stripe: Stripe): Pick<Payments, 'listClaims' | 'listClaimedIntents'> {
  const disputes = (which: Stripe.DisputeListParams) => readAll(() => stripe.disputes.list(which));
  const warnings = (which: Stripe.Radar.EarlyFraudWarningListParams) =>
    readAll(() => stripe.radar.earlyFraudWarnings.list(which));

  return {
    async listClaims(intentId) {
      const claims: PaymentClaim[] = [];
      for await (const dispute of disputes(listOf(intentId))) {
        const cause = dispute.status.startsWith('warning_') ? 'inquiry' : 'dispute';
        claims.push({ id: dispute.id, cause, outcome: outcomeOf(dispute), cents: dispute.amount });
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
