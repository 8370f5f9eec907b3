import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { TEST_PASSWORD } from '../../../../test/factories.ts';
import { openProviderDesk } from '../../../../test/faults/provider-desk.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop();
const desk = await openAdminOrders(shop);
const { token } = (await createShopper(shop.url).signIn(desk.email, TEST_PASSWORD)).body;

async function download(orderId: string): Promise<{ response: Response; page: string }> {
  const response = await fetch(`${shop.url}/api/admin/orders/${orderId}/evidence`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return { response, page: await response.text() };
}

async function buyDisputed(name: string) {
  const bought = await buyAsGuest(shop, { quantity: 2, name });
  const keys = await bought.keys();
  const intentId = (await desk.page(bought.orderId)).paymentResult?.id ?? '';
  const provider = await openProviderDesk(shop.deps.db);
  await provider.claim('dispute', intentId);
  expect(await provider.deliver(shop.url, provider.writeEvent('charge.dispute.created', intentId))).toBe(200);
  return { ...bought, keys, intentId };
}

describe('the evidence for the bank', () => {
  it('states the buyer, the purchase, its IP address and when each item was shown, but never the items', async () => {
    const order = await buyDisputed('Neon <Apex> & Rally');
    const { response, page } = await download(order.orderId);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="evidence-[0-9A-F]{8}\.html"$/);
    const { ip, timeline } = await desk.page(order.orderId);
    expect(timeline.map(({ kind }) => kind)).toContain('revealed');
    for (const fact of [
      order.guest.email,
      order.intentId,
      `<th>Customer purchase IP</th><td>${ip}</td>`,
      '2 × Neon &lt;Apex&gt; &amp; Rally',
      'Neon &lt;Apex&gt; &amp; Rally, unit 2',
      `shown to the customer at IP ${ip}, signed in as ${order.guest.email}`,
      'order-delivered to',
      'Our terms of sale and refunds apply.',
      'dispute dp_',
    ]) {
      expect(page).toContain(fact);
    }
    expect(order.keys).toHaveLength(2);
    for (const key of order.keys) expect(page).not.toContain(key);
    expect(page).not.toMatch(/<script|src=|href=/);
  });

  it('lists the first 50 times that an item was shown, and counts the others', async () => {
    const { orderId, keys } = await buyAsGuest(shop, { quantity: 1 });
    for (let read = 0; read < 51; read += 1) await keys();
    const intentId = (await desk.page(orderId)).paymentResult?.id ?? '';
    const provider = await openProviderDesk(shop.deps.db);
    await provider.claim('dispute', intentId);
    await provider.deliver(shop.url, provider.writeEvent('charge.dispute.created', intentId));
    const { page } = await download(orderId);
    expect(page.match(/shown to the customer at IP/g)).toHaveLength(50);
    expect(page).toContain('and 1 more time<');
  });

  it('is recorded in the audit log, and refused for an order without a dispute', async () => {
    const { orderId } = await buyDisputed('Recorded');
    await download(orderId);
    const entries = shop.deps.db.selectFrom('audit_log').select(['actor', 'summary']).where('subject_id', '=', orderId);
    expect(await entries.where('action', '=', 'order.evidence-downloaded').execute()).toEqual([
      { actor: desk.email, summary: 'Downloaded the evidence for the bank' },
    ]);
    const other = await buyAsGuest(shop, { quantity: 1 });
    expect((await download(other.orderId)).response.status).toBe(409);
  });
});
