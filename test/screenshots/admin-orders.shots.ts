import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

const WIDTHS = [390, 1440];

test('the orders and the page of one', async ({ page, shop, signedIn, complaints }) => {
  const missing = '/admin/orders/00000000-0000-7000-8000-000000000000';
  complaints.expectFailedRequest(`/api${missing}`, 404);
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=orders');
  await expect(page.getByText(/ orders found$/)).toBeVisible();
  await shoot(page, 'admin-orders', WIDTHS);
  await page.goto('/admin?tab=orders&q=nobody-is-called-that');
  await expect(page.getByRole('heading', { name: 'No orders found' })).toBeVisible();
  await shoot(page, 'admin-orders-none', WIDTHS);

  await page.goto('/admin?tab=orders&q=nadia');
  await page.getByRole('article').filter({ hasText: 'Arcadia' }).getByRole('link').click();
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible();
  await shoot(page, 'admin-order-digital', WIDTHS);
  await page.getByRole('button', { name: 'Refund' }).click();
  await page.getByLabel('Some units').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Refund', exact: true }).click();
  await shoot(page, 'admin-order-refund', WIDTHS);

  await page.getByLabel('Units of Arcadia Game Wallet, $20').selectOption('1');
  await page.getByLabel('Reason').fill('Bought one too many');
  await page.getByRole('button', { name: /^Refund \$/ }).click();
  await expect(page.getByRole('region', { name: 'Refunds' })).toBeVisible();
  await shoot(page, 'admin-order-refunded', WIDTHS);

  await page.goto('/admin?tab=orders&q=nadia');
  await page.getByRole('article').filter({ hasText: 'Paper Ronin' }).getByRole('link').click();
  await page.getByRole('button', { name: 'Resend mail' }).click();
  await page
    .getByRole('button', { name: /^Replace faulty item/ })
    .first()
    .click();
  await shoot(page, 'admin-order-replace', WIDTHS);
  await page.getByLabel('Reason').fill('The code was used already');
  await page.getByRole('button', { name: 'Replace item' }).click();
  await expect(page.getByText('Burnt')).toBeVisible();
  await shoot(page, 'admin-order-replaced', WIDTHS);

  await page.goto('/admin?tab=orders&status=Processing');
  await page.getByRole('article').filter({ hasText: 'Physical' }).first().getByRole('link').click();
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible();
  await shoot(page, 'admin-order-physical', WIDTHS);
  await page.getByRole('button', { name: 'Mark as shipped' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Mark as shipped' }).click();
  await shoot(page, 'admin-order-ship', WIDTHS);
  await page.goto(missing);
  await expect(page.getByRole('heading', { name: 'Order not found' })).toBeVisible();
  await shoot(page, 'admin-order-not-found', WIDTHS);
});
