import { expect, it } from 'vitest';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { orderNumber } from '../../src/shared/format.ts';
import type { OpenedOrder } from '../../src/shared/order-page.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createLookupDesk } from '../order-lookups.ts';
import { makeFileProduct } from '../product-files.ts';
import { type Answer, createShopper } from '../shopper.ts';
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
  expect([...names].sort()).toEqual(['__Host-checkoutSecret', 'checkout', 'device', 'download', 'lookup']);
  for (const cookie of cookies) expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=(Lax|Strict)$/);
});
