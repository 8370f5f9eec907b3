import { expect, type Page } from '@playwright/test';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { fillContact, newEmail, openCheckout, openItems, pay, readKey, seesSuccess, signIn } from './steps.ts';

// The date there is another than in the shop's time zone and in UTC.
test.use({ timezoneId: 'America/New_York' });
const AT = new Date('2026-11-22T03:05:00Z');
const OWN = '21 Nov 2026, 22:05 GMT-5';

const main = (page: Page) => page.getByRole('main');

test('a buyer sees orders, items and sessions in the time zone of the browser, which is named', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp();
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await shop.db.updateTable('orders').set({ created_at: AT }).where('id', '=', id).execute();
  await shop.db.updateTable('items').set({ delivered_at: AT }).where('product_id', '=', product.id).execute();
  await shop.db.updateTable('sessions').set({ created_at: AT }).where('user_id', '=', customer.id).execute();
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(page.getByRole('article').locator('time')).toHaveText(OWN);
  await page.getByRole('link', { name: 'View Items' }).click();
  await expect(main(page)).toContainText(`Ordered on ${OWN}`);
  await expect(main(page)).toContainText(`Delivered ${OWN}`);
  await page.goto('/profile');
  await expect(main(page)).toContainText(`Signed in since ${OWN}`);
});

test('an administrator sees orders and the audit log in the browser’s time zone, and filters name the shop’s days', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const id = await buyAsCustomer(shop, customer, [{ product: await stockUp({ warranty_days: 30 }), quantity: 1 }]);
  const desk = createShopper(shop.url);
  await desk.signIn(admin.email, TEST_PASSWORD);
  await desk.post(`/api/admin/orders/${id}/refund`, { reason: 'Bought twice' });
  await shop.db.updateTable('orders').set({ created_at: AT }).where('id', '=', id).execute();
  await shop.db.updateTable('refunds').set({ created_at: AT, finished_at: AT }).where('order_id', '=', id).execute();
  await page.goto(`/admin/orders/${id}`);
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText(OWN);
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText(OWN);
  await page.goto(`/admin?tab=orders&q=${customer.email}`);
  await expect(main(page)).toContainText('These days begin at midnight in Malaysia (GMT+8)');
  await page.goto(`/admin/audit-log?q=${admin.email}`);
  await expect(page.getByRole('article').first().locator('time')).toHaveText(/ GMT-[45]$/);
});

test('a device whose clock is 13 hours ahead stays signed in, and its guest can read the key', async ({
  page,
  otherBrowser,
  customer,
  stockUp,
}) => {
  const at = Date.now() + 13 * HOUR_MS;
  await page.clock.setSystemTime(at);
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
  await page.goto('/profile');
  await expect(main(page)).toContainText(customer.email);

  const phone = await otherBrowser();
  await phone.clock.setSystemTime(at);
  const product = await stockUp();
  await openCheckout(phone, [{ product }]);
  await fillContact(phone, { email: newEmail() });
  await pay(phone);
  await seesSuccess(phone, 'Account Created');
  await openItems(phone);
  expect(await readKey(phone)).toBe(product.keys[0]);
});
