import { expect, type Page } from '@playwright/test';
import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import type { RealShop } from './real-shop.ts';
import { holdBack, press } from './steps.ts';

async function makePhysicalProduct({ db }: RealShop, name: string, stock = 5) {
  const product = {
    id: uuidv7(),
    kind: 'physical' as const,
    name,
    description: 'Of a test',
    brand: 'Harimau',
    category: 'Test gear',
    image: '/demo/covers/ember-reach.svg',
    price_cents: 1250,
    stock,
    created_at: new Date(),
  };
  await db.insertInto('products').values(product).execute();
  return product;
}

const findProduct = ({ db }: RealShop, name: string) =>
  db.selectFrom('products').selectAll().where('name', '=', name).execute();

async function pngFile() {
  const picture = sharp({ create: { width: 64, height: 48, channels: 3, background: '#c33' } });
  return { name: 'mug.png', mimeType: 'image/png', buffer: await picture.png().toBuffer() };
}

const openList = (page: Page, search = '') => page.goto(`/admin?tab=physical&q=${encodeURIComponent(search)}`);
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const toast = (page: Page, text: string) => page.getByText(text, { exact: true });

test('the list shows stock in colour, is searchable, and deletes at once, with a rollback when the call fails', async ({
  page,
  shop,
  admin: _,
  complaints,
}) => {
  const word = uuidv7().slice(-12);
  await makePhysicalProduct(shop, `Gone Lamp ${word}`, 0);
  await makePhysicalProduct(shop, `Last Lamp ${word}`, 9);
  await makePhysicalProduct(shop, `Many Lamps ${word}`, 10);
  await openList(page);
  await expect(page.getByText(/^\d+ products available$/)).toBeVisible();
  const name = `Last Lamp ${word}`;
  await expect(row(page, name)).toHaveText(`${name}HarimauTest gear$12.50RM59.0090.0(0 reviews)Active`);
  await expect(row(page, name).locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await expect(row(page, name).getByRole('rowheader')).toContainText(name);
  await page.setViewportSize({ width: 390, height: 844 });
  const card = page.getByRole('list', { name: 'Physical products' }).getByRole('listitem').filter({ hasText: name });
  await expect(card).toHaveText(`${name}HarimauTest gearActive$12.50RM59.00Stock 90.0(0 reviews)`);
  await expect(card.locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await expect(row(page, name)).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 800 });

  const search = page.getByLabel('Search products');
  await search.fill(word.toUpperCase());
  await expect(page.getByRole('row')).toHaveCount(4);
  await expect(page).toHaveURL(new RegExp(`q=${word}`, 'i'));
  for (const [name, stock, colour] of [
    ['Gone Lamp', '0', 'danger'],
    ['Last Lamp', '9', 'warning'],
    ['Many Lamps', '10', 'success'],
  ] as const) {
    await expect(row(page, name).getByText(stock, { exact: true })).toHaveClass(new RegExp(`text-${colour}`));
  }
  await search.fill('test GEAR');
  await expect(row(page, 'Gone Lamp')).toBeVisible();
  await search.fill('no such thing');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await expect(page.getByText('No results for "no such thing"')).toBeVisible();
  await search.fill(word);

  const target = row(page, 'Last Lamp');
  const askToDelete = () => target.getByRole('button', { name: /^Delete/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete product' });
  await askToDelete();
  await expect(dialog).toContainText(
    `Are you sure you want to delete "Last Lamp ${word}"? This will mark it as inactive.`,
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();

  let fail: (() => void) | undefined;
  await page.route('**/api/admin/products/*', async (route) => {
    await new Promise<void>((resolve) => {
      fail = resolve;
    });
    await route.abort('connectionreset');
  });
  complaints.expectBrokenConnection(/^\/api\/admin\/products\//);
  await askToDelete();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(target.getByText('Inactive')).toBeVisible();
  await expect.poll(() => fail !== undefined).toBe(true);
  fail?.();
  await expect(target.getByText('Active', { exact: true })).toBeVisible();
  await expect(page.getByText(/We could not reach the shop/)).toBeVisible();
  await page.unroute('**/api/admin/products/*');

  await askToDelete();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(toast(page, `"Last Lamp ${word}" has been deleted`)).toBeVisible();
  await expect(target.getByText('Inactive')).toBeVisible();
  await expect(target.getByRole('button', { name: /^Delete/ })).toBeDisabled();
  expect(await findProduct(shop, `Last Lamp ${word}`)).toMatchObject([{ is_active: false }]);
  await looksRightEverywhere(page);
});

test('a shop without physical products suggests adding the first one', async ({ page, admin: _ }) => {
  const nothing = { data: [], nextCursor: null, total: 0, hasUncounted: false, counts: { active: 0, inactive: 0 } };
  await page.route('/api/admin/products*', (route) => route.fulfill({ json: { success: true, ...nothing } }));
  await openList(page);
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await expect(page.getByText('Add your first product to get started')).toBeVisible();
});

test('a product with an uploaded picture is added once, and each invalid field shows its own error', async ({
  page,
  shop,
  admin: _,
  complaints,
}) => {
  const name = `Kopi Mug ${uuidv7()}`;
  await openList(page);
  await page.getByRole('link', { name: 'Add Product' }).click();
  await expect(page).toHaveURL('/admin/products/new');
  const add = page.getByRole('button', { name: 'Add Product' });
  await add.click();
  for (const message of [
    'Please enter a name',
    'Please enter a category',
    'Please give an image',
    'Please enter a price',
    'Please enter how many there are',
  ]) {
    await expect(page.getByText(message, { exact: true })).toBeVisible();
  }
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Category').fill('Kitchen');
  await page.getByLabel('Price (USD)').fill('0');
  await expect(page.getByText('Price must be greater than 0')).toBeVisible();
  await page.getByLabel('Price (USD)').fill('10');
  await expect(page.getByText('RM47.20 at the shop’s rate')).toBeVisible();
  await page.getByLabel('Stock').fill('3');

  complaints.expectFailedRequest('/api/admin/images', 400);
  const file = page.getByLabel('Image file');
  await file.setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') });
  await expect(page.getByText('Please choose a PNG, JPEG or WebP image')).toBeVisible();
  await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') });
  await expect(page.getByText('The file must be a PNG, JPEG or WebP image')).toBeVisible();
  await file.setInputFiles(await pngFile());
  await expect(page.getByLabel('Image', { exact: true })).toHaveValue(/^\/images\/[0-9a-f]{64}\.webp$/);
  await expect(page.getByText('The file must be a PNG, JPEG or WebP image')).toHaveCount(0);
  await expect.poll(() => page.locator('form img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  await looksRightEverywhere(page, [360]);

  await add.dblclick();
  await expect(toast(page, `"${name}" has been added`)).toBeVisible();
  await expect(page).toHaveURL(/\/admin\?tab=physical/);
  expect(await findProduct(shop, name)).toMatchObject([
    { price_cents: 1000, stock: 3, is_active: true, image: expect.stringMatching(/^\/images\//) },
  ]);
});

test('a save waits until pictures are uploaded, except for a picture that was removed', async ({
  page,
  shop,
  admin: _,
}) => {
  const { id, name } = await makePhysicalProduct(shop, `Late Picture ${uuidv7()}`);
  await page.goto(`/admin/products/${id}`);
  const save = page.getByRole('button', { name: 'Save Changes' });
  const waiting = page.getByRole('button', { name: 'Waiting for the picture...' });
  const hold = () => holdBack(page, '/api/admin/images');
  const removed = await hold();
  await press(page, 'Add a picture');
  await page.getByLabel('Picture 2 file').setInputFiles(await pngFile());
  await removed.made;
  await expect(waiting).toBeDisabled();
  await looksRightEverywhere(page, [1280, 390]);
  await press(page, 'Remove: Picture 2');
  await expect(save).toBeEnabled();
  const response = page.waitForResponse('/api/admin/images');
  removed.letGo();
  await response;

  const kept = await hold();
  await page.getByLabel('Image file').setInputFiles(await pngFile());
  await kept.made;
  await expect(waiting).toBeDisabled();
  await page.getByLabel('Brand').press('Enter');
  kept.letGo();
  await save.click();
  await expect(toast(page, `"${name}" has been updated`)).toBeVisible();
  expect(await findProduct(shop, name)).toMatchObject([
    { image: expect.stringMatching(/^\/images\//), more_images: [], version: 2 },
  ]);
});

test('a save of a stale version is refused with a warning, and the typed values are kept', async ({
  page,
  shop,
  admin: _,
  complaints,
}) => {
  const { id, name } = await makePhysicalProduct(shop, `Desk Lamp ${uuidv7()}`);
  await openList(page, name);
  await page.getByRole('link', { name: `Edit ${name}` }).click();
  await page.getByLabel('Description').fill('Typed here');
  await page.getByLabel('Price (USD)').fill('15');
  await shop.db
    .updateTable('products')
    .set({ price_cents: 2000, description: '', stock: 77, version: 2 })
    .where('id', '=', id)
    .execute();

  complaints.expectFailedRequest(`/api/admin/products/${id}`, 409);
  const save = page.getByRole('button', { name: 'Save Changes' });
  await save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Someone else changed this product' })).toBeVisible();
  await expect(page.getByLabel('Description')).toHaveValue('Typed here');
  await expect(page.getByLabel('Price (USD)')).toHaveValue('15');
  await expect(page.getByLabel('Price (USD)')).toHaveAccessibleDescription('Saved meanwhile: 20.00');
  await expect(page.getByLabel('Description')).toHaveAccessibleDescription('Saved meanwhile: (empty)');
  await expect(page.getByLabel('Stock')).toHaveValue('77');
  expect(await findProduct(shop, name)).toMatchObject([{ price_cents: 2000, description: '' }]);

  await save.click();
  await expect(toast(page, `"${name}" has been updated`)).toBeVisible();
  await expect(page).toHaveURL(/tab=physical&q=Desk/);
  await expect(row(page, name)).toContainText('$15.00');
  expect(await findProduct(shop, name)).toMatchObject([
    { price_cents: 1500, description: 'Typed here', stock: 77, version: 3 },
  ]);

  const missing = uuidv7();
  complaints.expectFailedRequest(`/api/admin/products/${missing}`, 404);
  await page.goto(`/admin/products/${missing}`);
  await expect(page.getByRole('heading', { name: 'Product not found' })).toBeVisible();
});

test('a stock edit subtracts the units that were sold since the form was loaded', async ({ page, shop, admin: _ }) => {
  const { id, name } = await makePhysicalProduct(shop, `Counted Lamp ${uuidv7()}`, 10);
  await page.goto(`/admin/products/${id}`);
  await expect(page.getByLabel('Stock')).toHaveValue('10');
  // As an order does.
  await shop.db.updateTable('products').set({ stock: 7 }).where('id', '=', id).execute();
  await page.getByLabel('Stock').fill('30');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, `"${name}" has been updated`)).toBeVisible();
  expect(await findProduct(shop, name)).toMatchObject([{ stock: 27 }]);
});

test('the checkboxes "Active" and "Featured product" of a new product are aligned', async ({ page, admin: _ }) => {
  await page.goto('/admin/products/new');
  const left = async (name: string) => (await page.getByLabel(name).boundingBox())?.x;
  await expect(page.getByLabel('Active')).toBeVisible();
  expect(await left('Featured product')).toBe(await left('Active'));
});

test('a picture is loaded when the typing of its address has paused or its field is left, not at each key', async ({
  page,
  admin: _,
}) => {
  await page.clock.install();
  await page.goto('/admin/products/new');
  const field = page.getByLabel('Image', { exact: true });
  const picture = page.getByRole('main').locator('img');
  await expect(field).toBeVisible();
  await page.clock.pauseAt(Date.now() + 60_000);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await field.pressSequentially('/demo/covers/ember-reach.svg');
  await expect(field).toHaveValue('/demo/covers/ember-reach.svg');
  await expect(picture).toHaveCount(0);
  await page.clock.runFor(300);
  await expect(picture).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await field.fill('/demo/covers/tidebound-leviathan.svg');
  await expect(picture).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await field.blur();
  await expect(picture).toHaveAttribute('src', '/demo/covers/tidebound-leviathan.svg');
  expect(requested.filter((path) => path.startsWith('/demo/') || path.startsWith('/admin'))).toEqual([
    '/demo/covers/ember-reach.svg',
    '/demo/covers/tidebound-leviathan.svg',
  ]);
});
