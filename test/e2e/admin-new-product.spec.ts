import { expect, type Page, type Route } from '@playwright/test';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { awaitCalls, press, productDialog, productList, signIn } from './steps.ts';

const form = (page: Page) => page.getByRole('dialog', { name: 'Add Digital Product' });
const card = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
const newName = (kind: string) => `${kind} of ${Date.now()}`;

async function fillProduct(page: Page, delivery: string, name: string) {
  await page.goto(productList(name));
  await press(page, 'Add Digital Product');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description').fill('Two words');
  await page.getByLabel('Price (USD)').fill('12.45');
  await page.getByLabel('How it is delivered').selectOption(delivery);
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
}

test.describe('the second step of a new product', () => {
  test('asks for the content of a shared product and shows its limit of units', async ({ page, admin: _ }) => {
    const name = newName('Shared');
    await fillProduct(page, 'shared', name);
    await page.getByLabel('Limit of units').fill('50');
    await press(page, 'Create Product');
    await expect(form(page)).toContainText('Step 2 of 2: what every buyer gets');
    await expect(form(page)).toContainText('50 units can be sold');
    await expect(page.getByLabel('Inventory items')).toHaveCount(0);
    await press(page, 'Save content');
    await expect(form(page)).toContainText('Please enter the content');
    await looksRightEverywhere(page, [360]);
    await page.getByRole('textbox', { name: 'Content' }).fill('https://example.com/invite');
    await press(page, 'Save content');
    await expect(form(page)).toBeHidden();
    await expect(card(page, name)).toContainText('Units left50Delivered0');
    await expect(card(page, name)).not.toContainText('No Stock');
  });

  test('begins at its title, with its buttons uncovered by the message that the product was created', async ({
    page,
    admin: _,
  }) => {
    const toasts = page.getByRole('region', { name: 'Notifications' });
    for (const size of [
      { width: 1280, height: 800 },
      { width: 390, height: 520 },
    ]) {
      await page.setViewportSize(size);
      await fillProduct(page, 'unique', newName('Uncovered'));
      await press(page, 'Create Product');
      await expect(toasts).toContainText('has been created');
      // A message that is pointed at stays.
      const toast = toasts.getByRole('listitem');
      await toast.hover();
      expect(await form(page).evaluate((dialog) => dialog.scrollTop)).toBe(0);
      const { y = 0, height = 0 } = (await toast.boundingBox()) ?? {};
      for (const name of ['Check items', 'Skip for now']) {
        const button = await page.getByRole('button', { name }).boundingBox();
        expect(y + height).toBeLessThan(button?.y ?? 0);
      }
      await toasts.getByRole('button', { name: 'Close message' }).click();
      await press(page, 'Skip for now');
    }
  });

  test('asks for the file of a file product', async ({ page, admin: _ }) => {
    const name = newName('File');
    await fillProduct(page, 'file', name);
    await press(page, 'Create Product');
    await expect(form(page)).toContainText('Step 2 of 2: the file to download');
    await form(page)
      .getByLabel('File to sell')
      .setInputFiles({ name: 'guide.txt', mimeType: 'text/plain', buffer: Buffer.from('A guide') });
    await expect(form(page)).toBeHidden();
    await expect(card(page, name)).not.toContainText('No Stock');
  });

  test('asks for nothing for manual delivery and lists the fields that buyers fill in', async ({ page, admin: _ }) => {
    const name = newName('Manual');
    await fillProduct(page, 'manual', name);
    await press(page, 'Add a field');
    await press(page, 'Create Product');
    await expect(page.getByLabel('Label 1')).toHaveAccessibleDescription('Please fill in this field');
    await page.getByLabel('Label 1').fill('Player ID');
    await press(page, 'Create Product');
    await expect(form(page)).toContainText('Step 2 of 2: delivered by you');
    await expect(form(page)).toContainText('There is no limit of units');
    await expect(form(page)).toContainText('The checkout asks for: Player ID');
    await expect(page.getByLabel('Inventory items')).toHaveCount(0);
    await looksRightEverywhere(page, [360]);
    await press(page, 'Done');
    await expect(form(page)).toBeHidden();
    await expect(card(page, name)).not.toContainText('No Stock');
  });
});

test('platform and region of a new product are side by side', async ({ page, admin: _ }) => {
  await page.goto('/admin?tab=digital&dialog=add');
  await expect(form(page)).toBeVisible();
  const top = async (name: string) => (await page.getByLabel(name).boundingBox())?.y;
  expect(await top('Platform')).toBe(await top('Region of activation'));
});

test('a chosen value of two lines keeps a distance to the edge of its field on a phone', async ({ page, admin: _ }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/admin?tab=digital&dialog=add');
  const beside = await page.getByLabel('How it is delivered').evaluate((select) => {
    const lines = Number.parseFloat(getComputedStyle(select).lineHeight) * 2;
    return select.clientHeight - lines;
  });
  expect(beside).toBeGreaterThanOrEqual(7);
});

test('invalid values in fields of another delivery type do not block a new product', async ({ page, admin: _ }) => {
  await fillProduct(page, 'file', newName('Changed'));
  await page.getByLabel('Downloads for each buyer').fill('0');
  await page.getByLabel('Days to download').fill('0');
  await page.getByLabel('Limit of units').fill('-1');
  await page.getByLabel('How it is delivered').selectOption('unique');
  await press(page, 'Create Product');
  await expect(form(page)).toContainText('Step 2 of 2');

  await fillProduct(page, 'unique', newName('Changed'));
  await page.getByLabel('Running low at').fill('1001');
  await page.getByLabel('How it is delivered').selectOption('manual');
  await press(page, 'Create Product');
  await expect(form(page)).toContainText('Step 2 of 2: delivered by you');
});

test('an account is added as separate fields, and its buyer sees each field', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  otherBrowser,
  admin: _,
}) => {
  const product = await stockUp({ items: 0 });
  const password = newName('paper-kite').replaceAll(' ', '-');
  await page.goto(productDialog('stock', product));
  await page.getByText('Add an account').click();
  await page.getByLabel('User').fill('sea.otter');
  await press(page, 'Check items');
  await expect(page.getByRole('dialog')).toContainText('An account needs a user and a password');
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Note').fill('Change it at once');
  await press(page, 'Check items');
  await press(page, 'Add 1 item');
  await expect(page.getByRole('list', { name: 'Items' })).toContainText('sea.otter:••••••••');

  const orderId = await buyAsCustomer({ url: shop.url }, customer, [{ product, quantity: 1 }]);
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.goto(`/order-items/${orderId}`);
  await expect(buyer.getByRole('code')).toHaveText('sea.otter:••••••••');
  await buyer.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await buyer.getByRole('button', { name: 'Copy item 1' }).click();
  await expect(buyer.getByRole('button', { name: 'Copied item 1' })).toBeVisible();
  const account = `User: sea.otter\nPassword: ${password}\nNote: Change it at once`;
  expect(await buyer.evaluate(() => navigator.clipboard.readText())).toBe(account);
  await buyer.getByRole('button', { name: 'Show item 1' }).click();
  await expect(buyer.getByRole('code')).toHaveText(['sea.otter', password, 'Change it at once']);
  await looksRightEverywhere(buyer, [360]);
});

test('the typed values of a new product survive a revoked session and the next login', async ({
  page,
  admin,
  shop,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\//, 401);
  const name = newName('Typed');
  await fillProduct(page, 'manual', name);
  await awaitCalls(page);
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', admin.id).execute();
  await press(page, 'Create Product');
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: admin.email, password: TEST_PASSWORD });
  await expect(form(page).getByLabel('Name')).toHaveValue(name);
  await expect(page.getByLabel('Price (USD)')).toHaveValue('12.45');
  await press(page, 'Create Product');
  await expect(form(page)).toContainText('Step 2 of 2: delivered by you');
});

test('a retry with a new price after a lost response reports the product that the first try created', async ({
  page,
  admin: _,
  complaints,
}) => {
  const name = newName('Lost');
  await fillProduct(page, 'manual', name);
  complaints.expectBrokenConnection('/api/digital-products');
  complaints.expectFailedRequest('/api/digital-products', 400);
  const lost = async (route: Route) => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('/api/digital-products', lost, { times: 1 });
  await press(page, 'Create Product');
  await expect(form(page)).toContainText('We could not reach the shop');
  await page.getByLabel('Price (USD)').fill('124.50');
  await press(page, 'Create Product');
  await expect(form(page)).toContainText('An earlier try has added this product already');
  await expect(page.getByRole('article', { includeHidden: true }).filter({ hasText: name })).toContainText('$12.45');
});

test('content that fails to load shows an error, not "There is no content yet", and can be retried', async ({
  page,
  admin: _,
  stockUp,
  complaints,
}) => {
  const product = await stockUp({ items: 0, delivery: 'shared' });
  const path = `/api/digital-products/${product.id}/content`;
  complaints.expectFailedRequest(path, 409);
  await page.route(path, (route) => route.fulfill({ status: 409, json: {} }), { times: 1 });
  await page.goto(productDialog('stock', product));
  const stock = page.getByRole('dialog', { name: 'Manage Inventory' });
  await expect(stock.getByRole('alert')).toContainText('Failed to load the content');
  await expect(stock.getByText('There is no content yet')).toHaveCount(0);
  await looksRightEverywhere(page, [360]);
  await press(page, 'Try again');
  await expect(stock.getByText('There is no content yet')).toBeVisible();
  await expect(stock.getByRole('alert')).toHaveCount(0);
});
