import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productDialog } from './steps.ts';

const stock = (page: Page) => page.getByRole('dialog', { name: 'Manage Inventory' });
const csvFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/csv', buffer });

test('an administrator chooses the key column of a CSV from masked lines, and only its keys are added', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 0 });
  await page.goto(productDialog('stock', product));
  const keys = Array.from({ length: 6 }, (_value, index) => `${index}AAA-${randomUUID()}`);
  const rows = keys.map((key, index) => `order ${index};"${key}";5.00`);
  // The format in which a spreadsheet saves the file.
  const text = `\ufeff${['Order;Product key;Price', ...rows, ''].join('\r\n')}`;
  await stock(page)
    .getByLabel('File of items')
    .setInputFiles(csvFile('keys.csv', Buffer.from(text, 'utf16le')));

  const columns = stock(page).getByRole('group', { name: 'Columns of keys.csv' });
  const preview = columns.getByRole('list', { name: 'First lines' }).getByRole('listitem');
  await expect(columns.getByLabel('Column with the keys').getByRole('option', { selected: true })).toHaveText(
    'Product key',
  );
  await expect(preview).toHaveCount(5);
  await expect(preview.first()).toHaveText(`0AAA••••••••${keys[0]?.slice(-4)}`);
  await columns.getByLabel('The first line names the columns').uncheck();
  await expect(preview.first()).toHaveText('Prod•••••••• key');
  await columns.getByLabel('Column with the keys').selectOption('Column 1');
  await expect(preview.nth(1)).not.toHaveText(/AAA/);
  await columns.getByLabel('Column with the keys').selectOption('Column 2');
  await columns.getByLabel('The first line names the columns').check();
  await looksRightEverywhere(page, [1440, 360]);

  await press(page, 'Check items');
  await press(page, 'Add 6 items');
  await expect(stock(page).getByRole('list', { name: 'Items' }).getByRole('listitem')).toHaveCount(6);
  const items = await shop.db.selectFrom('items').select('id').where('product_id', '=', product.id).execute();
  expect(items).toHaveLength(6);
});

test('the header of a CSV with one column is recognized and not added as a key', async ({
  page,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 0 });
  await page.goto(productDialog('stock', product));
  const text = ['Product key', randomUUID(), randomUUID(), ''].join('\n');
  await stock(page)
    .getByLabel('File of items')
    .setInputFiles(csvFile('keys.csv', Buffer.from(text)));
  const isHeader = stock(page).getByLabel('The first line names the columns');
  await expect(isHeader).toBeChecked();
  await isHeader.uncheck();
  await expect(stock(page)).toContainText('keys.csv, 3 lines');
  await isHeader.check();
  await press(page, 'Check items');
  await press(page, 'Add 2 items');
  await expect(stock(page).getByRole('list', { name: 'Items' }).getByRole('listitem')).toHaveCount(2);
});

test('a CSV reader that fails to load asks for a page reload, and works after the reload', async ({
  page,
  stockUp,
  admin: _,
  complaints,
}) => {
  complaints.expectBrokenConnection(/sync/);
  await page.goto(productDialog('stock', await stockUp({ items: 0 })));
  await page.route('**/assets/sync-*.js', (route) => route.abort('connectionreset'));
  const file = csvFile('keys.csv', Buffer.from(`Product key;Price\n${randomUUID()};5.00\n`));
  await stock(page).getByLabel('File of items').setInputFiles(file);
  const refusal = stock(page).getByText('The CSV reader could not be loaded. Please load the page again.');
  await expect(refusal).toBeVisible();
  await page.unrouteAll();
  await page.reload();
  await stock(page).getByLabel('File of items').setInputFiles(file);
  await expect(stock(page).getByRole('group', { name: 'Columns of keys.csv' })).toBeVisible();
});
