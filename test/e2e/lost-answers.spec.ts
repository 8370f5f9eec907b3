import { expect, type Page } from '@playwright/test';
import { makeParcel } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { press, productList } from './steps.ts';

const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const UNREACHABLE = 'We could not reach the shop. Please check your connection and try again.';

/** The shop does what the next call to `path` asks for, and its answer is lost. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    if (isLost || route.request().method() === 'GET') return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

test.beforeEach(({ complaints }) => complaints.expectBrokenConnection(/^\/api\//));

test('a parcel whose answer was lost is said to be shipped after a second press', async ({ page, shop, admin: _ }) => {
  await page.goto(`/admin/orders/${await makeParcel(shop)}`);
  await press(page, 'Mark as shipped');
  const dialog = page.getByRole('dialog', { name: 'Mark as shipped' });
  await dialog.getByLabel('Carrier').fill('DHL');
  await dialog.getByLabel('Tracking number').fill('1234567890');
  await loseAnswer(page, '/api/admin/orders/*/ship');
  await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  // The page behind has been loaded again.
  await expect(page.getByRole('main')).toContainText('Shipped with DHL');
  await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(toast(page)).toContainText('The order is marked as shipped');
  await expect(dialog).toBeHidden();
});

test('a whole refund whose answer was lost is said to be made after a second press, and is one', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await press(page, 'Refund');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('Reason').fill('Bought twice');
  await loseAnswer(page, '/api/admin/orders/*/refund');
  const refund = dialog.getByRole('button', { name: 'Refund $10.60' });
  await refund.click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('$10.60');
  await refund.click();
  await expect(toast(page)).toContainText('$10.60 goes back to the buyer');
  await expect(dialog).toBeHidden();
  expect(await shop.db.selectFrom('refunds').select('id').where('order_id', '=', order).execute()).toHaveLength(1);
});

test('a product that was deactivated is shown so, also when the answer was lost', async ({
  page,
  stockUp,
  admin: _,
}) => {
  const { name } = await stockUp();
  await page.goto(productList(name, { show: 'all' }));
  await loseAnswer(page, '/api/digital-products/*');
  await press(page, `Deactivate ${name}`);
  await expect(toast(page)).toContainText(UNREACHABLE);
  await expect(page.getByRole('button', { name: `Activate ${name}` })).toBeVisible();
});
