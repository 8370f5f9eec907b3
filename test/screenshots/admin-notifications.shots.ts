import { expect } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { insertNotice } from '../../src/server/features/notices/notices.queries.ts';
import { test } from '../e2e/fixtures.ts';
import { buyAsCustomer } from '../purchases.ts';
import { shoot } from './shoot.ts';

test('the notifications of the dashboard, empty, with entries, and their settings', async ({
  page,
  admin: _,
  shop,
  customer,
  stockUp,
}) => {
  await page.goto('/admin?tab=notifications&status=unread');
  await expect(page.getByText('No unread notifications found')).toBeVisible();
  await shoot(page, 'admin-notifications-empty');

  const product = await stockUp({ items: 3 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const now = new Date();
  const about = { subject: uuidv7(), aboutId: product.id };
  await insertNotice(shop.db, { kind: 'low-stock', ...about, units: 2 }, now);
  await insertNotice(shop.db, { kind: 'sold-out', ...about, units: 0 }, now);
  for (const kind of ['dispute', 'refund-failed', 'partial-refund'] as const)
    await insertAlert(shop.db, { kind, subject: orderId, order_id: orderId }, now);
  await insertNotice(shop.db, { kind: 'mail-failed', subject: uuidv7(), aboutId: orderId }, now);
  await insertNotice(shop.db, { kind: 'problem-report', subject: uuidv7(), aboutId: orderId }, now);
  await insertNotice(shop.db, { kind: 'cancel-request', subject: orderId, aboutId: orderId }, now);
  await page.goto('/admin?tab=notifications');
  await page
    .getByRole('button', { name: /^Mark as read: A mail/ })
    .first()
    .click();
  await expect(page.getByRole('listitem').filter({ hasText: 'A mail cannot' }).getByText('Unread')).toHaveCount(0);
  await shoot(page, 'admin-notifications');
  await page.getByRole('button', { name: 'Settings' }).click();
  await expect(page.getByLabel('New orders')).toBeVisible();
  await shoot(page, 'admin-notifications-settings');

  await page.goto('/admin/products/new');
  await expect(page.getByLabel('Running low at')).toBeVisible();
  await shoot(page, 'admin-low-stock-physical');
  await page.goto(`/admin?tab=digital&dialog=edit&product=${product.id}`);
  await expect(page.getByLabel('Running low at')).toBeVisible();
  await page.getByLabel('Running low at').scrollIntoViewIfNeeded();
  await shoot(page, 'admin-low-stock-digital');
});
