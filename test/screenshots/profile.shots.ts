import { expect } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { test } from '../e2e/fixtures.ts';
import { leaveInStorage } from '../e2e/steps.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { shoot } from './shoot.ts';

test('an administrator who has proven nothing, on several devices', async ({ page, shop, signedIn }) => {
  const admin = await makeUser(shop, { role: 'admin', email_verified_at: null });
  const phone = {
    'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1',
  };
  const body = { email: admin.email, password: TEST_PASSWORD };
  await createShopper(shop.url, { from: '203.0.113.7' }).send('POST', '/api/auth/login', body, phone);
  await signedIn(page, admin);
  await page.goto('/profile');
  await expect(page.getByRole('button', { name: 'Sign out all other devices' })).toBeVisible();
  await expect(page.getByText('Please enable 2FA')).toBeVisible();
  await shoot(page, 'profile-admin');
  await page.getByRole('button', { name: 'Send verification mail' }).click();
  await expect(page.getByText('We have mailed a link')).toBeVisible();
  await shoot(page, 'profile-verification-sent');
});

test('the forms of the profile', async ({ page, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await page.getByRole('button', { name: 'Edit Profile' }).click();
  await page.getByRole('button', { name: 'Change Password' }).click();
  await shoot(page, 'profile-forms');
  await page.getByLabel('Name').fill('');
  await page.getByLabel('Email').fill('no address');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByRole('button', { name: 'Update Password' }).click();
  await expect(page.getByText('Please enter your current password')).toBeVisible();
  await shoot(page, 'profile-forms-all-wrong');
  await page.getByLabel('Name').fill('Nurul Huda');
  await page.getByLabel('Email').fill('nurul@example.com');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('We have mailed a link')).toBeVisible();
  await shoot(page, 'profile-new-address');
});

test('two-factor on the profile', async ({ page, shop, customer }) => {
  const shopper = createShopper(shop.url);
  const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
  await enableTwoFactor(shopper);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto('/profile');
  await expect(page.getByText('Sufficient')).toBeVisible();
  await shoot(page, 'profile-two-factor');
  await shop.db.deleteFrom('backup_codes').where('user_id', '=', customer.id).execute();
  await page.reload();
  await expect(page.getByText('You have no backup codes left.')).toBeVisible();
  await shoot(page, 'profile-two-factor-no-codes');
  await page.getByRole('button', { name: 'Disable 2FA' }).click();
  const dialog = page.getByRole('dialog');
  await shoot(page, 'profile-disable-two-factor');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Regenerate backup codes' }).click();
  await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await dialog.getByRole('button', { name: 'Regenerate' }).click();
  await expect(dialog.getByRole('listitem')).toHaveCount(10);
  await shoot(page, 'profile-new-codes');
});

test('setting up two-factor', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest('/api/auth/2fa/verify', 401);
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
  await shoot(page, 'two-factor-1-intro');
  await page.getByRole('button', { name: 'Get Started' }).click();
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
  await shoot(page, 'two-factor-2-codes');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.keyboard.type('000000');
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await shoot(page, 'two-factor-3-refused');
  await page.route('/api/auth/2fa/verify', (route) => route.fulfill({ json: { success: true } }));
  await page.keyboard.type('123456');
  await expect(page.getByRole('link', { name: 'Go to Profile' })).toBeVisible();
  await shoot(page, 'two-factor-done');
});

test('the dashboard', async ({ page, shop, signedIn }) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible();
  await shoot(page, 'admin');
});
