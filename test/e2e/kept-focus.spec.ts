import { expect, type Page } from '@playwright/test';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { makePhysicalProduct, makeReview, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { LIGHT_PAGE, leaveInStorage, newEmail, savedCart } from './steps.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name }).press('Enter');

test('publishing or rejecting a review moves the focus to the rest of the list', async ({
  page,
  admin: _,
  customer,
  shop,
  stockUp,
}) => {
  const products = [await stockUp(), await stockUp()];
  for (const product of products) {
    await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
    await makeReview(shop, product.id, customer.id);
  }
  await page.goto(`/admin?tab=reviews&status=pending&q=${encodeURIComponent(customer.email)}`);
  const reviews = page.getByRole('article');
  await expect(reviews).toHaveCount(2);
  await reviews
    .first()
    .getByRole('button', { name: /^Publish/ })
    .press('Enter');
  await expect(reviews).toHaveCount(1);
  await expect(reviews.getByRole('heading')).toBeFocused();

  await reviews.getByRole('button', { name: /^Reject/ }).press('Enter');
  await page.getByLabel('Reason').fill('It names a person');
  await confirm(page, 'Reject');
  await expect(reviews).toHaveCount(0);
  await expect(heading(page, 'Reviews')).toBeFocused();
});

test('rejecting a review that stays in the list moves the focus to its title', async ({
  page,
  admin: _,
  customer,
  shop,
  stockUp,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await makeReview(shop, product.id, customer.id);
  await page.goto(`/admin?tab=reviews&q=${encodeURIComponent(customer.email)}`);
  await button(page, /^Reject/).press('Enter');
  await page.getByLabel('Reason').fill('It names a person');
  await confirm(page, 'Reject');
  await expect(page.getByRole('article')).toContainText('It names a person');
  await expect(heading(page, product.name)).toBeFocused();
});

test('deactivating, publishing or deleting a product moves the focus to its card or the heading of the list', async ({
  page,
  admin: _,
  shop,
  stockUp,
}) => {
  const { name } = await stockUp();
  const act = async (action: string) => {
    const pressed = page.getByRole('button', { name: `${action} ${name}`, exact: true });
    await expect(pressed).toBeEnabled();
    await pressed.press('Enter');
  };
  await page.goto(`/admin?tab=digital&show=all&q=${encodeURIComponent(name)}`);
  await act('Deactivate');
  await expect(heading(page, name)).toBeFocused();
  await act('Activate');
  await expect(heading(page, name)).toBeFocused();
  await button(page, 'Show Active Only').press('Enter');
  await act('Delete');
  await confirm(page, 'Delete');
  await expect(heading(page, name)).toHaveCount(0);
  await expect(heading(page, 'Digital Products')).toBeFocused();

  await makePhysicalProduct(shop, { name: `Mug ${name}` });
  await page.goto(`/admin?tab=physical&q=${encodeURIComponent(name)}`);
  await button(page, `Delete Mug ${name}`).press('Enter');
  await confirm(page, 'Delete');
  await expect(heading(page, 'Physical Products')).toBeFocused();
});

test('acknowledging an alert moves the focus to the heading of the alerts or of the overview', async ({
  page,
  shop,
  admin: _,
  customer,
}) => {
  // Of earlier tests.
  const now = new Date();
  await shop.db
    .updateTable('alerts')
    .set({ ended_at: now, end_reason: 'Over' })
    .where('ended_at', 'is', null)
    .execute();
  const [first, second] = [`${customer.id}/1`, `${customer.id}/2`];
  for (const subject of [first, second])
    await insertAlert(shop.db, { kind: 'unknown-payment', subject, order_id: null }, now);
  await page.goto('/admin');
  for (const [subject, focused] of [
    [first, 'Needs attention'],
    [second, 'Dashboard Overview'],
  ] as const) {
    const alert = page.getByRole('listitem').filter({ hasText: subject });
    await alert.getByRole('button', { name: /^Acknowledge/ }).press('Enter');
    await page.getByRole('dialog').getByRole('textbox').fill('Refunded by hand');
    await confirm(page, 'Acknowledge');
    await expect(alert).toHaveCount(0);
    await expect(heading(page, focused)).toBeFocused();
  }
});

test('signing out a device moves the focus to the heading of the devices', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await createShopper(shop.url).signIn(customer.email, TEST_PASSWORD);
  await page.goto('/profile');
  await button(page, 'Sign out all other devices').press('Enter');
  await expect(button(page, 'Sign out all other devices')).toHaveCount(0);
  await expect(heading(page, 'Signed-in devices')).toBeFocused();
});

test('clearing the search on home moves the focus to its field, and showing all products moves it to the products', async ({
  page,
}) => {
  await page.goto('/?q=nothing+is+called+so');
  const field = page.getByRole('searchbox', { name: 'Search products' });
  await button(page, 'Clear search').press('Enter');
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await field.fill('nothing is called so');
  await button(page, 'Show all products').press('Enter');
  await expect(field).toHaveValue('');
  await expect(page.getByRole('region', { name: 'Products' })).toBeFocused();
});

test('clearing the filters of an empty list moves the focus to its heading', async ({ page, admin: _ }) => {
  await page.goto('/admin?tab=orders&q=nothing+is+called+so');
  await button(page, 'Clear filters').press('Enter');
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expect(heading(page, 'All Orders')).toBeFocused();

  await page.goto('/admin?tab=digital&q=nothing+is+called+so');
  await button(page, 'Clear search').press('Enter');
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expect(heading(page, 'Digital Products')).toBeFocused();
});

test('reducing a cart line to the available stock moves the focus to the line', async ({ page, stockUp }) => {
  const product = await stockUp({ items: 2 });
  await leaveInStorage(page, { guestCart: savedCart([{ product, quantity: 3 }]) });
  await page.goto(LIGHT_PAGE);
  await button(page, 'Shopping cart, 3 items').click();
  await button(page, `Take 2 of ${product.name}`).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Shopping Cart (2 items)' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: product.name })).toBeFocused();
});

test('a failed list is announced and shows no count, and a retry keeps the focus in the page', async ({
  page,
  admin: _,
  complaints,
}) => {
  const message = 'The shop is being repaired.';
  const failing: [path: string, call: string, heading: string][] = [
    ['/admin/audit-log', '**/api/admin/audit-log*', 'Failed to load the audit log'],
    ['/admin?tab=problem-reports', '**/api/admin/problem-reports*', 'Failed to load problem reports'],
    ['/orders', '**/api/*/myorders*', 'Failed to load orders'],
  ];
  for (const [path, call, heading] of failing) {
    complaints.expectFailedRequest(/^\/api\//, 400);
    await page.route(call, (route) => route.fulfill({ status: 400, json: { success: false, message } }));
    await page.goto(path);
    const alert = page.getByRole('main').getByRole('alert');
    await expect(alert.getByRole('heading')).toHaveText(heading);
    await expect(page.getByRole('main').getByRole('status').filter({ hasText: /\d/ })).toHaveCount(0);
    await page.unroute(call);
    await alert.getByRole('button', { name: 'Try again' }).press('Enter');
    await expect(alert).toHaveCount(0);
    await expect(page.locator('h1:focus, h2:focus, main:focus')).toHaveCount(1);
  }
});

test('closing a dialog whose button is gone moves the focus to the nearest heading', async ({ page, admin: _ }) => {
  await page.goto('/admin');
  await button(page, 'Add Product').press('Enter');
  await expect(page.getByRole('dialog').getByLabel('Name', { exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(heading(page, 'Digital Products')).toBeFocused();
});

test('a dialog that needs a 2FA code keeps the focus inside for an administrator without two-factor', async ({
  page,
  admin: _,
  shop,
  stockUp,
}) => {
  const { orderId } = await createShopper(shop.url).buy([{ product: await stockUp(), quantity: 1 }], {
    email: newEmail(),
    password: TEST_PASSWORD,
  });
  await page.goto(`/admin/orders/${orderId}`);
  await button(page, 'Correct email').press('Enter');
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Set up 2FA' })).toBeVisible();
  await expect(page.getByRole('dialog').locator(':focus')).toHaveCount(1);
});

test('loading the last page of a list moves the focus from its button to the end of the list', async ({
  page,
  admin: _,
  shop,
  customer,
  stockUp,
}) => {
  for (const product of [await stockUp(), await stockUp()]) {
    await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  }
  await page.route('**/api/admin/orders?*', (route) => route.continue({ url: `${route.request().url()}&limit=1` }));
  await page.goto(`/admin?tab=orders&q=${encodeURIComponent(customer.email)}`);
  const orders = page.getByRole('article');
  await expect(orders).toHaveCount(1);
  await button(page, 'Load more').press('Enter');
  await expect(orders).toHaveCount(2);
  await expect(page.getByText('All orders are shown.')).toBeFocused();
});

test('a quick action or link of the overview moves the focus to the tab that it opens', async ({ page, admin: _ }) => {
  await page.goto('/admin');
  await button(page, 'Manage Users').press('Enter');
  const tab = (name: RegExp) => page.getByRole('tab', { name });
  await expect(tab(/^Users/)).toBeFocused();
  await expect(tab(/^Users/)).toBeInViewport();
  await page.keyboard.press('ArrowLeft');
  await expect(tab(/^Reviews/)).toBeFocused();
});
