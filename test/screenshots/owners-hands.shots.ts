import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { test } from '../e2e/fixtures.ts';
import { leaveInStorage, openCheckout, payButton, press, seesCardForm } from '../e2e/steps.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { shoot } from './shoot.ts';

const WIDTHS = [390, 1440];
const stock = (page: Page) => page.getByRole('dialog', { name: 'Manage Inventory' });
const items = (page: Page) => stock(page).getByRole('list', { name: 'Items' }).getByRole('listitem');

test('an order with notes, and a refund of an amount', async ({ page, shop, stockUp, customer, admin: _ }) => {
  const product = await stockUp({ items: 2, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await page.goto(`/admin/orders/${order}`);
  const notes = page.getByRole('region', { name: 'Notes' });
  for (const text of [
    'The buyer called.\nWe call back on Monday.',
    'Called back: the key works on the other console.',
  ]) {
    await notes.getByLabel('New note').fill(text);
    await notes.getByRole('button', { name: 'Add note' }).click();
    await expect(notes.getByRole('list', { name: 'Notes' })).toContainText(text.split('\n')[0] ?? '');
  }
  await shoot(page, 'admin-order-notes', WIDTHS);
  await page.getByRole('button', { name: 'Refund' }).click();
  const refund = page.getByRole('dialog', { name: 'Refund' });
  await refund.getByLabel('An amount').check();
  await refund.getByLabel('Reason').fill('A slow answer');
  await refund.getByLabel('Amount (USD)').fill('99');
  await refund.getByRole('button', { name: 'Refund $99.00' }).click();
  await shoot(page, 'admin-order-refund-amount', WIDTHS);
  await refund.getByLabel('Amount (USD)').fill('2.50');
  await refund.getByLabel('Message to the buyer').fill('Sorry that it took so long.');
  await refund.getByRole('button', { name: 'Refund $2.50' }).click();
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('$2.50');
  await shoot(page, 'admin-order-refunded-amount', WIDTHS);
});

test('a corrected e-mail', async ({ page, shop, stockUp, admin, complaints }) => {
  const product = await stockUp();
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], {
    email: `aminah.yusof-${randomUUID()}@exmaple.com`,
  });
  const shopper = createShopper(shop.url);
  await shopper.signIn(admin.email, TEST_PASSWORD);
  const app = await enableTwoFactor(shopper);
  const { pendingToken } = (await shopper.signIn(admin.email, TEST_PASSWORD)).body;
  const { body } = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: app.backupCodes[0] });
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto(`/admin/orders/${orderId}`);
  await page.getByRole('button', { name: 'Correct email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct email' });
  await dialog.getByLabel('Right email').fill(`aminah.yusof-${randomUUID()}@example.com`);
  await dialog.getByLabel('Reason').fill('The buyer called');
  complaints.expectFailedRequest(/\/correct-email$/, 401);
  const code = dialog.getByRole('textbox', { name: 'Authentication code' });
  await code.pressSequentially('000000');
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Invalid 2FA code');
  await shoot(page, 'admin-order-correct-email', WIDTHS);
  await code.pressSequentially(app.nextCode());
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(page.getByRole('region', { name: 'Customer' })).toContainText('Items open');
  await shoot(page, 'admin-order-corrected-email', WIDTHS);
});

test('keys from a CSV, withdrawn ones, and items that are restored and moved', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ name: 'Ember Reach, Collector’s Edition', items: 3 });
  const target = await stockUp({ name: `Ember Reach ${randomUUID().slice(0, 8)}`, items: 0 });
  await page.goto(`/admin?tab=digital&dialog=stock&product=${product.id}`);
  const rows = Array.from({ length: 6 }, (_value, index) => `order ${index};${index}AAA-${randomUUID()};5.00`);
  const text = `\ufeff${['Order;Product key;Price', ...rows, ''].join('\r\n')}`;
  const file = { name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'utf16le') };
  await stock(page).getByLabel('File of items').setInputFiles(file);
  await stock(page).getByRole('list', { name: 'First lines' }).scrollIntoViewIfNeeded();
  await shoot(page, 'admin-stock-csv', WIDTHS);
  await press(page, 'Check items');
  await expect(stock(page).getByRole('button', { name: 'Add 6 items' })).toBeVisible();
  await shoot(page, 'admin-stock-csv-checked', WIDTHS);

  await shop.db.updateTable('items').set({ state: 'voided' }).where('product_id', '=', product.id).execute();
  await page.goto(`/admin?tab=digital&dialog=stock&product=${product.id}`);
  await stock(page).getByLabel('Inventory items').fill(product.keys.slice(0, 2).join('\n'));
  await press(page, 'Check items');
  await stock(page).getByLabel('Put the 2 withdrawn ones on sale again, as items of this product').check();
  await shoot(page, 'admin-stock-withdrawn', WIDTHS);
  await stock(page).getByLabel('Reason').fill('Voided by mistake');
  await press(page, 'Add 2 items');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('2 on sale again');
  await shop.db
    .updateTable('items')
    .set({ state: 'quarantined' })
    .where('product_id', '=', product.id)
    .where('state', '=', 'voided')
    .execute();
  await page.goto(`/admin?tab=digital&dialog=stock&product=${product.id}`);
  await stock(page).getByRole('tab', { name: 'Items' }).click();
  await expect(items(page)).toHaveCount(3);
  await shoot(page, 'admin-stock-items', WIDTHS);
  await items(page)
    .getByRole('button', { name: /^Put on sale again/ })
    .first()
    .click();
  await shoot(page, 'admin-stock-restore', WIDTHS);
  await page.getByRole('dialog').last().getByRole('button', { name: 'Cancel' }).click();
  await items(page).getByRole('button', { name: /^Move/ }).first().click();
  const moving = page.getByRole('dialog', { name: 'Move this item?' });
  await moving.getByLabel('Search products').fill(target.name);
  await moving.getByRole('radio', { name: target.name }).check();
  await shoot(page, 'admin-stock-move', WIDTHS);
});

test('a draft, and a key that is found', async ({ page, stockUp, admin: _ }) => {
  const name = `Unready ${randomUUID().slice(0, 8)}`;
  const product = await stockUp();
  await page.goto('/admin?tab=digital');
  await press(page, 'Add Digital Product');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description').fill('Not ready yet');
  await page.getByLabel('Price (USD)').fill('12.45');
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
  await page.getByLabel('On sale at once, not saved as a draft').uncheck();
  await shoot(page, 'admin-draft-new', WIDTHS);
  await press(page, 'Create Product');
  await page.getByLabel('Inventory items').fill(`${name} A`);
  await press(page, 'Check items');
  await press(page, 'Add 1 item');
  await page.getByLabel('Search products').fill(name);
  await expect(page.getByRole('button', { name: `Publish ${name}` })).toBeVisible();
  await shoot(page, 'admin-draft', WIDTHS);
  await press(page, 'Find a Key');
  const dialog = page.getByRole('dialog', { name: 'Find a key' });
  await dialog.getByLabel('Key', { exact: true }).fill(product.keys[0] ?? '');
  await dialog.getByRole('button', { name: 'Find' }).click();
  await expect(dialog.getByRole('region', { name: 'The key' })).toContainText('Available');
  await shoot(page, 'admin-find-key', WIDTHS);
});

test('the versions of a file', async ({ page, stockUp, admin: _ }) => {
  const product = await stockUp({
    name: 'Panduan Lengkap, Edisi Kedua',
    items: 0,
    delivery: 'file',
    download_limit: 3,
  });
  await page.goto(`/admin?tab=digital&dialog=stock&product=${product.id}`);
  await shoot(page, 'admin-stock-file-none', WIDTHS);
  const versions = stock(page).getByRole('list', { name: 'Versions' }).getByRole('listitem');
  for (const [index, name] of ['Panduan lengkap edisi pertama.pdf', 'Panduan lengkap edisi kedua.pdf'].entries()) {
    const file = { name, mimeType: 'application/pdf', buffer: Buffer.from(name.repeat(5_000)) };
    await stock(page).getByLabel('File to sell').setInputFiles(file);
    await expect(versions).toHaveCount(index + 1);
  }
  await shoot(page, 'admin-stock-file-versions', WIDTHS);
});

test('a checkout that asks what a person needs for the delivery', async ({ page, stockUp }) => {
  const gems = await stockUp({
    ...{ name: '1,200 Gems, Harimau Legends', items: 0, delivery: 'manual', platform: 'Android', region: 'Asia' },
    buyer_fields: JSON.stringify([
      { label: 'Player ID', kind: 'text', required: true, choices: [] },
      { label: 'Server', kind: 'choice', required: true, choices: ['Asia', 'Europe'] },
      { label: 'Guild, if you are in one', kind: 'text', required: false, choices: [] },
    ]),
  });
  await page.goto(`/digital-product/${gems.id}`);
  await expect(page.getByRole('main')).toContainText('By a person');
  await shoot(page, 'product-manual-asking', WIDTHS);
  await openCheckout(page, [{ product: { ...gems, keys: ['one'] } }]);
  await seesCardForm(page);
  await payButton(page).click();
  await expect(page.getByRole('group', { name: gems.name })).toContainText('Please fill in “Player ID”');
  await shoot(page, 'checkout-buyer-fields', WIDTHS);
});
