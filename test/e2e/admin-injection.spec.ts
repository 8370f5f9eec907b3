import { expect } from '@playwright/test';
import { makeParcel, makePhysicalProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';

// Each payload would set this if it ran. What the browser's policy blocks is a complaint, which fails the test as well.
const FLAG = 'hacked';
const NAME = `--></title></script><img src=x onerror="${FLAG}=1"><svg onload=${FLAG}=1>{{${FLAG}=1}}`;
const SHORT = NAME.slice(0, 60);

test('hostile names are shown as text on every page and execute no script', async ({
  page,
  shop,
  stockUp,
  stockShelf,
  signedIn,
}) => {
  // The test opens a dozen pages.
  test.slow();
  const admin = await makeUser(shop, { role: 'admin', name: NAME });
  const customer = await makeUser(shop, { name: NAME });
  const game = await stockShelf({ name: NAME, description: NAME, delivery_instructions: NAME, items: 5 });
  // Enough for the overview to need "Show all".
  for (let short = 0; short < 6; short += 1) await stockUp({ items: 1 });
  const goods = await makePhysicalProduct(shop, {
    ...{ name: NAME, description: NAME, brand: NAME, category: NAME },
    image: '/demo/covers/ember-reach.svg',
  });
  const parcel = await makeParcel(shop, { guest_name: NAME, guest_phone: NAME, shipping_street: NAME }, NAME);

  const desk = createShopper(shop.url);
  await desk.signIn(admin.email, TEST_PASSWORD);
  const orderId = await buyAsCustomer(shop, customer, [{ product: game, quantity: 2 }]);
  const { lines } = (await desk.get(`/api/admin/orders/${orderId}`)).body.data as unknown as {
    lines: { _id: string }[];
  };
  const changes: [string, string, object][] = [
    ['PUT', `/api/admin/orders/${parcel}/status`, { status: 'Shipped', carrier: NAME, trackingNumber: NAME }],
    ['POST', `/api/admin/orders/${orderId}/refund`, { reason: NAME, lines: [{ line: lines[0]?._id, quantity: 1 }] }],
    ['PUT', `/api/admin/users/${customer.id}/block`, { blocked: true, reason: NAME }],
    ['PUT', `/api/digital-products/${game.id}`, { flashSale: { price: 5 }, featured: true }],
  ];
  for (const [method, path, body] of changes) expect((await desk.send(method, path, body)).status).toBe(200);

  const dialogs: string[] = [];
  page.on('dialog', async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  await signedIn(page, admin);
  const pages = [
    '/',
    `/digital-product/${game.id}`,
    '/admin?tab=overview',
    '/admin?tab=digital',
    '/admin?tab=physical',
    '/admin?tab=orders',
    '/admin?tab=users',
    `/admin/orders/${orderId}`,
    `/admin/orders/${parcel}`,
    `/admin/users/${customer.id}`,
    `/admin/products/${goods}`,
    '/admin/audit-log',
  ];
  for (const path of pages) {
    await page.goto(path);
    // The overview lists first what runs out soonest.
    if (path.includes('overview')) await page.getByRole('button', { name: /^Show all/ }).click();
    // The name is shown as text, or in the field in which it is edited.
    const fields = page.locator('main input');
    await expect
      .poll(async () =>
        [
          (await page.locator('main').textContent()) ?? '',
          ...(await fields.evaluateAll((all) => all.map((field) => (field as HTMLInputElement).value))),
        ].some((text) => text.includes(SHORT)),
      )
      .toBe(true);
    const [ran, intruders] = await page.evaluate(
      (flag) => [
        flag in window,
        document.querySelectorAll('img[src="x"], [onerror], [onload], [href^="javascript:"]').length,
      ],
      FLAG,
    );
    expect([path, ran, intruders]).toEqual([path, false, 0]);
  }
  expect(dialogs).toEqual([]);
});
