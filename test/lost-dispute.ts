import type { Deps } from '../src/server/deps.ts';
import { followClaims } from '../src/server/features/checkout/follow-claims.ts';
import { getOrder } from '../src/server/features/orders/orders.queries.ts';
import type { PaymentClaim } from '../src/server/platform/payments/payments.ts';

/** The bank decides a dispute of the whole payment for the cardholder, and the shop follows it. */
export const loseDispute = (deps: Deps, orderId: string): Promise<void> => followDispute(deps, orderId, 'lost');

/** The shop follows a dispute of the whole payment. */
export async function followDispute(deps: Deps, orderId: string, outcome: PaymentClaim['outcome']): Promise<void> {
  const claims: PaymentClaim[] = [{ id: `dp_${orderId}`, cause: 'dispute', outcome }];
  const payments = { ...deps.payments, listClaims: async () => claims };
  await followClaims({ ...deps, payments }, await getOrder(deps.db, orderId));
}
