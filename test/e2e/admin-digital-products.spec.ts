import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { oldestProductName } from './ledger.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productDialog, productList } from './steps.ts';

const LIST = '/api/admin/digital-products';
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const card = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
const toast = (page: Page, words: string) =>
  expect(page.getByRole('region', { name: 'Notifications' })).toContainText(words);
const open = (page: Page, more = '') => page.goto(`/admin?tab=digital${more}`);
const preview = (page: Page) => page.getByRole('region', { name: 'What a shopper will see' });
let made = 0;
const newName = (kind: string) => `${kind} ${++made} of ${Date.now()}`;

async function fillProduct(page: Page, name: string) {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description').fill('Two words');
  await page.getByLabel('Price (USD)').fill('12.45');
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
}

test('adding a product takes two steps, the second optional, and a retry creates no second product', async ({
  page,
  shop,
  admin: _,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/digital-products', 403);
  complaints.expectBrokenConnection('/api/digital-products');
  const named = (name: string) =>
    shop.db.selectFrom('products').select(['id', 'category']).where('name', '=', name).execute();
  const mark = `${Date.now()}`;
  await page.goto(productList(mark));
  await press(page, 'Add Digital Product');
  await expect(page).toHaveURL(/dialog=add/);
  await expect(page.getByLabel('Name')).toBeFocused();
  await expect(page.getByLabel('Category').locator('optgroup')).toHaveCount(2);
  await page.getByLabel('Price (USD)').fill('0');
  await press(page, 'Create Product');
  const form = dialog(page, 'Add Digital Product');
  await expect(form).toContainText('Please fill in all required fields');
  await expect(page.getByLabel('Price (USD)')).toHaveAccessibleDescription(/^Price must be greater than 0/);
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription('Please fill in this field');

  const name = `Created ${mark}`;
  await fillProduct(page, name);
  await expect(page.getByLabel('Price (USD)')).toHaveAccessibleDescription('RM58.76 at the shop’s rate');
  await page.getByLabel('Category').selectOption('Netflix');
  await page.route('/api/digital-products', (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
  await press(page, 'Create Product');
  await expect(form).toContainText('Failed to create product');
  // The product is created, but the answer is lost.
  const loseAnswer = { times: 1 };
  await page.route(
    '/api/digital-products',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    loseAnswer,
  );
  await press(page, 'Create Product');
  await expect(form).toContainText('We could not reach the shop');
  await page.getByRole('button', { name: 'Create Product' }).dblclick();
  await expect(form).toContainText('Step 2 of 2');
  expect(await named(name)).toMatchObject([{ category: 'Netflix' }]);

  await page.getByLabel('Inventory items').fill(`${name} A\n${name} B`);
  await press(page, 'Check items');
  await press(page, 'Add 2 items');
  await expect(form).toBeHidden();
  const withoutBadge = new RegExp(`^${name}NetflixRM58\\.76\\$12\\.45Total2Available2Sold0`);
  await expect(card(page, name)).toContainText(withoutBadge);

  await press(page, 'Add Digital Product');
  const other = `Skipped ${mark}`;
  await fillProduct(page, other);
  await page.getByLabel('Featured product').check();
  await press(page, 'Create Product');
  await press(page, 'Skip for now');
  await expect(form).toBeHidden();
  await expect(card(page, other)).toContainText(/^FeaturedNo Stock/);
  expect(await named(other)).toHaveLength(1);
});

test('the edit dialog previews current and future prices, validates its fields, and updates the shop', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ name: newName('Edited') });
  await open(page, `&q=${product.name}`);
  await press(page, `Edit ${product.name}`);
  await expect(page.getByLabel('Name')).toHaveValue(product.name);
  await expect(preview(page)).toContainText('Now$10.00RM47.20');

  await page.getByLabel('Price (USD)').fill('20');
  await page.getByLabel('Discount type').selectOption('Percentage');
  await expect(preview(page)).toContainText('Now$20.00RM94.40');
  await page.getByLabel('Discount (%)').fill('25');
  await expect(preview(page)).toContainText('NowDiscount$15.00$20.00RM70.80');
  await page.getByLabel('Enable flash sale').check();
  await page.getByLabel('Flash sale price (USD)').fill('5');
  await page.getByLabel('Limited stock').fill('3');
  await expect(preview(page)).toContainText('NowFlash sale, 3 left$5.00$20.00RM23.60');
  await page.getByLabel('Flash sale starts').fill('2040-05-06T07:08');
  await expect(preview(page)).toContainText('NowDiscount$15.00$20.00RM70.80');
  await expect(preview(page)).toContainText(
    /From 6 May 2040, 07:08 GMT[+\d]*Flash sale, 3 left\$5\.00\$20\.00RM23\.60/,
  );

  await page.getByLabel('Name').fill('');
  await page.getByLabel('Discount (%)').fill('100.5');
  await page.getByLabel('Limited stock').fill('2.5');
  await press(page, 'Save Changes');
  await expect(dialog(page, 'Edit Product')).toContainText('Name and price are required');
  await expect(page.getByLabel('Name')).toBeFocused();
  for (const [label, words] of [
    ['Discount (%)', /^Must be at most 100/],
    ['Limited stock', /^Must be a whole number/],
  ] as const) {
    await expect(page.getByLabel(label)).toHaveAccessibleDescription(words);
  }
  await page.getByLabel('Name').fill(product.name);
  await page.getByLabel('Discount (%)').fill('25');
  await page.getByLabel('Limited stock').fill('3');
  await page.getByLabel('Flash sale ends').fill('2040-05-06T07:08');
  await press(page, 'Save Changes');
  await expect(page.getByLabel('Flash sale ends')).toHaveAccessibleDescription(/^Must be after the start/);
  await page.getByLabel('Flash sale ends').fill('');
  await press(page, 'Save Changes');
  await toast(page, `"${product.name}" has been updated`);
  await expect(dialog(page, 'Edit Product')).toBeHidden();
  await expect(page.getByRole('button', { name: `Edit ${product.name}` })).toBeFocused();
  await expect(card(page, product.name)).toContainText('RM94.40$20.00now $15.00');
  const shown = async () => (await fetch(`${shop.url}/api/digital-products/${product.id}`)).json();
  expect(await shown()).toMatchObject({
    data: { effectivePrice: 15, flashSale: { price: 5, limitedStock: 3, unitsLeft: 3 } },
  });

  // Saving without a change keeps the sale's times to the millisecond.
  const before = await shown();
  await press(page, `Edit ${product.name}`);
  await press(page, 'Save Changes');
  await expect(dialog(page, 'Edit Product')).toBeHidden();
  expect(await shown()).toEqual(before);

  // Type and tick alone are no offers.
  await press(page, `Edit ${product.name}`);
  await page.getByLabel('Discount (%)').fill('');
  await page.getByLabel('Flash sale price (USD)').fill('');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await press(page, 'Save Changes');
  expect((await sent).postDataJSON()).toMatchObject({ discount: null, flashSale: null });
  await expect(card(page, product.name)).not.toContainText('now $15.00');
});

test('an administrator with a stale version is warned, loads the newer one, and keeps the typed values', async ({
  page,
  shop,
  stockUp,
  signedIn,
  otherBrowser,
  admin,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\/digital-products\//, 409);
  const product = await stockUp({ name: newName('Shared') });
  const other = await otherBrowser();
  await signedIn(other, admin);
  for (const one of [page, other]) {
    await open(one, `&q=${product.name}`);
    await press(one, `Edit ${product.name}`);
    await one.getByLabel('Name').fill(`${product.name}, by ${one === page ? 'me' : 'them'}`);
  }
  await other.getByLabel('Description').fill('Theirs');
  await press(other, 'Save Changes');
  await toast(other, 'has been updated');

  await page.getByLabel('Price (USD)').fill('33');
  await press(page, 'Save Changes');
  const form = dialog(page, 'Edit Product');
  await expect(form.getByRole('alert')).toContainText('Someone else changed this product meanwhile.');
  await expect(form.getByRole('status')).toHaveText(
    'Changed meanwhile: Name, Description. You changed this, too, and yours is kept: Name. What you typed is still here. Please look at it once more and save.',
  );
  await expect(form.getByRole('status')).toBeInViewport({ ratio: 0.9 });
  await expect(form.getByRole('button', { name: 'Save Changes' })).toBeInViewport({ ratio: 0.9 });
  await expect(page.getByLabel('Description')).toHaveValue('Theirs');
  await expect(page.getByLabel('Price (USD)')).toHaveValue('33');
  await press(page, 'Save Changes');
  await toast(page, 'has been updated');
  const { name, description, price_cents } = await shop.db
    .selectFrom('products')
    .selectAll()
    .where('id', '=', product.id)
    .executeTakeFirstOrThrow();
  expect({ name, description, price_cents }).toEqual({
    name: `${product.name}, by me`,
    description: 'Theirs',
    price_cents: 3300,
  });

  await press(page, `Edit ${name}`);
  await page.getByLabel('Price (USD)').fill('34');
  await other.reload();
  await press(other, `Delete ${name}`);
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await toast(other, 'has been deleted');
  await press(page, 'Save Changes');
  await expect(form.getByRole('alert')).toContainText('Someone else deleted this product meanwhile.');
});

/** The time between the end of the last response of one call and the start of the last request of another. */
const waitedMs = (page: Page, calls: { from: string; to: string }) =>
  page.evaluate(({ from, to }) => {
    const of = (path: string) =>
      performance.getEntriesByType('resource').findLast(({ name }) => name.endsWith(path)) as PerformanceResourceTiming;
    return of(to).startTime - of(from).responseEnd;
  }, calls);

test('on a phone a product is deactivated, activated or deleted at once, and restored when the call fails', async ({
  page,
  shop,
  stockUp,
  admin: _,
  complaints,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const status of [403, 404, 429, 500])
    complaints.expectFailedRequest(/^\/api\/(admin\/)?digital-products\//, status);
  const { id, name } = await stockUp({ name: newName('Put away') });
  const address = `/api/digital-products/${id}`;
  const refuseOnce = (status: number) =>
    page.route(address, (route) => route.fulfill({ status, json: {} }), { times: 1 });
  const all = await shop.db.selectFrom('products').select('is_active').where('kind', '=', 'digital').execute();
  const active = all.filter(({ is_active }) => is_active).length;
  const inactive = all.length - active;
  const summary = (hidden: number) =>
    expect(page.getByText(`Showing ${active - hidden} active products (${inactive + hidden} hidden)`)).toBeVisible();
  await open(page, `&q=${name}`);
  await summary(0);

  await refuseOnce(403);
  await press(page, `Deactivate ${name}`);
  await toast(page, 'Failed to update product status');
  await expect(card(page, name)).toBeVisible();
  await refuseOnce(429);
  const slowedDown = page.waitForResponse((response) => response.status() === 429);
  await press(page, `Deactivate ${name}`);
  await slowedDown;
  await expect(card(page, name)).toBeVisible();
  await expect(page.getByText('Please wait a moment before trying again')).toHaveCount(0);

  // The card disappears before the shop has answered; half a second after the answer, the whole dashboard is read
  // again.
  const answered = Promise.withResolvers<void>();
  await page.route(address, (route) => answered.promise.then(() => route.continue()), { times: 1 });
  await press(page, `Deactivate ${name}`);
  await expect(card(page, name)).toHaveCount(0);
  await summary(1);
  answered.resolve();
  await toast(page, `Error: "${name}" has been deactivated and hidden from store`);
  // The dashboard may still be read again because of the refusals.
  await expect.poll(() => waitedMs(page, { from: address, to: '/api/admin/stats' })).toBeGreaterThan(490);
  await summary(1);
  expect((await fetch(`${shop.url}${address}`)).status).toBe(404);

  await press(page, 'Show All');
  await expect(
    page.getByText(`Showing all ${active + inactive} products (${active - 1} active, ${inactive + 1} inactive)`),
  ).toBeVisible();
  await expect(card(page, name)).toContainText(/^InactivePut away/);
  await press(page, `Activate ${name}`);
  await toast(page, `"${name}" is now active and visible to customers!`);
  await expect(card(page, name)).not.toContainText('Inactive');

  const question = dialog(page, 'Delete product');
  await press(page, `Delete ${name}`);
  await expect(question).toContainText(`Are you sure you want to delete "${name}"? This will mark it as inactive.`);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(question).toBeHidden();
  await refuseOnce(500);
  await press(page, `Delete ${name}`);
  await question.getByRole('button', { name: 'Delete' }).click();
  await toast(page, 'Failed to delete product');
  await expect(card(page, name)).not.toContainText('Inactive');

  const deleted = Promise.withResolvers<void>();
  await page.route(address, (route) => deleted.promise.then(() => route.continue()), { times: 1 });
  await press(page, `Delete ${name}`);
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('button', { name: `Permanently Delete ${name}` })).toBeDisabled();
  await expect(page.getByRole('button', { name: `Activate ${name}` })).toBeDisabled();
  deleted.resolve();
  await toast(page, `"${name}" has been deleted`);
  await expect(page.getByRole('button', { name: `Permanently Delete ${name}` })).toBeEnabled();
  await expect(card(page, name)).toContainText('What was sold stays with its buyers.');

  await open(page, `&q=${name}&dialog=edit&product=${crypto.randomUUID()}`);
  await toast(page, 'Product not found');
});

test('the list loads page by page, filters by name at every keystroke, and says why it is empty', async ({
  page,
  shop,
  admin: _,
}) => {
  const name = await oldestProductName(shop);
  // Small pages, so that the list has as many pages as that of a large shop.
  await page.route(`${LIST}?*`, (route) => route.continue({ url: `${route.request().url()}&limit=20` }));
  await open(page);
  const cards = page.getByRole('article');
  await expect(cards).toHaveCount(20);
  await press(page, 'Load more');
  await expect(cards).toHaveCount(40);
  await expect(card(page, name)).toHaveCount(0);
  await page.getByLabel('Search products').fill(name.toUpperCase());
  await expect(card(page, name)).toBeVisible();
  await expect(page).toHaveURL(/[?&]q=/);
  await page.reload();
  await expect(card(page, name)).toBeVisible();

  await page.getByLabel('Search products').fill('nothing is called so');
  await expect(page.getByText('No products found matching "nothing is called so"')).toBeVisible();
  await press(page, 'Clear search');
  await expect(cards).toHaveCount(20);
  await expect(page).not.toHaveURL(/[?&]q=/);

  const answerWith = (inactive: number) =>
    page.route(`${LIST}?*`, (route) => {
      const counts = { active: 0, inactive };
      return route.fulfill({
        json: { success: true, data: [], nextCursor: null, total: 0, hasUncounted: false, counts },
      });
    });
  await answerWith(3);
  await page.reload();
  await expect(page.getByText('No active products to display')).toBeVisible();
  await expect(page.getByText('3 inactive products hidden')).toBeVisible();
  await press(page, 'Show all products');
  await expect(page.getByRole('button', { name: 'Show Active Only' })).toBeVisible();
  await answerWith(0);
  await open(page);
  await expect(page.getByText('No digital products yet')).toBeVisible();
  await press(page, 'Add Your First Product');
  await expect(dialog(page, 'Add Digital Product')).toBeVisible();
});

test('the list has no accessibility violation and no overflow, in both themes, wide and narrow', async ({
  page,
  stockUp,
  admin: _,
}) => {
  const { name } = await stockUp({ name: newName('Looks'), featured: true });
  await stockUp({ name: `${name}, put away`, is_active: false });
  await open(page, `&show=all&q=${name}`);
  await expect(page.getByRole('article')).toHaveCount(2);
  await looksRightEverywhere(page, [1440, 360]);
  await press(page, `Delete ${name}`);
  await looksRightEverywhere(page, [360]);
});

test('the dialogs have no accessibility violation and no overflow, in both themes, wide and narrow', async ({
  page,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({
    discount_type: 'fixed',
    discount_cents: 100,
    flash_price_cents: 500,
    flash_starts_at: new Date('2040-01-01T00:00:00Z'),
  });
  await page.goto(productDialog('edit', product));
  await expect(preview(page)).toContainText('Flash sale');
  await looksRightEverywhere(page, [360]);
  await page.goto(productList(product.name, { dialog: 'add' }));
  await press(page, 'Create Product');
  await expect(page.getByText('Please fill in all required fields')).toBeVisible();
  await looksRightEverywhere(page, [1440]);
});

test('a product without isActive in the response counts as active', async ({ page, stockUp, admin: _ }) => {
  const { name } = await stockUp({ name: newName('Unmarked') });
  await page.route(`${LIST}?**`, async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { isActive?: boolean }[] };
    for (const product of body.data) delete product.isActive;
    await route.fulfill({ response, json: body });
  });
  await open(page, `&q=${encodeURIComponent(name)}`);
  await expect(card(page, name)).toBeVisible();
  await expect(card(page, name)).not.toContainText('Inactive');
  await expect(card(page, name).getByRole('button', { name: /^Deactivate/ })).toBeVisible();
});
