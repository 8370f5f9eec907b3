import { expect } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { leaveInStorage } from './steps.ts';

test.describe('has no fault of accessibility and fits, in both themes, wide and narrow:', () => {
  test('the profile of an administrator who has proven nothing', async ({ page, shop, signedIn }) => {
    const admin = await makeUser(shop, {
      role: 'admin',
      email_verified_at: null,
      name: 'A Person With Quite a Long Name of Many Parts',
      email: 'a-person-with-quite-a-long-name-of-many-parts@a-shop-of-that-name.example.com',
    });
    await createShopper(shop.url).signIn(admin.email, TEST_PASSWORD);
    await signedIn(page, admin);
    await page.goto('/profile');
    await expect(page.getByRole('button', { name: 'Sign out all other devices' })).toBeVisible();
    await expect(page.getByText('Please enable 2FA')).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the forms of the profile, with everything wrong', async ({ page, customer, signedIn }) => {
    await signedIn(page, customer);
    await page.goto('/profile');
    await page.getByRole('button', { name: 'Edit Profile' }).click();
    await page.getByLabel('Name').fill('');
    await page.getByLabel('Email').fill('no address');
    await page.getByRole('button', { name: 'Save Changes' }).click();
    await page.getByRole('button', { name: 'Change Password' }).click();
    await page.getByRole('button', { name: 'Update Password' }).click();
    await expect(page.getByText('Please enter your current password')).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('two-factor on the profile, its dialogs and new backup codes', async ({ page, shop, customer }) => {
    const shopper = createShopper(shop.url);
    const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
    await enableTwoFactor(shopper);
    await shop.db.deleteFrom('backup_codes').where('user_id', '=', customer.id).execute();
    await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
    await page.goto('/profile');
    await expect(page.getByText('You have no backup codes left.')).toBeVisible();
    await looksRightEverywhere(page);
    await page.getByRole('button', { name: 'Disable 2FA' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Disable 2FA' }).click();
    await expect(dialog.getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Regenerate backup codes' }).click();
    await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await dialog.getByRole('button', { name: 'Regenerate' }).click();
    await expect(dialog.getByRole('listitem')).toHaveCount(10);
    await looksRightEverywhere(page);
  });

  test('each step of setting up two-factor', async ({ page, customer, signedIn, complaints }) => {
    complaints.expectFailedRequest('/api/auth/2fa/verify', 401);
    await signedIn(page, customer);
    await page.goto('/2fa-setup');
    await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
    await looksRightEverywhere(page);
    await page.getByRole('button', { name: 'Get Started' }).click();
    await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
    await looksRightEverywhere(page);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.keyboard.type('000000');
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);
    await page.route('/api/auth/2fa/verify', (route) => route.fulfill({ json: { success: true } }));
    await page.keyboard.type('123456');
    await expect(page.getByRole('link', { name: 'Go to Profile' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('an administrator being verified', async ({ page, shop, signedIn }) => {
    await signedIn(page, await makeUser(shop, { role: 'admin' }));
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    await page.route('/api/auth/me', async (route) => {
      await mayAnswer;
      await route.continue();
    });
    await page.goto('/admin');
    await expect(page.getByText('Verifying admin access...')).toBeVisible();
    await looksRightEverywhere(page);
    answer();
  });
});
