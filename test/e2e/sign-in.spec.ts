import { expect, type Page } from '@playwright/test';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { type Authenticator, enableTwoFactor } from '../authenticator.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test as base } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { logOut, signIn, stored } from './steps.ts';

const test = base.extend<{ authenticator: Authenticator; askedForCode: (page: Page) => Promise<void> }>({
  /** The authenticator of this test's customer. */
  authenticator: async ({ shop, customer }, use) => {
    const shopper = createShopper(shop.url);
    await shopper.signIn(customer.email, TEST_PASSWORD);
    await use(await enableTwoFactor(shopper));
  },

  askedForCode: ({ customer, authenticator: _ }, use) =>
    use(async (page) => {
      await page.goto('/login');
      await signIn(page, { email: customer.email, password: TEST_PASSWORD });
      await expect(digits(page).first()).toBeFocused();
    }),
});

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Two-factor authentication' });
const digits = (page: Page) => dialogOf(page).getByRole('group').getByRole('textbox');
const verify = (page: Page) => dialogOf(page).getByRole('button', { name: 'Verify' });
const refusal = (page: Page) => dialogOf(page).getByRole('alert');

test('with two-factor, the login asks for the password, then for a code, and returns to the requested page', async ({
  page,
  customer,
  authenticator,
}) => {
  await page.goto('/orders');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(dialogOf(page)).toContainText(/code/);
  await expect(digits(page)).toHaveCount(6);
  await expect(digits(page).first()).toBeFocused();
  await expect(digits(page).first()).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(verify(page)).toBeDisabled();
  expect(await stored(page, 'token')).toBeNull();

  await page.keyboard.type('12a34x');
  await expect(digits(page).nth(3)).toHaveValue('4');
  await expect(digits(page).nth(4)).toHaveValue('');
  await expect(dialogOf(page)).toContainText('Please enter a 6-digit code');
  await expect(verify(page)).toBeDisabled();
  for (const _ of '1234') await page.keyboard.press('Backspace');

  await page.keyboard.type(authenticator.nextCode());
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
});

test('a wrong code shows an error and clears the field; a correct code, pasted as a whole, signs in', async ({
  page,
  context,
  authenticator,
  askedForCode,
  complaints,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  complaints.expectFailedRequest('/api/auth/login', 401);
  await askedForCode(page);
  for (const _ of ['once', 'and again']) {
    await page.keyboard.type('000000');
    await expect(refusal(page)).toHaveText('Invalid 2FA code');
    await expect(digits(page).first()).toBeFocused();
    await expect(digits(page).first()).toHaveValue('');
  }
  await looksRightEverywhere(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  const code = authenticator.nextCode();
  await page.evaluate((text) => navigator.clipboard.writeText(text), `${code.slice(0, 3)} ${code.slice(3)}`);
  await page.keyboard.press('ControlOrMeta+v');
  await expect(page).toHaveURL('/');
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
});

test('a seventh digit is ignored while the code is checked and right after it is refused', async ({
  page,
  authenticator,
  askedForCode,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  await page.clock.install();
  const sent: string[] = [];
  const { promise: isLookedAt, resolve: answer } = Promise.withResolvers<void>();
  // Routed before the page is loaded: in Chromium, the first request of a loaded page may get past a new route.
  await page.route('/api/auth/login', async (route) => {
    const { twoFactorToken } = route.request().postDataJSON();
    if (twoFactorToken !== undefined) {
      sent.push(twoFactorToken);
      await isLookedAt;
    }
    await route.continue();
  });
  await askedForCode(page);
  await page.keyboard.type('1234567');
  await expect(digits(page).last()).toHaveValue('6');
  await expect(verify(page)).toHaveAttribute('aria-disabled', 'true');

  // Types a digit at the moment when the refusal appears.
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      if (!document.querySelector('dialog [role=alert]')) return;
      observer.disconnect();
      document.execCommand('insertText', false, '8');
    });
    observer.observe(document.body, { childList: true, subtree: true });
  });
  answer();
  await expect(refusal(page)).toHaveText('Invalid 2FA code');
  await expect(digits(page).first()).toBeFocused();
  for (const digit of await digits(page).all()) await expect(digit).toHaveValue('');

  await page.clock.fastForward(1000);
  const code = authenticator.nextCode();
  await page.keyboard.type(code);
  await expect(page).toHaveURL('/');
  expect(sent).toEqual(['123456', code]);
});

test('a backup code signs in once', async ({ page, otherBrowser, authenticator, askedForCode, complaints }) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  const [backupCode = ''] = authenticator.backupCodes;
  const enterBackupCode = async (visitor: Page) => {
    await askedForCode(visitor);
    await dialogOf(visitor).getByRole('button', { name: 'Use a backup code' }).click();
    await expect(visitor.getByLabel('Backup code')).toBeFocused();
    await expect(verify(visitor)).toBeDisabled();
    await visitor.keyboard.type(backupCode);
    await verify(visitor).click();
  };
  await enterBackupCode(page);
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();

  const other = await otherBrowser();
  await enterBackupCode(other);
  await expect(refusal(other)).toHaveText('Invalid 2FA code');
  await looksRightEverywhere(other);
  await dialogOf(other).getByRole('button', { name: 'Use the authenticator app' }).click();
  await expect(digits(other).first()).toBeFocused();
});

test('cancelling the code dialog returns to the password, and "Contact Support" leads to the contact page', async ({
  page,
  customer,
  askedForCode,
}) => {
  await askedForCode(page);
  const password = page.getByLabel('Password', { exact: true });
  for (const cancel of [
    () => page.keyboard.press('Escape'),
    () => dialogOf(page).getByRole('button', { name: 'Cancel' }).click(),
    () => dialogOf(page).getByRole('button', { name: 'Close' }).click(),
  ]) {
    await expect(dialogOf(page)).toHaveAttribute('open');
    await cancel();
    await expect(dialogOf(page)).toBeHidden();
    await expect(password).toBeFocused();
    await expect(page.getByLabel('Email')).toHaveValue(customer.email);
    await page.keyboard.press('Enter');
  }
  await dialogOf(page).getByRole('link', { name: 'Contact Support' }).click();
  await expect(page).toHaveURL('/info/contact');
  await expect(dialogOf(page)).toHaveCount(0);
});

test('a code entered too late leads back to the password and keeps the email', async ({
  page,
  shop,
  customer,
  authenticator,
  askedForCode,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  await askedForCode(page);
  await shop.db.deleteFrom('verifications').where('user_id', '=', customer.id).execute();
  await page.keyboard.type(authenticator.nextCode());
  await expect(dialogOf(page)).toBeHidden();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'That took too long. Please enter your password again.',
  );
  await expect(page.getByLabel('Email')).toHaveValue(customer.email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
});

test('a refusal without a message shows "Invalid 2FA code", and a rate limit asks to wait', async ({
  page,
  askedForCode,
  complaints,
}) => {
  await askedForCode(page);
  for (const [status, code, words] of [
    [401, 'INVALID_CODE', 'Invalid 2FA code'],
    [429, 'RATE_LIMITED', 'Please wait a moment before trying again'],
  ] as const) {
    complaints.expectFailedRequest('/api/auth/login', status);
    await page.route('/api/auth/login', (route) => route.fulfill({ status, json: { code } }));
    await page.keyboard.type('123456');
    await expect(refusal(page)).toHaveText(words);
    await page.unroute('/api/auth/login');
  }
});

test('the login response includes the user, so that no further request for the user is made', async ({
  page,
  customer,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
  await logOut(page);
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
  await expect
    .poll(() => asked.filter((path) => path.startsWith('/api/auth/')))
    .toEqual(['/api/auth/login', '/api/auth/logout']);
});

test('"Remember me" extends the session from 12 hours to 30 days', async ({ page, shop, customer }) => {
  const longest = async ({ id }: UserRow) => {
    const sessions = await shop.db.selectFrom('sessions').selectAll().where('user_id', '=', id).execute();
    return Math.max(...sessions.map((row) => row.expires_at.getTime() - row.created_at.getTime()));
  };
  for (const [remember, length] of [
    [false, 12 * HOUR_MS],
    [true, 30 * 24 * HOUR_MS],
  ] as const) {
    await page.goto('/login');
    if (remember) await page.getByLabel('Remember me').check();
    await signIn(page, { email: customer.email, password: TEST_PASSWORD });
    await expect(page).toHaveURL('/');
    expect(await longest(customer)).toBe(length);
    await logOut(page);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
  }
});

test('the login links to the password reset, to registration and to finding an order without an account', async ({
  page,
}) => {
  await page.goto('/login');
  for (const [name, path] of [
    ['Forgot password?', '/forgot-password'],
    ['See how to get one', '/register'],
    ['Find my order without signing in', '/find-order'],
  ] as const) {
    await page.getByRole('main').getByRole('link', { name }).click();
    await expect(page).toHaveURL(path);
    await expect(page.getByRole('main')).toBeFocused();
    await page.goBack();
  }
});
