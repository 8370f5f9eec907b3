import { expect, type Page } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { fillCard, fillContact, LIGHT_PAGE, newEmail, openCheckout, payButton, problem, signIn } from './steps.ts';

const main = (page: Page) => page.getByRole('main');

test('the register page explains why and how a purchase creates an account, in four steps', async ({ page }) => {
  await page.goto('/register');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Buy to Register');
  await expect(main(page).getByRole('listitem')).toHaveText([
    /^1\. Browse/,
    /^2\. Check out.*name.*email.*password/,
    /^3\. Pay/,
    /^4\. Log in/,
  ]);
  await expect(main(page)).toContainText('It prevents spam and fake accounts');
  await expect(main(page).getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/login');
  await looksRightEverywhere(page);
  await main(page).getByRole('link', { name: 'Start Shopping' }).click();
  await expect(page).toHaveURL('/');
});

test('the login form asks for email and password, can show the password, and offers the demo accounts', async ({
  page,
}) => {
  await page.goto('/login');
  const password = page.getByLabel('Password', { exact: true });
  await expect(page.getByLabel('Email')).toHaveAttribute('type', 'email');
  await expect(page.getByLabel('Email')).toHaveAttribute('required');
  await expect(password).toHaveAttribute('type', 'password');
  await expect(password).toHaveAttribute('required');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'text');
  await page.getByRole('button', { name: 'Show password' }).click();
  await expect(password).toHaveAttribute('type', 'password');
  await expect(page.getByRole('checkbox', { name: 'Remember me' })).not.toBeChecked();
  await expect(main(page).getByText('Forgot password?')).toBeVisible();
  for (const { label, email } of demoAccounts) {
    await page.getByRole('button', { name: `Use ${label}` }).click();
    await expect(page.getByLabel('Email')).toHaveValue(email);
  }
  await expect(main(page).getByRole('link', { name: 'See how to get one' })).toHaveAttribute('href', '/register');
});

test('the login form requires both fields, and a sign-in leads to the home page', async ({ page, customer }) => {
  await page.goto('/login');
  await main(page).getByRole('button', { name: 'Sign In' }).click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  await expect(page.getByText('Please enter your password')).toBeVisible();
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
});

test('a held Enter sends the login form once, so a mistyped password uses one try', async ({
  page,
  customer,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  await page.goto('/login');
  await page.getByLabel('Email').fill(customer.email);
  await page.getByLabel('Password', { exact: true }).fill('mistyped');
  const tries: string[] = [];
  page.on('request', (request) => request.url().endsWith('/api/auth/login') && tries.push(request.url()));
  await page.keyboard.down('Enter');
  await expect(main(page).getByRole('alert')).toBeVisible();
  // Until the key is released, each further press is a repeated one.
  for (let presses = 0; presses < 5; presses++) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(tries).toHaveLength(1);
  await page.keyboard.press('Enter');
  await expect.poll(() => tries.length).toBe(2);
});

test('a login refusal without a message shows "Login failed", and a rate limit shows how long to wait', async ({
  page,
  complaints,
}) => {
  const path = '/api/auth/login';
  await page.goto('/login');
  // Each text differs from the one before, which stays until then.
  for (const [status, words, headers] of [
    [403, 'Login failed', {}],
    [429, 'Please wait a moment before trying again', {}],
    [429, 'Please try again in 3 minutes', { 'Retry-After': '170' }],
    [429, 'Please wait a moment before trying again', { 'Retry-After': '60' }],
    [429, 'Please try again in 24 hours', { 'Retry-After': '83100' }],
  ] as const) {
    complaints.expectFailedRequest(path, status);
    await page.route(path, (route) =>
      route.fulfill({ status, headers, json: { message: status === 429 ? 'no' : '' } }),
    );
    await signIn(page, { email: newEmail(), password: 'anything at all' });
    await expect(main(page).getByRole('alert')).toHaveText(words);
    await page.unroute(path);
  }
});

test('a public form names the failed action and keeps the typed values when the shop returns 503', async ({
  page,
  complaints,
}) => {
  const link = `token=${'t'.repeat(43)}`;
  const email = newEmail();
  const password = 'a-password-of-mine';
  for (const [path, api, typed, button, words] of [
    ['/forgot-password', 'auth/forgotpassword', [email], 'Send the link', 'The mail could not be sent'],
    ['/find-order', 'order-lookup/guest', [email, 'ABCDEF12'], 'Send the code', 'The code could not be sent'],
    [`/claim?${link}`, 'auth/claim', [password, password], /^Set password/, 'The password could not be set'],
    [`/undo-email?${link}`, 'auth/undoemail', [], 'Undo the change', 'The change could not be undone'],
  ] as const) {
    complaints.expectFailedRequest(`/api/${api}`, 503);
    await page.route(`/api/${api}`, (route) => route.fulfill({ status: 503, contentType: 'text/html', body: 'Down' }));
    await page.goto(path);
    const fields = main(page).locator('input');
    for (const [index, text] of typed.entries()) await fields.nth(index).fill(text);
    await main(page).getByRole('button', { name: button }).click();
    await expect(main(page).getByRole('alert')).toHaveText(`${words}. Please try again.`);
    expect(await fields.evaluateAll((those) => those.map((field) => (field as HTMLInputElement).value))).toEqual(typed);
  }
});

test('a payment that is refused without a message shows "Payment failed. Please try again."', async ({
  page,
  stockUp,
  complaints,
}) => {
  const path = '/api/digital-orders/guest/create-payment-intent';
  complaints.expectFailedRequest(path, 403);
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await page.route(path, (route) => route.fulfill({ status: 403, json: {} }));
  await payButton(page).click();
  await expect(problem(page).filter({ hasText: 'Payment failed. Please try again.' })).toBeVisible();
  await expect(payButton(page)).toBeEnabled();
});

test('a logout clears the stored session even when the shop cannot be reached', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectBrokenConnection('/api/auth/logout');
  await signedIn(page, customer);
  await page.goto(LIGHT_PAGE);
  await page.route('/api/auth/logout', (route) => route.abort('connectionreset'));
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
  expect(await page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('user')])).toEqual([
    null,
    null,
  ]);
});

test('a stored token that the shop rejects is cleared without leaving a public page', async ({
  page,
  complaints,
  customer,
  signedIn,
}) => {
  complaints.expectFailedRequest('/api/auth/me', 401);
  for (const path of ['/', '/register', '/checkout', '/login']) {
    await signedIn(page, customer);
    await page.evaluate(() => localStorage.setItem('token', 'not.a.token'));
    await page.goto(path);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
    await expect(page).toHaveURL(path);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  }
});

test('a stored user without a token is cleared at the start', async ({ page, customer, signedIn }) => {
  for (const token of [null, '']) {
    await signedIn(page, customer);
    await page.evaluate((text) => {
      if (text === null) localStorage.removeItem('token');
      else localStorage.setItem('token', text);
    }, token);
    await page.goto('/');
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  }
});
