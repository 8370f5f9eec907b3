import { expect, type Page } from '@playwright/test';
import { makeParcel, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import type { RealShop } from './real-shop.ts';
import { press, returnToTab } from './steps.ts';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });

async function reloadOrder(page: Page): Promise<void> {
  const loaded = page.waitForResponse(/\/api\/admin\/orders\//);
  await returnToTab(page);
  await loaded;
}

async function colleague(shop: RealShop, { email }: { email: string }) {
  const staff = createShopper(shop.url);
  await staff.signIn(email, TEST_PASSWORD);
  return staff;
}

test('a dialog to ship says that a colleague has shipped the order meanwhile', async ({ page, shop, admin }) => {
  const order = await makeParcel(shop);
  await page.clock.install();
  await page.goto(`/admin/orders/${order}`);
  await press(page, 'Mark as shipped');
  const shipping = dialog(page, 'Mark as shipped');
  await shipping.getByLabel('Carrier').fill('Pos Laju');
  await shipping.getByLabel('Tracking number').fill('EP 1');
  const body = { carrier: 'DHL', trackingNumber: 'JD 1' };
  expect(await (await colleague(shop, admin)).post(`/api/admin/orders/${order}/ship`, body)).toMatchObject({
    status: 200,
  });
  await reloadOrder(page);
  await expect(page.locator('span').getByText('Shipped', { exact: true })).toHaveCount(1);
  await shipping.getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(shipping.getByRole('alert')).toHaveText('Nothing is left to ship');
});

test('a dialog to refund says that a colleague has refunded the order meanwhile', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await page.clock.install();
  await page.goto(`/admin/orders/${order}`);
  await press(page, 'Refund');
  const refund = dialog(page, 'Refund');
  await refund.getByLabel('Reason').fill('It does not work');
  const body = { reason: 'The buyer called' };
  expect(await (await colleague(shop, admin)).post(`/api/admin/orders/${order}/refund`, body)).toMatchObject({
    status: 200,
  });
  await reloadOrder(page);
  const send = refund.getByRole('button', { name: 'Refund', exact: true });
  await send.click();
  await expect(refund.getByRole('alert')).toHaveText('Nothing is left to refund');
  await refund.getByLabel('An amount').check();
  await refund.getByLabel('Amount (USD)').fill('5');
  await refund.getByRole('button', { name: /^Refund/ }).click();
  await expect(refund.getByRole('alert')).toHaveText('Nothing is left to refund');
});
