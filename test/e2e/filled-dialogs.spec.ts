import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { acceptQuestions, holdBack, press, productDialog, productList } from './steps.ts';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const question = (page: Page) => dialog(page, 'Discard what you entered?');
const name = (page: Page) => page.getByLabel('Name');
const byEscape = (page: Page) => page.keyboard.press('Escape');

/** Tries to close the dialog, then keeps its content. */
async function keep(page: Page, close: (page: Page) => Promise<void>) {
  await close(page);
  await expect(question(page)).toBeVisible();
  await press(page, 'Keep editing');
  await expect(question(page)).toBeHidden();
}

async function discard(page: Page, close: (page: Page) => Promise<void>) {
  await close(page);
  await press(page, 'Discard');
}

test('a click on the backdrop of a filled dialog asks before it closes, but a drag that starts inside does nothing', async ({
  page,
  admin: _,
}) => {
  await page.goto(productList('no product'));
  await press(page, 'Add Digital Product');
  await name(page).fill('Half a product');
  await name(page).hover();
  await page.mouse.down();
  await page.mouse.move(4, 4);
  await page.mouse.up();
  await expect(question(page)).toBeHidden();
  await page.mouse.click(4, 4);
  await expect(question(page)).toBeVisible();
});

test('a dialog with entered values asks before discarding them, however it is closed', async ({
  page,
  admin: _,
  customer,
  stockUp,
}) => {
  const product = await stockUp();
  await page.goto(productList(product.name));
  const form = dialog(page, 'Add Digital Product');
  await press(page, 'Add Digital Product');
  await expect(name(page)).toBeFocused();
  await byEscape(page);
  await expect(form).toBeHidden();
  // Shortly after the dialog is closed, the form leaves the page, and the dialog's entry leaves the history.
  await expect(name(page)).toHaveCount(0);
  await expect.poll(() => page.evaluate(() => window.history.state.modals ?? 0)).toBe(0);

  await press(page, 'Add Digital Product');
  await name(page).fill('Half a product');
  await keep(page, byEscape);
  await expect(name(page)).toBeFocused();
  await keep(page, () => form.getByRole('button', { name: 'Close' }).click());
  await keep(page, () => form.getByRole('button', { name: 'Cancel' }).click());
  await keep(page, () => page.mouse.click(4, 4));
  await keep(page, async () => void (await page.goBack()));
  // After enough presses of Escape, a browser closes both dialogs without asking the page.
  for (let times = 0; times < 4; times += 1) {
    await byEscape(page);
    await expect(question(page)).toBeVisible();
    await byEscape(page);
    await expect(question(page)).toBeHidden();
  }
  await expect(name(page)).toHaveValue('Half a product');
  await byEscape(page);
  await expect(question(page)).toBeVisible();
  await looksRightEverywhere(page, [1440, 360]);
  await discard(page, () => Promise.resolve());
  await expect(form).toBeHidden();

  await page.goto(productDialog('stock', product));
  await page.getByLabel('Inventory items').fill('a key that nobody has yet');
  await press(page, 'Check items');
  await expect(page.getByRole('button', { name: /^Add 1 item/ })).toBeVisible();
  await discard(page, byEscape);
  await expect(dialog(page, 'Manage Inventory')).toBeHidden();

  await page.goto(`/admin/users/${customer.id}`);
  await press(page, 'Block');
  await page.getByLabel('Reason').fill('A long story');
  await keep(page, byEscape);
  await page.getByLabel('Reason').fill('');
  await byEscape(page);
  await expect(dialog(page, 'Block user')).toBeHidden();
});

test('a discarded dialog stays closed when the browser is slow to go back, and reopens without a question', async ({
  page,
  admin: _,
  stockUp,
}) => {
  const product = await stockUp();
  await page.addInitScript(() => {
    const go = window.history.go.bind(window.history);
    window.history.go = (steps) => void setTimeout(() => go(steps), 300);
  });
  await page.goto('/admin');
  await page.goto(productList(product.name));
  const form = dialog(page, 'Edit Product');
  const openForms = () => page.evaluate(() => document.querySelectorAll('dialog[open]').length);
  const entry = () => page.evaluate(() => ({ url: window.location.href, modals: window.history.state.modals ?? 0 }));
  const left = await entry();
  for (let times = 0; times < 2; times += 1) {
    await press(page, `Edit ${product.name}`);
    await expect(name(page)).toBeFocused();
    expect(await openForms()).toBe(1);
    await name(page).fill('Half a product');
    await discard(page, () => form.getByRole('button', { name: 'Cancel' }).click());
    await expect.poll(entry).toEqual(left);
    await expect(name(page)).toHaveCount(0);
    expect(await openForms()).toBe(0);
  }
  await page.goBack();
  await expect(page).toHaveURL('/admin');
});

/** Sends an item, and asks to close the dialog before the answer, which `letGo` lets come. */
async function closeWhileAdding(page: Page) {
  await page.getByLabel('Inventory items').fill(`KEY-${Date.now()}`);
  await press(page, 'Check items');
  const upload = await holdBack(page, '**/inventory');
  await press(page, 'Add 1 item');
  await upload.made;
  await byEscape(page);
  await expect(question(page)).toBeVisible();
  return upload;
}

test('a dialog that finishes while asking whether to discard reopens without that question', async ({
  page,
  admin: _,
}) => {
  await page.goto(productList('no product'));
  await press(page, 'Add Digital Product');
  await name(page).fill(`Asked ${Date.now()}`);
  await page.getByLabel('Description').fill('Two words');
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
  await page.getByLabel('Price (USD)').fill('20');
  await press(page, 'Create Product');
  const upload = await closeWhileAdding(page);
  upload.letGo();
  await expect(dialog(page, 'Add Digital Product')).toBeHidden();
  await press(page, 'Add Digital Product');
  await expect(name(page)).toBeFocused();
  expect(await page.evaluate(() => document.querySelectorAll('dialog[open]').length)).toBe(1);
});

test('the question whether to discard items disappears once they are added', async ({ page, admin: _, stockUp }) => {
  await page.goto(productDialog('stock', await stockUp({ items: 1 })));
  const upload = await closeWhileAdding(page);
  upload.letGo();
  await expect(question(page)).toBeHidden();
  await expect(page.getByRole('tab', { name: 'Items', selected: true })).toBeVisible();
});

test('the browser asks before a page with entered values is reloaded', async ({ page, admin: _ }) => {
  const asked = acceptQuestions(page);
  await page.goto('/admin/products/new');
  // The browser asks only about pages that the user has touched.
  await page.getByLabel('Name', { exact: true }).click();
  await page.reload();
  expect(asked).toEqual([]);
  await page.getByLabel('Name', { exact: true }).click();
  await page.keyboard.type('Half a product');
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
});

test('a duplicate product name needs a confirmation, and an invalid price or offer is refused', async ({
  page,
  shop,
  admin: _,
  complaints,
  stockUp,
}) => {
  const product = await stockUp({ name: `Twice ${Date.now()}` });
  const isPriceRefused = () =>
    expect(page.getByLabel('Price (USD)')).toHaveAccessibleDescription(/^Price must be greater than 0/);
  const named = (kind: 'digital' | 'physical') =>
    shop.db.selectFrom('products').select('id').where('kind', '=', kind).where('name', '=', product.name).execute();
  complaints.expectFailedRequest('/api/digital-products', 409);
  await page.goto(productList(product.name, { dialog: 'add' }));
  await name(page).fill(product.name);
  await page.getByLabel('Description').fill('Two words');
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
  await page.getByLabel('Price (USD)').fill('-1');
  await press(page, 'Create Product');
  await isPriceRefused();
  await page.getByLabel('Price (USD)').fill('20');
  await press(page, 'Create Product');
  await expect(dialog(page, 'Add Digital Product').getByRole('alert')).toHaveText(
    `Another product is named "${product.name}". Use the name again?`,
  );
  expect(await named('digital')).toHaveLength(1);
  await press(page, 'Use this name anyway');
  await expect(dialog(page, 'Add Digital Product')).toContainText('Step 2 of 2');
  expect(await named('digital')).toHaveLength(2);

  await page.goto(productDialog('edit', product));
  await page.getByLabel('Price (USD)').fill('-1');
  await press(page, 'Save Changes');
  await isPriceRefused();
  await page.getByLabel('Price (USD)').fill('10');
  await page.getByLabel('Discount type').selectOption('Fixed amount');
  await page.getByLabel('Discount (USD)').fill('10.01');
  await page.getByLabel('Enable flash sale').check();
  await page.getByLabel('Flash sale price (USD)').fill('10.01');
  await press(page, 'Save Changes');
  await expect(page.getByLabel('Discount (USD)')).toHaveAccessibleDescription(
    /^Must not be more than the regular price/,
  );
  await expect(page.getByLabel('Flash sale price (USD)')).toHaveAccessibleDescription(
    /^Must not be above the regular price/,
  );
  await page.getByLabel('Discount (USD)').fill('4');
  await page.getByLabel('Flash sale price (USD)').fill('5');
  await press(page, 'Save Changes');
  await expect(dialog(page, 'Edit Product')).toBeHidden();

  complaints.expectFailedRequest('/api/admin/products', 409);
  for (const times of [1, 2]) {
    await page.goto('/admin/products/new');
    await name(page).fill(product.name);
    await page.getByLabel('Category').fill('Mugs');
    await page.getByLabel('Image', { exact: true }).fill('/demo/covers/ember-reach.svg');
    await page.getByLabel('Stock').fill('3');
    await page.getByLabel('Price (USD)').fill('-1');
    await press(page, 'Add Product');
    await isPriceRefused();
    await page.getByLabel('Price (USD)').fill('12.50');
    await press(page, 'Add Product');
    if (times === 2) await press(page, 'Use this name anyway');
    await expect(page).toHaveURL(/tab=physical/);
  }
  expect(await named('physical')).toHaveLength(2);
});

test('a toast above an open dialog can be clicked, and stays when the dialog or its screen closes', async ({
  page,
  stockUp,
  admin: _,
  complaints,
}) => {
  const product = await stockUp({ name: `Undone ${Date.now()}` });
  const other = await stockUp({ name: `Other ${product.name}` });
  const toast = (words: string) => expect(page.getByRole('region', { name: 'Notifications' })).toContainText(words);
  await page.goto(`/admin?tab=digital&show=all&q=${product.name}`);
  const form = dialog(page, 'Edit Product');
  async function close() {
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toBeHidden();
  }
  for (const isOpen of [true, false]) {
    const held = await holdBack(page, `/api/digital-products/${product.id}`);
    await press(page, `Delete ${product.name}`);
    await dialog(page, 'Delete product').getByRole('button', { name: 'Delete' }).click();
    await held.made;
    await press(page, `Edit ${other.name}`);
    await expect(name(page)).toHaveValue(other.name);
    held.letGo();
    await toast(`"${product.name}" has been deleted`);
    if (!isOpen) await close();
    await press(page, 'Undo');
    await toast(`"${product.name}" is back`);
    if (isOpen) await close();
  }

  await press(page, `Edit ${other.name}`);
  await expect(name(page)).toHaveValue(other.name);
  // Only this call is refused: the lists that are read again meanwhile would end the session before Save is pressed.
  complaints.expectFailedRequest(`/api/digital-products/${other.id}`, 401);
  await page.route(`/api/digital-products/${other.id}`, (route) =>
    route.fulfill({ status: 401, json: { code: 'UNAUTHENTICATED' } }),
  );
  await press(page, 'Save Changes');
  await expect(page).toHaveURL('/login');
  await toast('Session expired. Please login again.');
});
