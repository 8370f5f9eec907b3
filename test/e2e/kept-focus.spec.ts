import { expect, type Page } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { makePhysicalProduct, makeReview, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { awaitCalls, LIGHT_PAGE, leaveInStorage, newEmail, productDialog, savedCart } from './steps.ts';

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

test('logging out on a public page keeps the focus in the header, and in the menu of a phone', async ({
  page,
  customer,
  signedIn,
}) => {
  for (const [width, part] of [
    [1280, 'header'],
    [360, '#mobile-menu'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await signedIn(page, customer);
    await page.goto(LIGHT_PAGE);
    await awaitCalls(page);
    if (width === 360) await button(page, 'Menu').press('Enter');
    await button(page, 'Logout').press('Enter');
    await expect(page.locator(part).getByRole('link', { name: 'Sign In' })).toBeVisible();
    await expect(page.locator(part)).toBeFocused();
  }
});

/** Opens a product while the clock stands still, so that no message about the cart closes by itself. */
async function openWithoutTime(page: Page, productId: string) {
  await page.clock.install();
  await page.goto(`/digital-product/${productId}`);
  await expect(button(page, 'Add to cart')).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  const messages = page.getByRole('region', { name: 'Notifications' }).getByRole('listitem');
  return { messages, close: messages.first().getByRole('button', { name: 'Close message' }) };
}

test('closing a message moves the focus to the next message, and then back to where it was', async ({
  page,
  stockUp,
}) => {
  await page.setViewportSize({ width: 1280, height: 300 });
  const { messages, close } = await openWithoutTime(page, (await stockUp()).id);
  const add = button(page, 'Add to cart');
  await add.press('Enter');
  await expect(messages).toHaveCount(1);
  await page.clock.runFor(1_000);
  await add.press('Enter');
  await expect(messages).toHaveCount(2);
  const scrolled = await page.evaluate(() => scrollY);
  await close.press('Enter');
  await page.clock.runFor(100);
  await expect(messages).toHaveCount(1);
  await expect(messages).toBeFocused();
  await close.press('Enter');
  await page.clock.runFor(100);
  await expect(messages).toHaveCount(0);
  await expect(add).toBeFocused();
  expect(scrolled).toBeGreaterThan(0);
  expect(await page.evaluate(() => scrollY)).toBe(scrolled);
});

test('a message that got the focus from one that was closed by mouse closes by itself', async ({ page, stockUp }) => {
  const { messages, close } = await openWithoutTime(page, (await stockUp()).id);
  await button(page, 'Add to cart').click();
  await expect(messages).toHaveCount(1);
  await page.clock.runFor(1_000);
  await button(page, 'Add to cart').click();
  await expect(messages).toHaveCount(2);
  await close.click();
  await page.clock.runFor(100);
  await expect(messages).toBeFocused();
  await page.mouse.move(5, 300);
  await page.clock.runFor(4_000);
  await expect(messages).toHaveCount(0);
});

test('taking a suggested email moves the focus to its field, and going back from the code of an order to the page', async ({
  page,
}) => {
  await page.goto('/forgot-password');
  await page.getByLabel('Email').fill('aminah@gmial.com');
  await page.getByLabel('Email').press('Tab');
  await button(page, 'aminah@gmail.com').press('Enter');
  await expect(page.getByLabel('Email')).toHaveValue('aminah@gmail.com');
  await expect(page.getByLabel('Email')).toBeFocused();

  await page.goto('/find-order');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByLabel('Order number').fill('ABCDEF12');
  await button(page, 'Send the code').press('Enter');
  await expect(heading(page, 'Enter the code')).toBeVisible();
  await page.getByRole('button', { name: 'Back', exact: true }).press('Enter');
  await expect(page.getByLabel('Order number')).toHaveValue('ABCDEF12');
  await expect(page.getByRole('main')).toBeFocused();
});

test('adding, moving and removing pictures and fields of a product keeps the focus in their list', async ({
  page,
  admin: _,
  stockUp,
}) => {
  await page.goto(productDialog('edit', await stockUp()));
  const focused = page.getByRole('dialog').locator(':focus');
  await button(page, 'Add a picture').press('Enter');
  await expect(page.getByLabel('Picture 2', { exact: true })).toBeFocused();
  await button(page, 'Move up: Picture 2').press('Enter');
  await expect(focused).toContainText('Upload');
  await button(page, 'Remove: Picture 2').press('Enter');
  await expect(focused).toContainText('Upload');

  await button(page, 'Add a field').press('Enter');
  await button(page, 'Add a field').press('Enter');
  await button(page, 'Remove field 1').press('Enter');
  await expect(focused).toContainText('Label 1');
  await button(page, 'Remove field 1').press('Enter');
  await expect(page.getByRole('group', { name: 'Questions for the buyer' })).toBeFocused();
});

test('answering a problem report by keyboard scrolls to the heading that has the focus', async ({
  page,
  shop,
  admin: _,
  customer,
  stockUp,
}) => {
  const orderId = await buyAsCustomer(shop, customer, [{ product: await stockUp({ warranty_days: 30 }), quantity: 1 }]);
  const buyer = createShopper(shop.url);
  await buyer.signIn(customer.email, TEST_PASSWORD);
  const { body } = await buyer.get(`/api/digital-orders/${orderId}/items`);
  const { items } = body.data as unknown as { items: { items: { id: string }[] }[] };
  const report = {
    order: orderId,
    item: items[0]?.items[0]?.id,
    problem: 'used',
    text: 'It is used.',
    draft: uuidv7(),
  };
  expect((await buyer.post('/api/problem-reports', report)).status).toBe(201);
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto(`/admin?tab=problem-reports&q=${encodeURIComponent(customer.email)}`);
  await page.getByRole('main').getByRole('list').getByRole('link').first().press('Enter');
  await page.getByLabel('Your answer').fill('Please try again.');
  await button(page, 'Send answer').press('Enter');
  await expect(heading(page, 'Conversation')).toBeFocused();
  await expect(heading(page, 'Conversation')).toBeInViewport();
});
