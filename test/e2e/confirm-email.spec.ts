import { expect } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo, openLink } from './mails.ts';
import { newEmail, signIn, stored } from './steps.ts';

test('the button behind a mailed link verifies the email, names it, and works only once', async ({
  page,
  shop,
  signedIn,
  complaints,
}) => {
  const customer = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  const isProven = async () => {
    const { email_verified_at } = await shop.db
      .selectFrom('users')
      .select('email_verified_at')
      .where('id', '=', customer.id)
      .executeTakeFirstOrThrow();
    return email_verified_at !== null;
  };
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  await shopper.post('/api/auth/verifyemail');
  await signedIn(page, customer);
  const mail = await mailTo(shop, { email: customer.email, subject: /Confirm/ });
  const confirm = page.getByRole('button', { name: 'Confirm my email' });

  await openLink(page, mail);
  await expect(confirm).toBeVisible();
  await expect(page).toHaveURL('/confirm-email');
  expect(await isProven()).toBe(false);
  // The second click must not fail because the first one has used the link.
  await confirm.dblclick();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeFocused();
  await expect(page.getByRole('main')).toContainText(customer.email);
  expect(await isProven()).toBe(true);
  await expect
    .poll(async () => JSON.parse((await stored(page, 'user')) ?? '{}'))
    .toMatchObject({ emailVerified: true });
  await looksRightEverywhere(page);

  complaints.expectFailedRequest('/api/auth/confirmemail', 400);
  await openLink(page, mail);
  await confirm.click();
  await expect(page.getByRole('heading', { name: 'This link has been used or has expired' })).toBeFocused();
});

test('a verification link is refused to another account, and asks a signed-out user to sign in first', async ({
  page,
  shop,
  customer: another,
  signedIn,
  complaints,
}) => {
  const customer = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  await shopper.post('/api/auth/verifyemail');
  const mail = await mailTo(shop, { email: customer.email, subject: /Confirm/ });
  const confirm = page.getByRole('button', { name: 'Confirm my email' });

  await signedIn(page, another);
  complaints.expectFailedRequest('/api/auth/confirmemail', 403);
  await openLink(page, mail);
  await confirm.click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('This link is for another account');
  await looksRightEverywhere(page);
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', another.id).execute();
  complaints.expectFailedRequest('/api/auth/confirmemail', 401);
  await confirm.click();
  await expect(page.getByRole('link', { name: 'Sign in to confirm' })).toBeVisible();
  await looksRightEverywhere(page);

  await page.getByRole('link', { name: 'Sign in to confirm' }).click();
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await confirm.click();
  await expect(page.getByRole('heading', { name: 'Email confirmed' })).toBeFocused();
  await expect(page).toHaveURL('/confirm-email');
});

test('the request to verify an email disappears when the user returns after verifying it on another device', async ({
  page,
  shop,
  signedIn,
}) => {
  const customer = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  await signedIn(page, customer);
  // A look at the session that is still under way would be the answer to the one below, too.
  const looked = page.waitForResponse('/api/auth/me');
  await page.goto('/profile');
  await (await looked).finished();
  const ask = page.getByRole('region', { name: 'Email verification' });
  await expect(ask).toBeVisible();
  await shop.db.updateTable('users').set({ email_verified_at: new Date() }).where('id', '=', customer.id).execute();
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(ask).toHaveCount(0);
  expect(JSON.parse((await stored(page, 'user')) ?? '{}')).toMatchObject({ emailVerified: true });
});

test('an open page notices within a minute that the email was verified on another device', async ({
  page,
  shop,
  stockUp,
  signedIn,
}) => {
  const customer = await makeUser(shop, { email: newEmail() });
  const orderId = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  const prove = (email_verified_at: Date | null) =>
    shop.db.updateTable('users').set({ email_verified_at }).where('id', '=', customer.id).execute();
  await prove(null);
  await page.clock.install();
  await signedIn(page, customer);
  await page.goto('/profile');
  const ask = page.getByRole('region', { name: 'Email verification' });
  await expect(ask).toBeVisible();
  await page.goto('/orders');
  await expect(page.getByRole('link', { name: `Order #${orderNumber(orderId)}` })).toBeVisible();
  await prove(new Date());
  const orders = page.waitForResponse(/\/myorders/);
  await page.clock.runFor(60_000);
  await orders;
  expect(JSON.parse((await stored(page, 'user')) ?? '{}')).toMatchObject({ emailVerified: true });
});

test('a failed email verification shows an error and can be retried', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  await signedIn(page, customer);
  complaints.expectFailedRequest('/api/auth/confirmemail', 503);
  await page.route('/api/auth/confirmemail', (route) => route.fulfill({ status: 503, json: {} }));
  await page.goto('/confirm-email?token=a-link-that-nobody-was-sent-a-link-that-no');
  await page.getByRole('button', { name: 'Confirm my email' }).click();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Verification failed');
  await expect(page.getByRole('button', { name: 'Confirm my email' })).toBeEnabled();
});
