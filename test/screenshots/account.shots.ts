import { expect } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { enableTwoFactor } from '../authenticator.ts';
import { test } from '../e2e/fixtures.ts';
import { refundOneAndAlterAnother, withdraw } from '../e2e/order-changes.ts';
import { choosePassword, newEmail, signIn } from '../e2e/steps.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { shoot } from './shoot.ts';

test('login', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Use Customer' })).toBeVisible();
  await shoot(page, 'login');
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
  await shoot(page, 'login-incomplete');
  await signIn(page, { email: newEmail(), password: 'wrong-password' });
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await shoot(page, 'login-refused');
});

test('the second step of a login', async ({ page, shop, customer, complaints }) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  await enableTwoFactor(shopper);
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox').first()).toBeFocused();
  await shoot(page, 'login-code');
  await page.keyboard.type('000000');
  await expect(dialog.getByRole('alert')).toBeVisible();
  await shoot(page, 'login-code-refused');
  await dialog.getByRole('button', { name: 'Use a backup code' }).click();
  await shoot(page, 'login-backup-code');
});

test('a forgotten password', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/api/auth/resetpassword', 400);
  await page.goto('/forgot-password');
  await shoot(page, 'forgot-password');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible();
  await shoot(page, 'forgot-password-sent');
  await page.goto('/reset-password?token=a-link-that-nobody-was-sent-a-link-that-no');
  await shoot(page, 'reset-password');
  await choosePassword(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
  await shoot(page, 'reset-password-refused');
});

test('confirming an address', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/auth/confirmemail', 400);
  await page.goto('/confirm-email?token=a-link-that-nobody-was-sent-a-link-that-no');
  await expect(page.getByRole('link', { name: 'Sign in to confirm' })).toBeVisible();
  await shoot(page, 'confirm-email-signed-out');
  await signedIn(page, customer);
  await page.goto('/confirm-email?token=a-link-that-nobody-was-sent-a-link-that-no');
  await shoot(page, 'confirm-email');
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
  await shoot(page, 'confirm-email-refused');
});

test('finding an order', async ({ page }) => {
  await page.goto('/find-order');
  await shoot(page, 'find-order');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByLabel('Order number').fill('0123ABCD');
  await page.getByRole('button', { name: 'Send the code' }).click();
  await expect(page.getByRole('heading', { name: 'Enter the code' })).toBeVisible();
  await shoot(page, 'find-order-code');
});

test('register and claim', async ({ page, complaints }) => {
  await page.goto('/register');
  await shoot(page, 'register');
  await page.goto('/claim');
  await shoot(page, 'claim-without-a-link');
  complaints.expectFailedRequest('/api/auth/claim', 400);
  await page.goto('/claim?token=a-link-that-nobody-was-sent-a-link-that-no');
  await page.getByLabel('New Password', { exact: true }).fill('a-password-of-mine');
  await page.getByLabel('Confirm Password', { exact: true }).fill('a-password-of-mine');
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await shoot(page, 'claim-refused');
});

test("the demo customer's profile, orders and items", async ({ page }) => {
  await page.goto('/orders');
  await signIn(page, { email: demoAccounts[0]?.email ?? '', password: demoAccounts[0]?.password ?? '' });
  await expect(page.getByRole('article').first()).toBeVisible();
  await shoot(page, 'orders');
  await page.goto('/profile');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await shoot(page, 'profile');
  await page.goto('/orders');
  const order = page.getByRole('article').filter({ hasText: 'Hollow Lantern' });
  await order.getByRole('link', { name: /^View Items/ }).click();
  await expect(page.getByRole('button', { name: 'Show item 1' }).first()).toBeVisible();
  await shoot(page, 'items-masked');
  await page.getByRole('button', { name: 'Show item 1' }).last().click();
  await shoot(page, 'items-shown');
});

test('orders: none, loading, failed', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/orders/myorders', 403);
  complaints.expectFailedRequest('/api/digital-orders/myorders', 403);
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
  await shoot(page, 'orders-none');
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/**/myorders', async (route) => {
    await asked;
    await route.fulfill({ status: 403, json: {} });
  });
  await page.reload();
  await expect(page.getByText('Loading your orders')).toBeAttached();
  await shoot(page, 'orders-loading');
  answer();
  await expect(page.getByRole('heading', { name: 'Failed to load orders' })).toBeVisible();
  await shoot(page, 'orders-failed');
});

test('an order refunded in part, with an item that cannot be read', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
}) => {
  const product = await stockUp({ items: 3, warranty_days: 30 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 3 }]);
  await refundOneAndAlterAnother(shop, id, product);
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(page.getByText('Partly refunded')).toBeVisible();
  await shoot(page, 'orders-refunded-in-part');
  await page.goto(`/order-items/${id}`);
  await expect(page.getByText('cannot be read')).toBeVisible();
  await shoot(page, 'items-refunded-in-part');
});

test('items: withdrawn, denied', async ({ page, shop, customer, signedIn, stockUp, complaints }) => {
  const product = await stockUp({ warranty_days: 30 });
  const bought = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await withdraw(shop, product);
  await signedIn(page, customer);
  await page.goto(`/order-items/${bought}`);
  await expect(page.getByText('No items available.')).toBeVisible();
  await shoot(page, 'items-withdrawn');

  const id = '01990000-0000-7000-8000-000000000000';
  complaints.expectFailedRequest(`/api/digital-orders/${id}/items`, 404);
  await page.goto(`/order-items/${id}`);
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
  await shoot(page, 'items-denied');
});

test('confirming that it is you', async ({ page, shop, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/auth/2fa/setup', 403);
  await signedIn(page, customer);
  const authenticated_at = new Date(Date.now() - 3_600_000);
  await shop.db.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', customer.id).execute();
  await page.goto('/2fa-setup');
  await page.getByRole('button', { name: 'Get Started' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await shoot(page, 'reauthentication');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await shoot(page, 'reauthentication-incomplete');
});

test('undoing a changed address', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/api/auth/undoemail', 400);
  await page.route('/api/auth/undoemail', (route) =>
    route.fulfill({ json: { success: true, requiresTwoFactor: true, message: '' } }),
  );
  await page.goto('/undo-email?token=a-link-that-nobody-was-sent-a-link-that-no');
  const undo = page.getByRole('button', { name: 'Undo the change' });
  await expect(undo).toBeVisible();
  await shoot(page, 'undo-email');
  await undo.click();
  await page.getByLabel('Code').fill('123456');
  await shoot(page, 'undo-email-code');
  await page.unroute('/api/auth/undoemail');
  await page.route('/api/auth/undoemail', (route) =>
    route.fulfill({ json: { success: true, data: { email: 'mei@example.com' } } }),
  );
  await undo.click();
  await expect(page.getByRole('heading', { name: 'Your email is restored' })).toBeVisible();
  await shoot(page, 'undo-email-done');
  await page.unroute('/api/auth/undoemail');
  await page.goto('/undo-email?token=a-link-that-nobody-was-sent-a-link-that-no');
  await undo.click();
  await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
  await shoot(page, 'undo-email-refused');
});
