import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { checkBooksOf } from '../../../../test/books.ts';
import { type ClaimedOrder, openClaimedOrders, storyOf } from '../../../../test/claimed-orders.ts';
import { makeGoods, makeUser } from '../../../../test/factories.ts';
import { buyAsCustomer } from '../../../../test/purchases.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { listFreezes } from '../orders/freezes.queries.ts';
import { getOrder } from '../orders/orders.queries.ts';
import { followClaims, reconcileClaims } from './follow-claims.ts';
import { reconcilePayments } from './reconcile-payments.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const { desk, provider, buy } = await openClaimedOrders(shop);

const readings = async (orderId: string) => {
  const reveals = await shop.deps.db.selectFrom('reveals').select('id').where('order_id', '=', orderId).execute();
  return reveals.length;
};

describe('an order with a disputed or suspicious payment', () => {
  it.each([
    ['dispute', (order: ClaimedOrder) => order.dispute()],
    ['fraud-warning', (order: ClaimedOrder) => order.warn()],
  ] as const)('is frozen by a %s: unread items stay hidden, and an alert names the order', async (kind, claim) => {
    const order = await buy();
    await claim(order);
    for (const { content, refusal } of await order.items()) {
      expect({ content, code: refusal?.code }).toEqual({ content: null, code: 'ITEM_FROZEN' });
      expect(refusal?.message).toContain('locked until it has decided');
    }
    expect(await readings(order.orderId)).toBe(0);
    expect(await order.alerts()).toEqual([kind]);
    const page = await desk.page(order.orderId);
    expect(page.frozen).toBe(kind);
    expect(page.timeline.map((event) => event.kind)).toContain('frozen');
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('keeps read items readable, and gets no replacement while it is frozen', async () => {
    const order = await buy();
    const read = await order.contents();
    await order.dispute();
    expect(await order.contents()).toEqual(read);
    const item = (await desk.page(order.orderId)).lines[0]?.items[0]?._id;
    const replaced = await desk.act(order.orderId, 'replace-item', { item, reason: 'Faulty' });
    expect([replaced.status, replaced.body.code]).toEqual([409, 'ITEM_FROZEN']);
  });

  it('cannot be cancelled by its buyer, so no item goes back on sale', async () => {
    const order = await buy();
    await order.warn();
    const { status, body } = await order.buyer.post(`/api/orders/mine/${order.orderId}/cancel`, {});
    expect([status, body.code]).toEqual([409, 'ITEM_FROZEN']);
  });

  it('can be refunded after a fraud warning, but not during a dispute', async () => {
    const [warned, disputed] = [await buy(), await buy()];
    await warned.warn();
    await disputed.dispute();
    expect((await desk.act(warned.orderId, 'refund', { reason: 'Fraud' })).status).toBe(200);
    const refused = await desk.act(disputed.orderId, 'refund', { reason: 'Fraud' });
    expect([refused.status, refused.body.code]).toEqual([409, 'REFUND_REFUSED']);
  });

  it('cannot be cancelled by an administrator during a dispute, and the page does not offer it', async () => {
    const product = await makeGoods(shop.deps, 'physical', 1);
    const orderId = await buyAsCustomer(shop, await makeUser(shop.deps), [{ product, quantity: 1 }]);
    const intentId = (await desk.page(orderId)).paymentResult?.id ?? '';
    expect(await desk.page(orderId)).toMatchObject({ allowed: ['Shipped', 'Cancelled'], refundable: true });
    await provider.claim('dispute', intentId);
    expect(await provider.deliver(shop.url, provider.writeEvent('charge.dispute.created', intentId))).toBe(200);
    expect(await desk.page(orderId)).toMatchObject({ allowed: ['Shipped'], refundable: false });
    const cancelled = await desk.act(orderId, 'status', { status: 'Cancelled', reason: 'Disputed' });
    expect([cancelled.status, cancelled.body.code]).toEqual([409, 'REFUND_REFUSED']);
    expect(await desk.page(orderId)).toMatchObject({ state: 'fulfilled', refunds: [] });
    await provider.decide(shop.url, intentId, 'won');
    await reconcilePayments(shop.deps);
    expect(await desk.page(orderId)).toMatchObject({ allowed: ['Shipped', 'Cancelled'], refundable: true });
  });

  it('is unfrozen once the dispute is won, in whatever sequence the events arrive', async () => {
    const order = await buy();
    await order.warn();
    await provider.claim('dispute', order.intentId);
    await provider.decide(shop.url, order.intentId, 'won');
    await order.tell('charge.dispute.closed');
    await order.tell('charge.dispute.created');
    await order.tell('radar.early_fraud_warning.updated');
    expect(await order.contents()).toHaveLength(2);
    expect(await readings(order.orderId)).toBe(2);
    expect(await order.alerts()).toEqual([]);
  });

  it('raises an alert for each dispute of the payment, and ends the alert when that dispute is won', async () => {
    const { orderId, intentId, alerts } = await buy();
    const follow = async (...disputes: { id: string; outcome: 'open' | 'won' }[]) => {
      const claims = disputes.map((dispute) => ({ ...dispute, cause: 'dispute' as const }));
      const payments = { ...shop.deps.payments, listClaims: async () => claims };
      await followClaims({ ...shop.deps, payments }, await getOrder(shop.deps.db, orderId));
      return alerts();
    };
    const [first, second] = [`dp_1_${intentId}`, `dp_2_${intentId}`];
    const won = { id: first, outcome: 'won' } as const;
    expect(await follow({ id: first, outcome: 'open' })).toEqual(['dispute']);
    expect(await follow(won)).toEqual([]);
    expect(await follow(won, { id: second, outcome: 'open' })).toEqual(['dispute']);
    expect(await follow(won, { id: second, outcome: 'open' })).toEqual(['dispute']);
    expect(await follow(won, { id: second, outcome: 'won' })).toEqual([]);
  });

  it('is withdrawn for good when the dispute is lost', async () => {
    const order = await buy();
    await order.dispute();
    await provider.decide(shop.url, order.intentId, 'lost');
    await order.tell('charge.dispute.closed');
    expect(await order.items()).toEqual([]);
    const page = await desk.page(order.orderId);
    expect(page.lines[0]?.items.map(({ state }) => state)).toEqual(['quarantined', 'quarantined']);
    expect([page.state, page.frozen]).toEqual(['disputed', null]);
    expect(await order.alerts()).toEqual(['dispute', 'dispute-lost']);
    expect((await desk.act(order.orderId, 'unfreeze', { reason: 'Too late' })).status).toBe(409);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is withdrawn when a rule of the provider has refunded the payment before a dispute', async () => {
    const order = await buy();
    await order.dispute({ status: 'prevented', caseType: 'resolution' });
    expect(await order.items()).toEqual([]);
    expect((await desk.page(order.orderId)).state).toBe('disputed');
    expect(await order.alerts()).toEqual(['dispute-lost']);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is told by an event with the evidence of a dispute, as it is and as it was', async () => {
    const { intentId } = await buy();
    await provider.claim('dispute', intentId);
    const event = JSON.parse(provider.writeEvent('charge.dispute.updated', intentId));
    event.data.object.evidence = { uncategorized_text: 'x'.repeat(300_000) };
    event.data.previous_attributes = event.data.object.evidence;
    expect(await provider.deliver(shop.url, JSON.stringify(event))).toBe(200);
  });

  it.each(['before', 'after'])(
    'records a part refunded at the provider whose webhook comes %s the loss of the dispute',
    async (when) => {
      const order = await buy();
      await provider.refundPart(shop.url, order.intentId, 190);
      if (when === 'before') await order.tell('charge.refunded');
      await order.dispute();
      await order.move({ status: 'lost' });
      if (when === 'after') await order.tell('charge.refunded');
      expect(await order.page()).toMatchObject({ state: 'disputed', refundedPrice: 1.9 });
      expect(await order.alerts()).toEqual(['dispute', 'dispute-lost']);
      expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
    },
  );

  it('is not frozen again by a stale list of the provider after a win was recorded', async () => {
    const order = await buy();
    await order.dispute();
    const { payments } = shop.deps;
    let asked = 0;
    const listClaims: typeof payments.listClaims = async (intentId) => {
      const claims = await payments.listClaims(intentId);
      asked += 1;
      if (asked > 1) return claims;
      await provider.decide(shop.url, intentId, 'won');
      await order.tell('charge.dispute.closed');
      return claims;
    };
    await followClaims(
      { ...shop.deps, payments: { ...payments, listClaims } },
      await getOrder(shop.deps.db, order.orderId),
    );
    expect(asked).toBe(2);
    expect((await order.page()).frozen).toBeNull();
    expect(await order.alerts()).toEqual([]);
  });

  it('is unfrozen by an administrator with a reason, and a repeated event does not freeze it again', async () => {
    const order = await buy();
    await order.dispute();
    expect((await desk.act(order.orderId, 'unfreeze', {})).status).toBe(400);
    const { page } = await desk.act(order.orderId, 'unfreeze', { reason: 'Spoke to the buyer' });
    expect(page.frozen).toBeNull();
    expect(storyOf(page)).toContain('Spoke to the buyer');
    await order.tell('charge.dispute.funds_withdrawn');
    await reconcilePayments(shop.deps);
    expect(await readings(order.orderId)).toBe(0);
    expect(await order.contents()).not.toContain(null);
  });

  it('stays frozen when the cause has changed since the administrator loaded the page', async () => {
    const order = await buy();
    await order.warn();
    const seen = { reason: 'The warning is wrong', frozen: (await order.page()).frozen };
    await order.dispute();
    expect(await order.act('unfreeze', seen)).toMatchObject({ status: 409, body: { code: 'TRANSITION_REFUSED' } });
    expect((await order.page()).frozen).toBe('dispute');
  });

  it('is unfrozen only once when the request is retried after a lost response', async () => {
    const order = await buy();
    await order.warn();
    const call = { reason: 'Spoke to the buyer', frozen: 'fraud-warning' };
    const answers = [await order.act('unfreeze', call), await order.act('unfreeze', call)];
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
    const written = shop.deps.db.selectFrom('audit_log').select('action').where('subject_id', '=', order.orderId);
    expect(await written.execute()).toEqual([{ action: 'order.unfrozen' }]);
  });

  it('cannot be refunded or cancelled after it was unfrozen, until the dispute is decided', async () => {
    const order = await buy();
    await order.dispute();
    const { page } = await desk.act(order.orderId, 'unfreeze', { reason: 'Spoke to the buyer' });
    expect(page).toMatchObject({ frozen: null, disputed: true, refundable: false });
    const refused = await desk.act(order.orderId, 'refund', { reason: 'Fraud' });
    expect([refused.status, refused.body.code]).toEqual([409, 'REFUND_REFUSED']);
    const cancelled = await order.buyer.post(`/api/orders/mine/${order.orderId}/cancel`, {});
    expect([cancelled.status, cancelled.body.code]).toEqual([409, 'TRANSITION_REFUSED']);

    await provider.decide(shop.url, order.intentId, 'won');
    await reconcilePayments(shop.deps);
    const decided = await desk.page(order.orderId);
    expect(decided).toMatchObject({ frozen: null, disputed: false, refundable: true });
    expect(storyOf(decided)).toContain('The dispute was won');
    expect((await desk.act(order.orderId, 'refund', { reason: 'Fraud' })).status).toBe(200);
  });

  it('keeps the books right when an item is read after the unfreeze and the dispute is decided later', async () => {
    const order = await buy(1);
    await order.dispute();
    await sql`UPDATE order_freezes SET frozen_at = frozen_at - interval '1 hour'
      WHERE order_id = ${order.orderId}`.execute(shop.deps.db);
    await order.act('unfreeze', { reason: 'Spoke to the buyer' });
    expect(await order.contents()).not.toContain(null);
    await order.move({ status: 'won' });
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is shown as disputed when a fraud warning came before the dispute', async () => {
    const order = await buy();
    await order.warn();
    expect(await desk.page(order.orderId)).toMatchObject({ frozen: 'fraud-warning', disputed: false });
    await order.dispute();
    expect(await desk.page(order.orderId)).toMatchObject({ frozen: 'dispute', disputed: true });
  });

  it('is frozen and decided without webhooks when the sweeper compares payments', async () => {
    const order = await buy();
    await provider.claim('dispute', order.intentId);
    await reconcilePayments(shop.deps);
    expect((await desk.page(order.orderId)).frozen).toBe('dispute');
    await provider.decide(shop.url, order.intentId, 'lost');
    await reconcilePayments(shop.deps);
    expect((await desk.page(order.orderId)).state).toBe('disputed');
  });

  it.each([
    ['won', []],
    ['lost', ['dispute', 'dispute-lost', 'fraud-warning']],
  ] as const)(
    'raises the alerts of a dispute that is %s after a refund, even without webhooks',
    async (outcome, alerts) => {
      const order = await buy();
      await order.warn();
      expect((await desk.act(order.orderId, 'refund', { reason: 'Fraud' })).page.state).toBe('refunded');
      await provider.claim('dispute', order.intentId);
      await reconcilePayments(shop.deps);
      expect(await order.alerts()).toEqual(['dispute', 'fraud-warning']);
      expect((await desk.page(order.orderId)).state).toBe('refunded');

      await provider.decide(shop.url, order.intentId, outcome);
      // The claims are older than what is compared again.
      await reconcileClaims(shop.deps, new Date(Date.now() + 60_000));
      expect(await order.alerts()).toEqual(alerts);
      expect(await listFreezes(shop.deps.db, order.orderId)).toMatchObject([{ cause: 'fraud-warning', outcome }]);
    },
  );

  it('answers the webhook with 503, so that it is sent again, when the provider does not list the claim yet', async () => {
    const order = await buy();
    const dispute = provider.writeEvent('charge.dispute.created', order.intentId);
    expect(await provider.deliver(shop.url, dispute)).toBe(503);
    await order.dispute();
  });
});

describe('a read during a freeze', () => {
  it('either shows the item and records the read, or shows nothing', async () => {
    const seen = { read: 0, frozen: 0 };
    for (let round = 0; round < 20; round += 1) {
      const order = await buy(1);
      await provider.claim('dispute', order.intentId);
      const freeze = order.tell('charge.dispute.created');
      const [items] = await Promise.all([order.items(), freeze]);
      const isRead = items[0]?.content !== null;
      seen[isRead ? 'read' : 'frozen'] += 1;
      expect(await readings(order.orderId)).toBe(isRead ? 1 : 0);
      // Whichever came first: an item that was shown stays readable, and one that was not shown stays frozen.
      expect((await order.items())[0]?.content !== null).toBe(isRead);
    }
    expect(seen.read + seen.frozen).toBe(20);
    expect(await checkBooksOf(shop.deps)).toMatchObject({ faults: [] });
  });

  it('is rejected by the database if the code did not check the freeze', async () => {
    const order = await buy(1);
    await order.warn();
    const mark = sql`
      UPDATE items SET first_viewed_at = now()
      WHERE order_line_id IN (SELECT id FROM order_lines WHERE order_id = ${order.orderId})`.execute(shop.deps.db);
    await expect(mark).rejects.toThrow('is frozen');
  });
});
