import { expect, it } from 'vitest';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { orderNumber } from '../../src/shared/format.ts';
import type { OpenedOrder } from '../../src/shared/order-page.ts';
import { makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { createLookupDesk } from '../order-lookups.ts';
import { makeFileProduct } from '../product-files.ts';
import { type Answer, createShopper, GUEST_PASSWORD } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
const desk = createLookupDesk(shop);

it('every cookie of a shop at an https URL is HttpOnly, and Secure', async () => {
  const { product } = await makeFileProduct(shop, { bytes: 1_000 });
  const cart = [{ product, quantity: 1 }];
  const email = 'buyer@example.com';
  const cookies: string[] = [];
  const keep = (answer: Answer): Answer => {
    cookies.push(...answer.headers.getSetCookie());
    return answer;
  };

  const { email: known } = await makeUser(shop.deps);
  keep(await createShopper(shop.url).signIn(known, TEST_PASSWORD));
  const guest = createShopper(shop.url);
  keep(await guest.get('/api/digital-orders/guest/checkout'));
  keep(await guest.openPayment(cart, { email }));
  const { orderId } = await createShopper(shop.url).authorise(cart, { email });
  await settleOrder(shop.deps, orderId);
  const lookupId = await desk.askFor(email, orderNumber(orderId));
  const reader = createShopper(shop.url);
  const code = await desk.codeOf(lookupId);
  const { body } = keep(await reader.post('/api/order-lookup/guest/open', { lookupId, code }));
  const { delivered } = body.data as unknown as OpenedOrder;
  keep(await reader.post('/api/order-lookup/guest/download', { itemId: delivered?.items[0]?.items[0]?.id }));

  const names = new Set(cookies.map((cookie) => cookie.split('=')[0]));
  expect([...names].sort()).toEqual(['__Host-checkout', '__Host-checkoutSecret', 'device', 'download', 'lookup']);
  for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=(Lax|Strict)$/);
});

it('another host of the domain cannot make a buyer pay for the order of somebody who knows what the buyer will type', async () => {
  const product = await makeProduct(shop.deps, { items: 2 });
  const cart = [{ product, quantity: 1 }];
  const email = 'known@example.com';
  const [attacker, victim] = [createShopper(shop.url), createShopper(shop.url)];
  for (const browser of [attacker, victim]) await browser.get('/api/digital-orders/guest/checkout');
  await attacker.openPayment(cart, { email });
  // A browser accepts a name that begins with __Host- only from the host itself.
  const planted = [...attacker.cookies].filter(([name]) => !name.startsWith('__Host-'));
  for (const [name, value] of planted) victim.cookies.set(name, value);

  const { clientSecret = '', orderId = '' } = (await victim.openPayment(cart, { email })).body;
  await victim.confirmCard(clientSecret);
  const thief = await attacker.post('/api/digital-orders/guest/checkout', { password: GUEST_PASSWORD });
  attacker.setToken(thief.body.data?.token);
  expect(await attacker.readKeys(orderId)).toEqual([]);
  const placed = await victim.placeOrder(cart, clientSecret, { email, password: GUEST_PASSWORD });
  expect(placed.body.data).toMatchObject({ access: 'signed-in' });
});
