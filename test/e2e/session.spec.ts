import { expect } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import {
  awaitCalls,
  holdBack,
  LIGHT_PAGE,
  leaveInStorage,
  logOut,
  newEmail,
  pay,
  readKey,
  savedCart,
  seesSuccess,
  signIn,
  stored,
} from './steps.ts';

test('the demo customer signs in with the demo hint, buys, sees the new order first in My Orders, and logs out', async ({
  page,
  stockUp,
}) => {
  const [customer] = demoAccounts;
  const product = await stockUp();
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await page.goto('/checkout');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Use Customer' }).click();
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();

  await expect(page).toHaveURL('/checkout');
  await expect(page.getByLabel('Email')).toHaveValue(customer?.email ?? '');
  await expect(page.getByLabel('Password', { exact: true })).toHaveCount(0);
  await pay(page);
  await seesSuccess(page);
  await expect(page.getByRole('heading', { name: 'Account Created' })).toHaveCount(0);
  await expect(page).toHaveURL('/orders');
  const orders = page.getByRole('article');
  await expect(orders.first()).toContainText(product.name);
  await expect(orders.filter({ hasText: 'Hollow Lantern' })).toBeVisible();
  await orders
    .first()
    .getByRole('link', { name: /^View Items/ })
    .click();
  expect(await readKey(page)).toBe(product.keys[0]);

  await logOut(page);
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'token')).toBeNull();
  expect(await stored(page, 'user')).toBeNull();
});

test('a second purchase in the same browser creates a separate order', async ({
  page,
  stockUp,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  for (const name of ['First Of Two', 'Second Of Two']) {
    await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp({ name }) }]) });
    await page.goto('/checkout');
    await pay(page);
    await seesSuccess(page);
    await expect(page).toHaveURL('/orders');
    await expect(page.getByRole('article').first()).toContainText(name);
  }
  await expect(page.getByRole('article')).toHaveCount(2);
});

test('a wrong password shows an error and keeps the email; the correct password then signs in', async ({
  page,
  customer,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: 'not-the-password' });
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Invalid email or password');
  await expect(page).toHaveURL('/login');
  await expect(page.getByLabel('Email')).toHaveValue(customer.email);
  expect(await stored(page, 'token')).toBeNull();

  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
});

test('My Orders redirects a visitor to the login and back, and shows "No Orders Yet" without orders', async ({
  page,
  customer,
}) => {
  await page.goto('/orders');
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
  await looksRightEverywhere(page);
  await page.getByRole('main').getByRole('link', { name: 'Start Shopping' }).click();
  await expect(page).toHaveURL('/');
});

test('an order of another buyer is denied like an order that does not exist', async ({
  page,
  otherBrowser,
  shop,
  stockUp,
  signedIn,
  customer,
  complaints,
}) => {
  const bought = [{ product: await stockUp(), quantity: 1 }];
  const { orderId } = await createShopper(shop.url).buy(bought, { email: newEmail() });
  const path = `/order-items/${orderId}`;
  const missing = '/order-items/01990000-0000-7000-8000-000000000000';

  const stranger = page;
  await signedIn(stranger, customer);
  for (const denied of [path, missing]) {
    complaints.expectFailedRequest(`/api/digital-orders/${denied.split('/').pop()}/items`, 404);
    await stranger.goto(denied);
    await expect(stranger.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
    await expect(stranger.getByRole('alert')).toHaveText('Order not found');
  }
  await stranger.getByRole('link', { name: 'Back to Orders' }).click();
  await expect(stranger).toHaveURL('/orders');

  const passerBy = await otherBrowser();
  await passerBy.goto(path);
  await expect(passerBy).toHaveURL('/login');
  await signIn(passerBy, { email: (await makeUser(shop)).email, password: TEST_PASSWORD });
  await expect(passerBy).toHaveURL(path);
  await expect(passerBy.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
});

test('a revoked session is cleared, and the login returns to the requested page', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  await signedIn(page, customer);
  await page.goto('/orders?from=mail');
  await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
  // The refusal arrives after the screen is shown, as in a quick browser with a slow shop.
  const isOpen = Promise.withResolvers<void>();
  await page.route('**/api/**', async (route) => {
    await isOpen.promise;
    await route.continue();
  });
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', customer.id).execute();
  complaints.expectFailedRequest(/^\/api\//, 401);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'My Orders' })).toBeVisible();
  isOpen.resolve();
  await expect(page).toHaveURL('/login');
  expect(await stored(page, 'token')).toBeNull();
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/orders?from=mail');
});

test('a visitor who signs in returns to the requested URL with its query', async ({ page, shop }) => {
  const admin = await makeUser(shop, { role: 'admin' });
  await page.goto('/admin?tab=notifications');
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: admin.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/admin?tab=notifications');
});

test('a session survives a navigation while the request for the user is pending', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  const call = await holdBack(page, '/api/auth/me');
  await page.goto('/profile');
  await call.made;
  await page.goto('/orders');
  call.letGo();
  await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
});

test('a session survives a 503 response to the request for the user', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  await signedIn(page, customer);
  complaints.expectFailedRequest('/api/auth/me', 503);
  await page.route('/api/auth/me', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.goto('/orders');
  await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
});

test('Logout shows that it waits for a cart sync, and a second press has no effect', async ({
  page,
  context,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  const tab = await context.newPage();
  await tab.goto(LIGHT_PAGE);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(LIGHT_PAGE);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expect(menu.getByRole('button', { name: 'Logout' })).toBeVisible();
  const calls: string[] = [];
  page.on('request', (request) => calls.push(request.url()));
  // The wait ends with the other tab, and not after a second, in which a slow machine may not press twice.
  await page.evaluate(() => {
    AbortSignal.timeout = () => new AbortController().signal;
  });
  await tab.evaluate(
    () =>
      new Promise<void>((hasLock) => {
        const keep = () => new Promise(() => hasLock());
        void navigator.locks.request('cart', keep);
      }),
  );
  await menu.getByRole('button', { name: 'Logout' }).click();
  await menu.getByRole('button', { name: 'Logging out…' }).click();
  await tab.close();
  await expect(menu.getByRole('link', { name: 'Sign In' })).toBeVisible();
  await page.evaluate(() => navigator.locks.request('cart', () => undefined));
  expect(calls.filter((url) => url.endsWith('/api/auth/logout'))).toHaveLength(1);
  await expect(page).toHaveURL(LIGHT_PAGE);
  await expect(page.getByRole('region', { name: 'Notifications' }).getByRole('listitem')).toHaveCount(0);
});

test('logging out in one tab signs the other tab out', async ({ page, context, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto('/orders');
  const other = await context.newPage();
  await other.goto(LIGHT_PAGE);
  await awaitCalls(page);
  await logOut(other);
  await expect(page).toHaveURL('/login');
});

test('a page that Back restores as it was left shows nothing of a session that has ended meanwhile', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/order-items/${order}`);
  await readKey(page);
  // The browser delivers no event of this change to a page that was left; none comes to the tab that makes it, either.
  await page.evaluate(() => localStorage.clear());
  await expect(page.getByRole('code')).toBeVisible();
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('code')).toHaveCount(0);
});

test('a page that is left keeps none of its items, and asks the shop for them again when Back restores it', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/order-items/${order}`);
  const key = await readKey(page);
  const items = await holdBack(page, '/api/digital-orders/*/items');
  const kept = await page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    return document.body.textContent;
  });
  expect(kept).not.toContain(key);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await items.made;
  await expect(page.getByRole('code')).toHaveCount(0);
  items.letGo();
  await expect(page.getByRole('code')).not.toHaveText(key);
});
