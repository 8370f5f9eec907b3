import type { Stripe } from 'stripe';
import type { PaymentClaim, Payments } from './payments.ts';
import { idOf, listOf, listSince, readAll } from './stripe-calls.ts';

/** Lists the claims of a card's bank against its payment: disputes and early fraud warnings. */
export function createStripeClaims(stripe: Stripe): Pick<Payments, 'listClaims' | 'listClaimedIntents'> {
  const disputes = (which: Stripe.DisputeListParams) => readAll(() => stripe.disputes.list(which));
  const warnings = (which: Stripe.Radar.EarlyFraudWarningListParams) =>
    readAll(() => stripe.radar.earlyFraudWarnings.list(which));

  return {
    async listClaims(intentId) {
      const claims: PaymentClaim[] = [];
      for await (const { id, status } of disputes(listOf(intentId))) {
        claims.push({ id, cause: 'dispute', outcome: outcomes.get(status) ?? 'open' });
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

// Every other status waits for the shop's answer or the bank's decision.
const outcomes: ReadonlyMap<string, PaymentClaim['outcome']> = new Map([
  ['won', 'won'],
  ['warning_closed', 'won'],
  ['prevented', 'won'],
  ['lost', 'lost'],
]);
