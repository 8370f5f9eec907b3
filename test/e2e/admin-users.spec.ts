import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { makePhysicalProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, signIn } from './steps.ts';

const cards = (page: Page) => page.getByRole('list', { name: 'Users' }).getByRole('article');
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const failsOnce = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });

test('a name with marks of direction does not turn round what an administrator confirms', async ({
  page,
  shop,
  admin,
}) => {
  const { id, email } = await makeUser(shop, { name: 'Ali \u202emoc.knab@ssob' });
  await page.goto(`/admin/users/${id}`);
  await press(page, 'Block');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByText(`Ali moc.knab@ssob (${email}) is signed out everywhere`)).toBeVisible();
  await dialog.getByRole('textbox').fill(`Fraud, says ${admin.email}`);
  await inDialog(page, 'Block user');
  await expect(page.getByText('Ali moc.knab@ssob is blocked')).toBeVisible();
});

test('the user list shows cards, and its search finds a user by name or email on any page', async ({
  page,
  shop,
  stockUp,
  admin,
}) => {
  // So old that the user is not on the first page of the list.
  const old = await makeUser(shop, { name: 'Rokiah Zz', email: `rokiah-${Date.now()}@old.example` });
  await buyAsCustomer(shop, old, [{ product: await stockUp({ price_cents: 123_450 }), quantity: 1 }]);
  await shop.db
    .updateTable('users')
    .set({ created_at: new Date('2020-02-03T04:00:00Z'), phone: '+60 12-345 6789', city: 'Ipoh', state: 'Perak' })
    .where('id', '=', old.id)
    .execute();
  await page.goto('/admin?tab=users');
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible();
  await expect(page.getByText(/^\d+ users registered$/)).toBeVisible();
  await expect(cards(page)).toHaveCount(100);
  await expect(cards(page).filter({ hasText: admin.email })).toContainText(/^TThe AdminAdmin/);

  const search = page.getByLabel('Search users');
  await search.fill('ROKIAH Z');
  await expect(cards(page)).toHaveText([
    `RRokiah ZzCustomer${old.email}+60 12-345 6789Ipoh, PerakJoined 3 Feb 2020Orders1Spent$1,309`,
  ]);
  await expect(page).toHaveURL('/admin?tab=users&q=ROKIAH+Z');
  await page.reload();
  await expect(search).toHaveValue('ROKIAH Z');
  await cards(page).getByRole('link').click();
  await expect(page.getByRole('heading', { name: 'Rokiah Zz' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the dashboard' }).click();
  await expect(cards(page)).toHaveCount(1);

  await search.fill('nobody has this name');
  await expect(page.getByRole('heading', { name: 'No users found' })).toBeVisible();
  await expect(page.getByText('No results for "nobody has this name"')).toBeVisible();
  await search.fill('');
  await expect(cards(page)).toHaveCount(100);
  await press(page, 'Load more');
  await expect.poll(() => cards(page).count()).toBeGreaterThan(100);
  await page.goto('/admin?tab=users&q=The+Admin');
  await expect(cards(page).filter({ hasText: admin.email })).toBeVisible();
  await looksRightEverywhere(page);

  const nobody = { success: true, data: [], nextCursor: null, total: 0, hasUncounted: false };
  await page.route('/api/admin/users*', (route) => route.fulfill({ json: nobody }));
  await page.goto('/admin?tab=users');
  await expect(page.getByRole('heading', { name: 'No users found' })).toBeVisible();
  await expect(page.getByText('Users will appear here once they register')).toBeVisible();
});

test('a user without a name is shown by email, in the dashboard and in the profile', async ({
  page,
  shop,
  signedIn,
  otherBrowser,
  admin: _,
}) => {
  const nameless = await makeUser(shop, { name: '' });
  await page.goto(`/admin/users/${nameless.id}`);
  await expect(page).toHaveTitle(`${nameless.email} · Kedai`);
  const initial = nameless.email.charAt(0).toUpperCase();
  await expect(page.getByText(initial, { exact: true })).toBeVisible();
  const profile = await otherBrowser();
  await signedIn(profile, nameless);
  await profile.goto('/profile');
  await expect(profile.getByRole('heading', { level: 1 })).toHaveText(nameless.email);
  await expect(profile.getByText(initial, { exact: true })).toBeVisible();
  // Once in the heading, and once among the details.
  await expect(profile.getByRole('main').getByText(nameless.email, { exact: true })).toHaveCount(2);
});

test('the document title names the dashboard screen, also after Back and Forward', async ({
  page,
  shop,
  customer,
  admin: _,
}) => {
  const name = `Desk Lamp ${Date.now()}`;
  const id = await makePhysicalProduct(shop, { name });
  await page.goto(`/admin?tab=users&q=${customer.email}`);
  await expect(page).toHaveTitle('Users · Admin Dashboard · Kedai');
  await cards(page).getByRole('link').click();
  await expect(page).toHaveTitle(`${customer.name} · Kedai`);
  await page.goBack();
  await expect(page).toHaveTitle('Users · Admin Dashboard · Kedai');
  // The user is shown at once, from the cache.
  await page.goForward();
  await expect(page.getByRole('heading', { name: customer.name })).toBeVisible();
  await expect(page).toHaveTitle(`${customer.name} · Kedai`);
  await page.getByRole('link', { name: 'Back to the dashboard' }).click();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await expect(page).toHaveTitle('Admin Dashboard · Kedai');
  await page.goto(`/admin/products/${id}`);
  await expect(page).toHaveTitle(`Edit ${name} · Kedai`);
});

test('a user gains and loses the administrator role, and an administrator who gives up their own is signed out', async ({
  page,
  customer,
  admin,
  complaints,
}) => {
  const rolePath = `/api/admin/users/${customer.id}/role`;
  complaints.expectFailedRequest(rolePath, 500);
  complaints.expectFailedRequest('/api/auth/logout', 401);
  await page.goto(`/admin/users/${customer.id}`);
  await expect(page.getByText('No orders yet')).toBeVisible();
  await press(page, 'Make administrator');
  await failsOnce(page, `**${rolePath}`);
  await inDialog(page, 'Make administrator');
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText('The user could not be changed');
  await looksRightEverywhere(page, [360]);
  await inDialog(page, 'Make administrator');
  await expect(page.getByText(`${customer.name} is now an administrator`)).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('Off. Every administrator should turn it on.')).toBeVisible();
  await press(page, 'Remove administrator');
  await inDialog(page, 'Remove administrator');
  await expect(page.getByText(`${customer.name} is no longer an administrator`)).toBeVisible();

  await page.goto(`/admin/users/${admin.id}`);
  await expect(page.getByText('This device')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Block', exact: true })).toHaveCount(0);
  await press(page, 'Remove administrator');
  await expect(page.getByText('This is your own account.')).toBeVisible();
  await inDialog(page, 'Remove administrator');
  await expect(page.getByText('The Admin is no longer an administrator')).toBeVisible();
  await expect(page).toHaveURL('/login');
});

test('a blocked user is signed out at once, cannot sign in, and can sign in again when unblocked', async ({
  page,
  otherBrowser,
  signedIn,
  customer,
  admin: _,
  complaints,
}) => {
  // The calls of whatever screen is open.
  complaints.expectFailedRequest(/^\/api\//, 401);
  complaints.expectFailedRequest('/api/auth/login', 403);
  const theirs = await otherBrowser();
  await signedIn(theirs, customer);
  await page.goto(`/admin/users/${customer.id}`);
  await press(page, 'Block');
  await inDialog(page, 'Block user');
  await expect(page.getByLabel('Reason')).toHaveAccessibleDescription(/Please give a reason/);
  await page.getByLabel('Reason').fill('Chargebacks');
  await inDialog(page, 'Block user');
  await expect(page.getByText(`${customer.name} is blocked`)).toBeVisible();
  await expect(page.getByText(/^Blocked since .*: Chargebacks$/)).toBeVisible();
  await looksRightEverywhere(page);

  await theirs.goto('/profile');
  await expect(theirs).toHaveURL('/login');
  await signIn(theirs, { email: customer.email, password: TEST_PASSWORD });
  await expect(theirs.getByText('This account is blocked. Please contact support.')).toBeVisible();
  await press(page, 'Unblock');
  await inDialog(page, 'Unblock user');
  await expect(page.getByText(`${customer.name} may sign in again`)).toBeVisible();
  await signIn(theirs, { email: customer.email, password: TEST_PASSWORD });
  await expect(theirs).toHaveURL('/profile');
});

test('a report is downloaded as a file, and a failure is shown in its dialog', async ({
  page,
  admin: _,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\/admin\/reports\//, 500);
  await page.goto('/admin?tab=users&dialog=report');
  const dialog = page.getByRole('dialog', { name: 'Generate Report' });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByLabel('Report')).toBeFocused();
  await looksRightEverywhere(page);
  await dialog.getByLabel('Report').selectOption('Tax');
  await dialog.getByLabel('Period').selectOption('Last 30 days');
  const [from, to] = [
    await dialog.getByLabel('First day').inputValue(),
    await dialog.getByLabel('Last day').inputValue(),
  ];
  await dialog.getByLabel('Last day').fill('2020-01-01');
  await expect(dialog.getByLabel('Last day')).toHaveAccessibleDescription('Must not be before the first day');
  await expect(dialog.getByLabel('Period')).toHaveValue('other');
  await dialog.getByLabel('Period').selectOption('Last 30 days');
  // Escape closes the open list of options but not the dialog.
  await dialog.getByLabel('Period').click();
  await expect(dialog.locator('select:open')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(dialog.locator('select:open')).toHaveCount(0);
  await expect(dialog.getByLabel('Period')).toHaveValue('last-30-days');

  await failsOnce(page, '**/api/admin/reports/**');
  await inDialog(page, 'Generate Report');
  await expect(dialog.getByRole('alert')).toHaveText('The report could not be made');
  // A network that asks for a login answers for the shop.
  const login = { contentType: 'text/html', body: '<h1>Welcome to our network</h1>' };
  await page.route('**/api/admin/reports/**', (route) => route.fulfill(login), { times: 1 });
  await inDialog(page, 'Generate Report');
  await expect(dialog.getByRole('alert')).toHaveText('The download broke off. Please try again.');
  const downloading = page.waitForEvent('download');
  await inDialog(page, 'Generate Report');
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`tax-from-${from}-to-${to}.csv`);
  const [head, ...days] = readFileSync(await download.path(), 'utf8')
    .slice(1)
    .trimEnd()
    .split('\r\n');
  expect(head).toBe('Day,Orders,Sales before tax,Tax,Gross,Refunded,Refunded tax,Net before tax,Net tax');
  expect(days.length).toBeGreaterThan(20);
  for (const day of days) expect(day).toMatch(/^\d{4}-\d\d-\d\d,\d+(,\d+\.\d\d){7}$/);
  await expect(page.getByText('The report is downloaded')).toBeVisible();
  await expect(dialog).toHaveCount(0);
});
