import { expect, type Page } from '@playwright/test';
import { TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { signIn } from './steps.ts';

const NEW_PASSWORD = 'staples beyond batteries';

const card = (page: Page, name: string) => page.getByRole('main').getByRole('region', { name });
const passwords = (page: Page) => card(page, 'Password & Security');
const devices = (page: Page) => card(page, 'Signed-in devices');
const toggle = (page: Page) => passwords(page).getByRole('button', { name: 'Change Password' });

async function fillPasswords(page: Page, [current, chosen, confirmed]: [string, string, string]) {
  await page.getByLabel('Current Password', { exact: true }).fill(current);
  await page.getByLabel('New Password', { exact: true }).fill(chosen);
  await page.getByLabel('Confirm New Password', { exact: true }).fill(confirmed);
  await page.getByRole('button', { name: 'Update Password' }).click();
}

test.describe('the password form', () => {
  test.beforeEach(async ({ page, customer, signedIn }) => {
    await signedIn(page, customer);
    await page.goto('/profile');
    await toggle(page).click();
  });

  test('opens and closes above the tips', async ({ page }) => {
    await expect(page.getByLabel('Current Password', { exact: true })).toBeFocused();
    await expect(passwords(page).getByRole('listitem')).toHaveCount(3);
    await toggle(page).click();
    await expect(page.getByLabel('Current Password', { exact: true })).toHaveCount(0);
    await expect(toggle(page)).toHaveAttribute('aria-expanded', 'false');
    await expect(passwords(page).getByRole('listitem')).toHaveCount(3);
  });

  test('shows an error at each missing or invalid field', async ({ page }) => {
    await fillPasswords(page, ['', 'short', 'other']);
    for (const [label, words] of [
      ['Current Password', 'Please enter your current password'],
      ['New Password', 'Password must be at least 6 characters'],
      ['Confirm New Password', 'New passwords do not match'],
    ] as const) {
      await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(words);
    }
    await fillPasswords(page, ['', '', '']);
    for (const [label, words] of [
      ['New Password', 'Please enter a new password'],
      ['Confirm New Password', 'Please confirm the new password'],
    ] as const) {
      await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(words);
    }
  });

  test('refuses a wrong current password without signing out', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/auth/updatepassword', 400);
    await fillPasswords(page, ['not my password', NEW_PASSWORD, NEW_PASSWORD]);
    const current = page.getByLabel('Current Password', { exact: true });
    await expect(current).toHaveAccessibleDescription('Current password is incorrect');
    await expect(current).toBeFocused();
    await expect(page).toHaveURL('/profile');
  });

  test('shows "Failed to update password" for a refusal without a message', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/auth/updatepassword', 403);
    await page.route('/api/auth/updatepassword', (route) => route.fulfill({ status: 403, json: {} }));
    await fillPasswords(page, [TEST_PASSWORD, NEW_PASSWORD, NEW_PASSWORD]);
    await expect(passwords(page).getByRole('alert')).toHaveText('Failed to update password');
  });

  test('changes the password, keeps this device signed in and signs out the others', async ({
    page,
    shop,
    customer,
  }) => {
    const other = createShopper(shop.url);
    await other.signIn(customer.email, TEST_PASSWORD);
    await fillPasswords(page, [TEST_PASSWORD, NEW_PASSWORD, NEW_PASSWORD]);
    await expect(passwords(page).getByRole('status')).toContainText('Password updated');
    await expect(page.getByLabel('Current Password', { exact: true })).toHaveCount(0);
    await expect(toggle(page)).toBeFocused();
    await expect(devices(page).getByRole('listitem')).toHaveCount(1);
    expect((await other.get('/api/auth/me')).status).toBe(401);
    expect((await createShopper(shop.url).signIn(customer.email, NEW_PASSWORD)).status).toBe(200);
    await page.reload();
    await expect(devices(page)).toContainText('This device');
  });
});

test.describe('the list of signed-in devices', () => {
  const entries = (page: Page) => devices(page).getByRole('listitem');
  const phone = {
    'user-agent':
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1',
  };
  const body = ({ email }: { email: string }) => ({ email, password: TEST_PASSWORD });

  test('shows browser, system, IP address and times of each device, and marks this one', async ({
    page,
    shop,
    customer,
  }) => {
    const shopper = createShopper(shop.url, { from: '203.0.113.7' });
    await shopper.send('POST', '/api/auth/login', body(customer), phone);
    await page.goto('/profile');
    await signIn(page, { email: customer.email, password: TEST_PASSWORD });
    await expect(entries(page)).toHaveCount(2);

    const own = entries(page).first();
    await expect(own).toContainText('This device');
    await expect(own).toContainText('Chrome on Linux');
    await expect(own).toContainText('In use now from 127.0.0.1');
    await expect(own.getByRole('button')).toHaveCount(0);
    const other = entries(page).filter({ hasText: 'Safari on iPhone' });
    await expect(other).toContainText(/Last seen \d+ \w+ \d{4}, \d\d:\d\d GMT\S+ from 203\.0\.113\.7/);
    await expect(other).toContainText(/Signed in since \d+ \w+ \d{4}, \d\d:\d\d GMT\S+/);
  });

  test('signs out one device, or all others at once', async ({ page, shop, customer, signedIn }) => {
    const others = [createShopper(shop.url), createShopper(shop.url), createShopper(shop.url)];
    await others[0]?.send('POST', '/api/auth/login', body(customer), phone);
    for (const other of others.slice(1)) await other.signIn(customer.email, TEST_PASSWORD);
    await signedIn(page, customer);
    await page.goto('/profile');
    await expect(entries(page)).toHaveCount(4);

    await devices(page).getByRole('button', { name: 'Sign out Safari on iPhone' }).click();
    await expect(devices(page).getByRole('status')).toHaveText('The device is signed out');
    await expect(entries(page)).toHaveCount(3);

    await devices(page).getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect(devices(page).getByRole('status')).toHaveText('All other devices are signed out');
    await expect(entries(page)).toHaveCount(1);
    await expect(entries(page)).toContainText('This device');
    await expect(devices(page).getByRole('button')).toHaveCount(0);
    for (const other of others.slice(1)) expect((await other.get('/api/auth/me')).status).toBe(401);
    await page.reload();
    await expect(entries(page)).toHaveCount(1);
  });

  test('signs out the other device at its next call', async ({
    page,
    otherBrowser,
    customer,
    signedIn,
    complaints,
  }) => {
    complaints.expectFailedRequest(/\/api\/((orders|digital-orders)\/myorders|my-reviews)/, 401);
    await signedIn(page, customer);
    await page.goto('/profile');
    await expect(entries(page)).toHaveCount(1);
    const other = await otherBrowser();
    await signedIn(other, customer);
    await other.goto('/profile');
    await other.getByRole('button', { name: 'Sign out all other devices' }).click();
    await expect(entries(other)).toHaveCount(1);

    await page.getByRole('main').getByRole('link', { name: 'My Orders' }).click();
    await expect(page).toHaveURL('/login');
    await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
      'Session expired. Please login again.',
    );
    expect(await page.evaluate(() => [localStorage.getItem('token'), localStorage.getItem('user')])).toEqual([
      null,
      null,
    ]);
  });

  test('can be retried after a failed load', async ({ page, signedIn, customer, complaints }) => {
    complaints.expectFailedRequest('/api/auth/sessions', 400);
    await signedIn(page, customer);
    await page.route('**/api/auth/sessions', (route) => route.fulfill({ status: 400, json: {} }), { times: 1 });
    await page.goto('/profile');
    await expect(devices(page).getByRole('alert')).toContainText('Your devices could not be listed');
    await devices(page).getByRole('button', { name: 'Try again' }).press('Enter');
    await expect(devices(page)).toContainText('This device');
    await expect(devices(page).getByRole('heading')).toBeFocused();
  });
});
