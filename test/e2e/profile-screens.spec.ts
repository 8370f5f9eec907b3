import { expect } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

test.describe('accessibility and layout in both themes, on wide and narrow screens:', () => {
  test('the profile of an administrator with an unverified email', async ({ page, shop, signedIn }) => {
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

  test('the forms of the profile with every error', async ({ page, customer, signedIn }) => {
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
});
