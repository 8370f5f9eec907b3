import { expect, type Page, type Response } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import type { NoticeSettings } from '../../src/shared/notices.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { breakSave, press, productDialog, returnToTab } from './steps.ts';

const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const list = (page: Page) => page.getByRole('list', { name: 'Notifications' });
const PHONE = { width: 390, height: 844 };

test('an administrator reads new orders in the dashboard notifications and marks them as read', async ({
  page,
  admin: _admin,
  customer,
  shop,
  stockUp,
}) => {
  // The sales must not make it low on stock, which would be a third notification some seconds later.
  const product = await stockUp({ items: 12 });
  const first = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const second = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const notice = (orderId: string) =>
    list(page)
      .getByRole('listitem')
      .filter({ hasText: `#${orderNumber(orderId)}` });
  const markRead = (orderId: string) =>
    page.getByRole('button', { name: `Mark as read: New order #${orderNumber(orderId)}` });

  await page.goto('/admin');
  await page.getByRole('tab', { name: /^Notifications\s*[1-9]/ }).click();
  await expect(notice(first)).toContainText(`New order #${orderNumber(first)}: $10.60`);
  await expect(notice(second)).toContainText('Unread');
  await expect(list(page)).not.toContainText(customer.email);
  await looksRightEverywhere(page);

  await page.setViewportSize(PHONE);
  await markRead(first).click();
  await expect(toast(page)).toContainText('Marked as read');
  await expect(notice(first)).not.toContainText('Unread');
  await expect(notice(first)).toBeFocused();
  await page.getByLabel('Show').selectOption('Unread');
  await expect(notice(second)).toBeVisible();
  await expect(notice(first)).toHaveCount(0);
  await press(page, 'Mark all as read');
  await expect(page.getByText('No unread notifications found')).toBeVisible();
  await expect(page.getByText('You have read them all')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Notifications', exact: true })).toBeFocused();
  await expect(page.getByRole('tab', { name: /^Notifications\s*0/ })).toBeVisible();
  await looksRightEverywhere(page, [360]);

  await page.getByLabel('Show').selectOption('All');
  await page.getByLabel('Search notifications').fill(orderNumber(second).toLowerCase());
  await expect(list(page).getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Mark all as read' })).toBeDisabled();
  await notice(second).getByRole('link').click();
  await expect(page.getByRole('heading', { name: `Order #${orderNumber(second)}` })).toBeVisible();
  await page.goBack();
  await expect(notice(second)).toBeVisible();
});

test('an administrator chooses which notifications are mailed, when and to whom', async ({ page, admin }) => {
  const open = async () => {
    await press(page, 'Settings');
    await expect(page.getByLabel('New orders')).toBeFocused();
  };
  await page.goto('/admin?tab=notifications');
  await open();
  const own = page.getByRole('checkbox', { name: admin.email });
  await expect(page.getByLabel('New orders')).toHaveValue('digest');
  await expect(own).toBeChecked();
  await looksRightEverywhere(page, [1440, 360]);
  await page.getByLabel('New orders').selectOption('Dashboard only');
  await own.uncheck();
  await page.keyboard.press('Escape');
  await press(page, 'Keep editing');
  await page.setViewportSize(PHONE);
  await press(page, 'Save');
  await expect(toast(page)).toContainText('Settings saved');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.reload();
  await open();
  await expect(page.getByLabel('New orders')).toHaveValue('dashboard');
  await expect(own).not.toBeChecked();
  await page.getByLabel('New orders').selectOption('Daily mail');
  await own.check();
  await press(page, 'Save');
  await expect(toast(page)).toContainText('Settings saved');
});

test('a conflict in the settings shows the changes of the other administrator before the typed ones are saved', async ({
  page,
  shop,
  admin,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/admin/notice-settings', 409);
  const other = createShopper(shop.url);
  await other.signIn(admin.email, TEST_PASSWORD);
  const stored = async () => (await other.get('/api/admin/notice-settings')).body.data as unknown as NoticeSettings;
  const isSave = (response: Response) => response.request().method() === 'PUT';
  await page.clock.install();
  await page.goto('/admin?tab=notifications');
  await press(page, 'Settings');
  await page.getByLabel('Low stock').selectOption('Off');
  const { deliveries, recipients } = await stored();
  const theirs = { deliveries: { ...deliveries, alert: 'digest' }, recipients };
  expect((await other.send('PUT', '/api/admin/notice-settings', theirs)).status).toBe(200);
  await press(page, 'Save');
  await expect(page.getByRole('alert')).toContainText('Someone else changed these settings meanwhile');
  await expect(page.getByLabel('Other alerts')).toHaveValue('digest');
  await expect(page.getByLabel('Low stock')).toHaveValue('off');
  // So are settings that are saved after that, and loaded in the background.
  const later = { deliveries: { ...theirs.deliveries, dispute: 'digest' }, recipients };
  expect((await other.send('PUT', '/api/admin/notice-settings', later)).status).toBe(200);
  await returnToTab(page);
  await expect(page.getByLabel('Disputes')).toHaveValue('digest');
  const [refused] = await Promise.all([page.waitForResponse(isSave), press(page, 'Save')]);
  expect(refused.status()).toBe(409);
  await expect(page.getByRole('button', { name: 'Save' })).toBeEnabled();
  await press(page, 'Save');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect((await stored()).deliveries).toMatchObject({ alert: 'digest', 'low-stock': 'off' });
  await other.send('PUT', '/api/admin/notice-settings', { deliveries, recipients });
});

test('a retried save of the settings does not overwrite changes that another administrator saved', async ({
  page,
  shop,
  admin,
  complaints,
}) => {
  const path = '/api/admin/notice-settings';
  complaints.expectBrokenConnection(path);
  complaints.expectFailedRequest(path, 409);
  const other = createShopper(shop.url);
  await other.signIn(admin.email, TEST_PASSWORD);
  const stored = async () => (await other.get(path)).body.data as unknown as NoticeSettings;
  await page.goto('/admin?tab=notifications');
  await press(page, 'Settings');
  await page.getByLabel('Other alerts').selectOption('Off');
  const { deliveries, recipients } = await stored();
  await other.send('PUT', path, { deliveries: { ...deliveries, alert: 'digest', 'low-stock': 'off' }, recipients });
  await page.route(path, breakSave);
  await press(page, 'Save');
  // The form has been loaded again.
  await expect(page.getByLabel('Low stock')).toHaveValue('off');
  await page.unroute(path, breakSave);
  await press(page, 'Save');
  await expect(page.getByRole('alert')).toContainText('Someone else changed these settings meanwhile');
  expect((await stored()).deliveries.alert).toBe('digest');
  await other.send('PUT', path, { deliveries, recipients });
});

test('a product has its own low-stock threshold', async ({ page, admin: _, stockUp }) => {
  const { id, name } = await stockUp({ items: 12 });
  await page.goto(productDialog('edit', { id, name }));
  const field = page.getByLabel('Running low at');
  await expect(field).toHaveValue('9');
  await field.fill('-1');
  await press(page, 'Save Changes');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill('12');
  await press(page, 'Save Changes');
  await expect(toast(page)).toContainText(`"${name}" has been updated`);
  await page.goto('/admin');
  const low = page.getByRole('region', { name: 'Low Stock' });
  await low.getByRole('button', { name: /^Show all/ }).click();
  await expect(low).toContainText(name);
});
