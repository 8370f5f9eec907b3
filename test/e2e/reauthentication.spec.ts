import { expect, type Page } from '@playwright/test';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { enableTwoFactor } from '../authenticator.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo, openLink } from './mails.ts';
import type { RealShop } from './real-shop.ts';
import { newEmail, press, stored } from './steps.ts';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Confirm it is you' });
const confirm = (page: Page) => dialog(page).getByRole('button', { name: 'Confirm' }).click();

/** Moves the customer's logins back to eleven minutes ago. */
async function ageSessions({ db }: RealShop, { id }: UserRow): Promise<void> {
  const authenticated_at = new Date(Date.now() - 11 * 60_000);
  await db.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', id).execute();
}

/** Turns two-factor on for the customer who is signed in on the page; returns the backup codes. */
async function turnOnTwoFactor(page: Page, { url }: RealShop): Promise<string[]> {
  const shopper = createShopper(url);
  shopper.setToken((await stored(page, 'token')) ?? '');
  return (await enableTwoFactor(shopper)).backupCodes;
}

async function saveEmail(page: Page, email: string): Promise<void> {
  await press(page, 'Edit Profile');
  await page.getByLabel('Email').fill(email);
  await press(page, 'Save Changes');
}

test('a change of the email asks for the password once and is then saved', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 403);
  complaints.expectFailedRequest('/api/auth/reauthenticate', 400);
  await signedIn(page, customer);
  await ageSessions(shop, customer);
  await page.goto('/profile');
  const email = newEmail();
  await saveEmail(page, email);
  await expect(dialog(page).getByLabel('Password', { exact: true })).toBeFocused();
  await expect(dialog(page).getByRole('button', { name: 'Use a code instead' })).toHaveCount(0);
  await looksRightEverywhere(page);

  await confirm(page);
  await expect(dialog(page).getByRole('alert')).toHaveText('Please enter your password');
  await dialog(page).getByLabel('Password', { exact: true }).fill('not my password');
  await confirm(page);
  await expect(dialog(page).getByRole('alert')).toHaveText('Current password is incorrect');
  await dialog(page).getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await confirm(page);
  await expect(page.getByText('We have mailed a link to')).toContainText(email);
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('button', { name: 'Edit Profile' })).toBeFocused();

  // For ten minutes the page does not ask again.
  await page.goto('/2fa-setup');
  await press(page, 'Get Started');
  await expect(page.getByRole('heading', { name: 'Keep your backup codes' })).toBeVisible();
});

test('a dialog whose code fails to load asks for a page reload, and works after the reload', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 403);
  complaints.expectBrokenConnection(/identity-dialogs/);
  await signedIn(page, customer);
  await ageSessions(shop, customer);
  await page.route('**/assets/identity-dialogs-*.js', (route) => route.abort('connectionreset'));
  await page.goto('/profile');
  await saveEmail(page, newEmail());
  const refusal = page.getByText('We could not ask for your password. Please load the page again.');
  await expect(refusal).toBeVisible();
  await page.unrouteAll();
  await page.reload();
  await saveEmail(page, newEmail());
  await expect(dialog(page)).toBeVisible();
});

test('a cancelled confirmation changes nothing, shows a message, and is asked again next time', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 403);
  await signedIn(page, customer);
  await ageSessions(shop, customer);
  await page.goto('/profile');
  await saveEmail(page, newEmail());
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  // The dialog fades out, and is still visible until then.
  await expect(dialog(page)).toBeHidden();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'Please confirm that it is you. Nothing was changed.',
  );
  await expect(page).toHaveURL('/profile');
  await press(page, 'Save Changes');
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toBeHidden();
  expect(await stored(page, 'token')).not.toBeNull();
});

test('a backup code confirms the action if two-factor is enabled', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 403);
  complaints.expectFailedRequest('/api/auth/reauthenticate', 401);
  await signedIn(page, customer);
  const backupCodes = await turnOnTwoFactor(page, shop);
  await ageSessions(shop, customer);
  await page.goto('/profile');
  const email = newEmail();
  await saveEmail(page, email);
  await dialog(page).getByRole('button', { name: 'Use a code instead' }).click();
  const code = dialog(page).getByLabel('Code');
  await expect(code).toBeFocused();
  await looksRightEverywhere(page);
  await code.fill('000000');
  await confirm(page);
  await expect(dialog(page).getByRole('alert')).toHaveText('Invalid 2FA code');
  await expect(page).toHaveURL('/profile');
  await code.fill(backupCodes[0] ?? '');
  await confirm(page);
  await expect(page.getByText('We have mailed a link to')).toContainText(email);

  // The next confirmation begins with the password again.
  await ageSessions(shop, customer);
  await saveEmail(page, newEmail());
  await expect(dialog(page).getByLabel('Password', { exact: true })).toBeFocused();
});

test('disabling two-factor asks for the password once, even in an old session', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/2fa/disable', 400);
  await signedIn(page, customer);
  await turnOnTwoFactor(page, shop);
  await ageSessions(shop, customer);
  await page.goto('/profile');
  await press(page, 'Disable 2FA');
  const disabling = page.getByRole('dialog', { name: 'Disable two-factor authentication?' });
  const disable = async (password: string) => {
    await disabling.getByLabel('Password', { exact: true }).fill(password);
    await disabling.getByRole('button', { name: 'Disable 2FA' }).click();
  };
  await disable('not my password');
  await expect(disabling.getByRole('alert')).toHaveText('Current password is incorrect');
  await disable(TEST_PASSWORD);
  await expect(page.getByText('Two-factor authentication is off')).toBeVisible();
  await expect(dialog(page)).toHaveCount(0);
});

test('the confirmation opens above the dialog that makes a user an administrator', async ({
  page,
  shop,
  customer,
  admin,
  complaints,
}) => {
  complaints.expectFailedRequest(`/api/admin/users/${customer.id}/role`, 403);
  await ageSessions(shop, admin);
  await page.goto(`/admin/users/${customer.id}`);
  await press(page, 'Make administrator');
  await page.getByRole('dialog').getByRole('button', { name: 'Make administrator', exact: true }).click();
  await dialog(page).getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await confirm(page);
  await expect(page.getByText(`${customer.name} is now an administrator`)).toBeVisible();
  await expect(page).toHaveURL(`/admin/users/${customer.id}`);
});

test('a changed email is undone by the link mailed to the old address, with a 2FA code', async ({
  page,
  shop,
  signedIn,
  complaints,
}) => {
  const customer = await makeUser(shop, { email: newEmail() });
  await signedIn(page, customer);
  const backupCodes = await turnOnTwoFactor(page, shop);
  // A change of e-mail is confirmed only where two-factor is older than the session.
  const enabled_at = new Date(Date.now() - 60_000);
  await shop.db.updateTable('two_factor_secrets').set({ enabled_at }).where('user_id', '=', customer.id).execute();
  await page.goto('/profile');
  const taken = newEmail();
  await saveEmail(page, taken);
  await openLink(page, await mailTo(shop, { email: taken, subject: /Confirm/ }));
  await press(page, 'Confirm my email');
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeVisible();
  const emailNow = async () =>
    (await shop.db.selectFrom('users').select('email').where('id', '=', customer.id).executeTakeFirstOrThrow()).email;
  expect(await emailNow()).toBe(taken);

  complaints.expectFailedRequest('/api/auth/undoemail', 401);
  const mail = await mailTo(shop, { email: customer.email, subject: /was changed/ });
  await openLink(page, mail);
  await expect(page).toHaveURL('/undo-email');
  await expect(page.getByRole('button', { name: 'Undo the change' })).toBeVisible();
  expect(await emailNow()).toBe(taken);
  await press(page, 'Undo the change');
  const code = page.getByLabel('Code');
  await expect(code).toBeFocused();
  await looksRightEverywhere(page);
  await code.fill('000000');
  await press(page, 'Undo the change');
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Invalid 2FA code');
  await code.fill(backupCodes[0] ?? '');
  await press(page, 'Undo the change');
  await expect(page.getByRole('heading', { name: 'Your email is restored' })).toBeFocused();
  await expect(page.getByRole('main')).toContainText(customer.email);
  expect(await emailNow()).toBe(customer.email);
  expect(await stored(page, 'token')).toBeNull();
  await looksRightEverywhere(page);

  const reset = await mailTo(shop, { email: customer.email, subject: /is restored/ });
  await openLink(page, reset);
  await expect(page.getByRole('heading', { name: 'New password' })).toBeVisible();

  complaints.expectFailedRequest('/api/auth/undoemail', 400);
  await openLink(page, mail);
  await press(page, 'Undo the change');
  await expect(page.getByRole('heading', { name: 'This link has been used or has expired' })).toBeFocused();
});
