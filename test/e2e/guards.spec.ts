import { expect, type Page } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { leaveInStorage, logOut, press, signIn, stored } from './steps.ts';

const FIVE_MINUTES_MS = 5 * 60_000;

const NO_SESSION = 'Please login to continue.';
const INVALID = 'Invalid session. Please login again.';
const EXPIRED = 'Session expired. Please login again.';
const DENIED = 'Access denied. Administrator privileges required.';

const messages = (page: Page) => page.getByRole('region', { name: 'Notifications' }).getByRole('listitem');
const says = (page: Page, words: string) => expect(messages(page)).toHaveText([`Warning: ${words}`]);
const heading = (page: Page) => page.getByRole('heading', { name: 'Admin Dashboard', exact: true });
/** Waits for all data of the dashboard, so that none of its calls is under way and refused before the tested one. */
async function seesWholeDashboard(page: Page): Promise<void> {
  await expect(heading(page)).toBeVisible();
  for (const name of ['Best Sellers', 'Low Stock'])
    await expect(page.getByRole('region', { name }).getByRole('list')).toBeVisible();
}

const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
const tokenOf = (header: object, payload: object) => `${part(header)}.${part(payload)}.signature`;
const nowSeconds = () => Math.floor(Date.now() / 1000);

test('every account screen redirects a visitor to the login with a message', async ({ page }) => {
  for (const path of [
    '/orders',
    '/order-items/01990000-0000-7000-8000-000000000000',
    '/profile',
    '/2fa-setup',
    '/admin',
  ]) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page).toHaveURL('/login');
      await says(page, NO_SESSION);
    });
  }
});

const unusableTokens = [
  ['has no three parts', INVALID, () => 'no-token'],
  ['is not readable', INVALID, () => 'not.a.token'],
  [
    'belongs to the second step of a login',
    INVALID,
    () => tokenOf({ alg: 'HS256', typ: 'pending-login+jwt' }, { exp: nowSeconds() + 300 }),
  ],
  ['has expired', EXPIRED, () => tokenOf({ alg: 'HS256', typ: 'session+jwt' }, { sid: 'gone', exp: nowSeconds() - 1 })],
] as const;

for (const path of ['/orders', '/admin']) {
  test(`${path} with an unusable token redirects to the login without calling the server`, async ({
    page,
    customer,
    signedIn,
  }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    for (const [kind, words, makeToken] of unusableTokens) {
      await test.step(`a token that ${kind}`, async () => {
        await signedIn(page, customer);
        await leaveInStorage(page, { token: makeToken() });
        await page.goto(path);
        await expect(page).toHaveURL('/login');
        await says(page, words);
        expect([await stored(page, 'token'), await stored(page, 'user')]).toEqual([null, null]);
        expect(asked.filter((path) => /^\/api\/(auth|orders|digital-orders|users)/.test(path))).toEqual([]);
      });
    }
  });
}

test('a customer is denied the dashboard and redirected to the home page', async ({ page, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto('/admin');
  await expect(page).toHaveURL('/');
  await says(page, DENIED);
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
});

test('an administrator is verified before the dashboard is shown, and the dashboard links back to the profile', async ({
  page,
  shop,
  signedIn,
}) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/auth/me', async (route) => {
    await mayAnswer;
    await route.continue();
  });
  await page.goto('/admin');
  await expect(page.getByText('Verifying admin access...')).toBeVisible();
  await expect(heading(page)).toHaveCount(0);
  await looksRightEverywhere(page);
  answer();
  await expect(heading(page)).toBeVisible();
  await expect(page.getByText('Complete control & management')).toBeVisible();
  await page.getByRole('link', { name: 'Back to profile' }).click();
  await expect(page).toHaveURL('/profile');
});

test('a failed verification of an administrator shows an error and can be retried', async ({
  page,
  admin: _,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/me', 403);
  await page.goto('/profile');
  await expect(page.getByRole('link', { name: 'Admin Dashboard' })).toBeVisible();
  await page.route('/api/auth/me', (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
  await page.getByRole('link', { name: 'Admin Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Admin access could not be verified' })).toBeVisible();
  await looksRightEverywhere(page, [1280, 390]);
  await press(page, 'Try again');
  await expect(heading(page)).toBeVisible();
});

test.describe('the five-minute check of the administrator on the dashboard', () => {
  test.beforeEach(async ({ page }) => {
    await page.clock.install();
  });

  test('keeps an unchanged administrator on the dashboard, and redirects home once the role is lost', async ({
    page,
    shop,
    signedIn,
  }) => {
    const admin = await makeUser(shop, { role: 'admin' });
    await signedIn(page, admin);
    await page.goto('/admin');
    await seesWholeDashboard(page);
    let checks = 0;
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/api/auth/me' && response.status() === 200) checks += 1;
    });
    for (const count of [1, 2]) {
      // The five minutes start when the page has read the answer of the check before, shortly after its arrival.
      await expect(async () => {
        await page.clock.runFor(FIVE_MINUTES_MS);
        await expect.poll(() => checks, { timeout: 2_000 }).toBeGreaterThanOrEqual(count);
      }).toPass();
      await expect(heading(page)).toBeVisible();
    }
    await shop.db.updateTable('users').set({ role: 'customer' }).where('id', '=', admin.id).execute();
    await expect(async () => {
      await page.clock.runFor(FIVE_MINUTES_MS);
      await expect(page).toHaveURL('/', { timeout: 2_000 });
    }).toPass();
    await says(page, DENIED);
  });

  test('redirects to the login once the session has ended', async ({ page, shop, signedIn, complaints }) => {
    complaints.expectFailedRequest('/api/auth/me', 401);
    const admin = await makeUser(shop, { role: 'admin' });
    await signedIn(page, admin);
    // The page reads the account's cart once: before the session ends, so that only the check finds it ended.
    const cartIsRead = page.waitForResponse('/api/users/cart');
    const leftAt = await page.evaluate(() => Date.now());
    await page.goto('/admin');
    await seesWholeDashboard(page);
    await cartIsRead;
    await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', admin.id).execute();
    // The five minutes started while the page was loading.
    const loadingMs = (await page.evaluate(() => Date.now())) - leftAt;
    await page.clock.runFor(FIVE_MINUTES_MS - loadingMs - 30_000);
    await expect(heading(page)).toBeVisible();
    await page.clock.runFor(loadingMs + 30_000);
    await expect(page).toHaveURL('/login');
    await says(page, EXPIRED);
    expect(await stored(page, 'token')).toBeNull();
  });
});

test('a logout shows no message to log in, and the next login leads to the home page', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await expect(page.getByRole('heading', { name: customer.name })).toBeVisible();
  await logOut(page);
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
  expect(await messages(page).count()).toBe(0);
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
});

for (const [path, change] of [
  [
    '/api/auth/updatedetails',
    async (page: Page) => {
      await press(page, 'Edit Profile');
      await press(page, 'Save Changes');
    },
  ],
  [
    '/api/auth/updatepassword',
    async (page: Page) => {
      await press(page, 'Change Password');
      await page.getByLabel('Current Password', { exact: true }).fill(TEST_PASSWORD);
      await page.getByLabel('New Password', { exact: true }).fill('staples beyond batteries');
      await page.getByLabel('Confirm New Password', { exact: true }).fill('staples beyond batteries');
      await press(page, 'Update Password');
    },
  ],
] as const) {
  test(`a response of ${path} that arrives after the logout does not sign the user in again`, async ({
    page,
    customer,
    signedIn,
  }) => {
    await signedIn(page, customer);
    await page.goto('/profile');
    await expect(page.getByRole('heading', { name: customer.name })).toBeVisible();
    const [changed, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(path, async (route) => {
      const response = await route.fetch();
      changed.resolve();
      await letGo.promise;
      await route.fulfill({ response });
    });
    await change(page);
    await changed.promise;
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL('/login');
    // A link that moves under the pointer is not followed: the login screen has to be there first.
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Sign In');
    const late = page.waitForResponse(path);
    letGo.resolve();
    await (await late).finished();
    await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Terms');
    expect([await stored(page, 'token'), await stored(page, 'user')]).toEqual([null, null]);
  });
}

test('a 401 response to a guest call does not sign the user out', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/order-lookup/guest', 401);
  await signedIn(page, customer);
  await page.goto('/find-order');
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/order-lookup/guest', async (route) => {
    await mayAnswer;
    await route.fulfill({ status: 401, json: { code: 'UNAUTHENTICATED' } });
  });
  await page.getByLabel('Email').fill(customer.email);
  await page.getByLabel('Order number').fill('0123ABCD');
  await page.getByRole('button', { name: 'Send the code' }).click();
  // This screen stays after any 401. The profile stays only because the call is a guest's.
  await page.getByRole('link', { name: 'My Profile' }).click();
  await expect(page).toHaveURL('/profile');
  const answered = page.waitForResponse('/api/order-lookup/guest');
  answer();
  await (await answered).finished();
  await expect(page.getByRole('heading', { name: customer.name })).toBeVisible();
  await expect(page).toHaveURL('/profile');
  expect(await stored(page, 'token')).not.toBeNull();
});

test('a call that was sent before the logout and gets 401 after it neither redirects nor shows a message', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/sessions', 401);
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/auth/sessions', async (route) => {
    await mayAnswer;
    await route.fulfill({ status: 401, json: { code: 'UNAUTHENTICATED' } });
  });
  await signedIn(page, customer);
  const asked = page.waitForRequest('/api/auth/sessions');
  await page.goto('/profile');
  await asked;
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page).toHaveURL('/login');
  await page.getByRole('contentinfo').getByRole('link', { name: 'About us' }).click();
  await expect(page).toHaveURL('/info/about');
  const answered = page.waitForResponse('/api/auth/sessions');
  answer();
  await (await answered).finished();
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Terms');
  expect(await messages(page).count()).toBe(0);
});
