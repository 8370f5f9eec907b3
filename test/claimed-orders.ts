import type { DeliveredItems } from '../src/shared/orders.ts';
import { openAdminOrders } from './admin-orders.ts';
import { openProviderDesk } from './faults/provider-desk.ts';
import { buyAsGuest } from './purchases.ts';
import type { TestShop } from './test-shop.ts';

export type ClaimedOrders = Awaited<ReturnType<typeof openClaimedOrders>>;
export type ClaimedOrder = Awaited<ReturnType<ClaimedOrders['buy']>>;

/** Buys orders whose payments a bank then questions. */
export async function openClaimedOrders(shop: TestShop) {
  const desk = await openAdminOrders(shop);
  const provider = await openProviderDesk(shop.deps.db);

  async function buy(quantity = 2) {
    const bought = await buyAsGuest(shop, { quantity, warranty_days: 30 });
    const { orderId, buyer } = bought;
    const intentId = (await desk.page(orderId)).paymentResult?.id ?? '';
    const items = async () => {
      const { status, body } = await buyer.get(`/api/digital-orders/${orderId}/items`);
      if (status !== 200) throw new Error(`The items are answered with ${status}`);
      return (body.data as unknown as DeliveredItems).items.flatMap(({ items }) => items);
    };
    /** Delivers a webhook of this type; throws unless the shop takes it. */
    const tell = async (type: string) => {
      const status = await provider.deliver(shop.url, provider.writeEvent(type, intentId));
      if (status !== 200) throw new Error(`The webhook ${type} is answered with ${status}`);
    };
    return {
      ...bought,
      intentId,
      items,
      contents: async () => (await items()).map(({ content }) => content),
      tell,
      page: () => desk.page(orderId),
      act: (action: string, body: object) => desk.act(orderId, action, body),
      dispute: async (facts?: Parameters<typeof provider.claim>[2]) => {
        await provider.claim('dispute', intentId, facts);
        await tell('charge.dispute.created');
      },
      warn: async () => {
        await provider.claim('fraud-warning', intentId);
        await tell('radar.early_fraud_warning.created');
      },
      /** The bank moves the dispute to another status. */
      move: async (to: Parameters<typeof provider.moveDispute>[1]) => {
        await provider.moveDispute(intentId, to);
        await tell('charge.dispute.updated');
      },
      alerts: async () => {
        const alerts = shop.deps.db.selectFrom('alerts').select('kind').where('order_id', '=', orderId);
        return (await alerts.where('ended_at', 'is', null).orderBy('kind').execute()).map(({ kind }) => kind);
      },
    };
  }

  return { desk, provider, buy };
}

/** All that the timeline says: the order's mail is sent at any moment, also after what a test looks for. */
export const storyOf = ({ timeline }: { timeline: readonly { text: string }[] }) =>
  timeline.map(({ text }) => text).join('\n');
