import { expect, type Page } from '@playwright/test';
import { TEST_PASSWORD } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo, openLink } from './mails.ts';
import { choosePassword, newEmail, PASSWORD, signIn, stored } from './steps.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const subject = /new password/;

async function askForLink(page: Page, email: string) {
  await page.goto('/forgot-password');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(heading(page, 'Check your mail')).toBeFocused();
}

const changePassword = (page: Page) => page.getByRole('button', { name: 'Change password' }).click();

test('a mailed link resets a forgotten password once and ends every session', async ({
  page,
  otherBrowser,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  const elsewhere = await otherBrowser();
  await signedIn(elsewhere, customer);
  await elsewhere.goto('/orders');
  await expect(heading(elsewhere, 'My Orders')).toBeVisible();

  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot password?' }).click();
  await askForLink(page, customer.email);
  const mail = await mailTo(shop, { email: customer.email, subject });
  const token = await openLink(page, mail);
  await expect(heading(page, 'New password')).toBeVisible();
  await expect(page).toHaveURL('/reset-password');
  const referers: (string | undefined)[] = [];
  page.on('request', (request) => referers.push(request.headers()['referer']));
  await choosePassword(page);
  await changePassword(page);

  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Your password is changed');
  await expect(page.getByLabel('Email')).toHaveValue(customer.email);
  expect(token.length).toBeGreaterThan(20);
  expect(referers.filter((referer) => referer?.includes(token))).toEqual([]);
  await page.goBack();
  await expect(page).not.toHaveURL(new RegExp(token));

  complaints.expectFailedRequest('/api/auth/login', 401);
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Invalid email or password');
  await looksRightEverywhere(page);
  await signIn(page, { email: customer.email, password: PASSWORD });
  await expect(page).toHaveURL('/');

  for (const path of ['/api/auth/me', '/api/digital-orders/myorders', '/api/orders/myorders']) {
    complaints.expectFailedRequest(path, 401);
  }
  await elsewhere.reload();
  await expect(elsewhere).toHaveURL('/login');

  complaints.expectFailedRequest('/api/auth/resetpassword', 400);
  await openLink(elsewhere, mail);
  await choosePassword(elsewhere, 'yet-another-password');
  await changePassword(elsewhere);
  await expect(heading(elsewhere, 'This link has been used or has expired')).toBeFocused();
  await elsewhere.getByRole('link', { name: 'Ask for a new link' }).click();
  await expect(elsewhere).toHaveURL('/forgot-password');
});

test('a reset signs out the user of this browser', async ({ page, shop, customer, signedIn }) => {
  await signedIn(page, customer);
  await askForLink(page, customer.email);
  await openLink(page, await mailTo(shop, { email: customer.email, subject }));
  await choosePassword(page);
  await changePassword(page);
  await expect(page).toHaveURL('/login');
  await expect(heading(page, 'Sign In')).toBeVisible();
  expect([await stored(page, 'token'), await stored(page, 'user')]).toEqual([null, null]);
});

test('a known and an unknown email get the same message', async ({ page, customer }) => {
  const said = async (email: string) => {
    await askForLink(page, email);
    return ((await page.getByRole('main').textContent()) ?? '').replace(email, 'ADDRESS');
  };
  const known = await said(customer.email);
  expect(known).toContain('If there is an account with this address, a mail with a link is on its way');
  expect(await said(newEmail())).toBe(known);
  await looksRightEverywhere(page);
});

test('the forms show an error at each field, and a missing link explains how to get one', async ({ page }) => {
  await page.goto('/forgot-password');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  await expect(page.getByLabel('Email')).toBeFocused();
  await looksRightEverywhere(page);

  await page.goto('/reset-password?token=a-link-that-nobody-was-sent-a-link-that-no');
  await changePassword(page);
  const confirmed = page.getByLabel('Confirm Password', { exact: true });
  await expect(confirmed).toHaveAccessibleDescription('Please confirm the password');
  await page.getByLabel('New Password', { exact: true }).fill('12345');
  await confirmed.fill('123456');
  await changePassword(page);
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible();
  await expect(page.getByText('Passwords do not match')).toBeVisible();
  await page.getByRole('button', { name: 'Show new password' }).click();
  await expect(page.getByLabel('New Password', { exact: true })).toHaveAttribute('type', 'text');

  await page.goto('/reset-password');
  await expect(heading(page, 'Open the link in your mail')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Ask for a new link' })).toBeVisible();
});

test('a mailed link still opens in a browser whose own session has ended', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/me', 401);
  for (const path of ['/reset-password', '/confirm-email', '/claim']) {
    await signedIn(page, customer);
    await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', customer.id).execute();
    await page.goto(`${path}?token=a-link-that-nobody-was-sent-a-link-that-no`);
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
    await expect(page).toHaveURL(path);
  }
});
