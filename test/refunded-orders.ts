import { expect } from 'vitest';
import type { AdminOrders } from './admin-orders.ts';
import type { ProviderDesk } from './faults/provider-desk.ts';
import { faultsOf, openAlertsOf } from './order-checks.ts';
import { buyAsGuest } from './purchases.ts';
import type { TestShop } from './test-shop.ts';

/** An order of units of 10.60, and what staff do with it here and at the provider. */
export async function buyToRefund(
  { shop, desk, provider }: { shop: TestShop; desk: AdminOrders; provider: ProviderDesk },
  quantity: number,
) {
  const reason = 'Broken';
  const { orderId } = await buyAsGuest(shop, { quantity });
  const { paymentResult, lines } = await desk.page(orderId);
  const intentId = paymentResult?.id ?? '';
  const unit = [{ line: lines[0]?._id ?? '', quantity: 1 }];
  const announce = async (type: string) =>
    expect(await provider.deliver(shop.url, provider.writeEvent(type, intentId))).toBe(200);
  return {
    orderId,
    intentId,
    unit,
    announce,
    page: () => desk.page(orderId),
    refundRest: async () => (await desk.act(orderId, 'refund', { reason })).page,
    refundUnit: () => desk.act(orderId, 'refund', { reason, lines: unit }),
    giveByHand: async (cents: number) => {
      await provider.refundPart(shop.url, intentId, cents);
      await announce('charge.refunded');
    },
    /** The bank sends a refund back: the newest unless another is named. */
    bounce: async (refundId?: string) => {
      await provider.endRefund(intentId, { status: 'failed', refundId });
      await announce('refund.failed');
    },
    /** Does what an administrator does with the failed refund. */
    actOnFailed: async (action: 'retry-refund' | 'settle-refund') => {
      const failed = (await desk.page(orderId)).refunds.find(({ state }) => state === 'failed');
      const body = { refund: failed?._id, attempt: failed?.attempt, ...(action === 'settle-refund' && { reason }) };
      return (await desk.act(orderId, action, body)).page;
    },
    /** The refunds at the provider, newest first. */
    refunds: () => shop.deps.payments.listRefunds(intentId),
    given: () => shop.deps.payments.refundedCents(intentId),
    openAlerts: () => openAlertsOf(shop.deps.db, orderId),
    /** Acknowledges that a partial refund in the dashboard was for something else. */
    acknowledge: async () => {
      const ended = { ended_at: shop.deps.clock.now(), end_reason: 'A gift' };
      const open = shop.deps.db.updateTable('alerts').set(ended).where('kind', '=', 'partial-refund');
      await open.where('order_id', '=', orderId).where('ended_at', 'is', null).execute();
    },
    faults: () => faultsOf(shop.deps, orderId),
  };
}
