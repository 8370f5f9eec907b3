import { expect } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productDialog } from './steps.ts';

test('an incomplete date and an invalid number are refused at their fields instead of counting as empty', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp();
  await page.goto(productDialog('edit', product));
  await page.getByLabel('Enable flash sale').check();
  await page.getByLabel('Flash sale price (USD)').fill('5');
  await page.getByLabel('Limited stock').pressSequentially('10-');
  await page.getByLabel('Flash sale ends').pressSequentially('05062040');
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Flash sale ends')).toHaveAccessibleDescription(/^Please complete the date and time/);
  await expect(page.getByLabel('Limited stock')).toHaveAccessibleDescription(/^Please enter a number/);
  await expect(page.getByLabel('Limited stock')).toBeFocused();
  await press(page, 'Save Changes');
  await expect(page.getByLabel('Limited stock')).toBeFocused();
  await looksRightEverywhere(page, [1440, 360]);

  await page.getByLabel('Limited stock').fill('10');
  await page.getByLabel('Flash sale ends').fill('2040-05-06T07:08');
  await press(page, 'Save Changes');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(`"${product.name}" has been updated`);
  const row = shop.db.selectFrom('products').selectAll().where('id', '=', product.id);
  expect(await row.executeTakeFirst()).toMatchObject({ flash_units_limit: 10, flash_ends_at: expect.any(Date) });
});

test('a number with a comma is refused at its field, and not read as a larger number', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ price_cents: 1000 });
  await page.goto(productDialog('edit', product));
  const price = page.getByLabel('Price (USD)', { exact: true });
  await price.fill('');
  await price.pressSequentially('1,5');
  await page.getByLabel('Discount type').selectOption('Fixed amount');
  await page.getByLabel('Discount (USD)').fill('٣');
  await expect(page.getByRole('region', { name: 'What a shopper will see' })).not.toContainText('NaN');
  await press(page, 'Save Changes');
  for (const field of [price, page.getByLabel('Discount (USD)')]) {
    await expect(field).toHaveAccessibleDescription(/^Please enter a number/);
  }
  await expect(price).toBeFocused();
  await price.fill(' 012.50 ');
  await page.getByLabel('Discount type').selectOption('None');
  await press(page, 'Save Changes');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(`"${product.name}" has been updated`);
  const row = shop.db.selectFrom('products').select('price_cents').where('id', '=', product.id);
  expect(await row.executeTakeFirst()).toEqual({ price_cents: 1250 });
});

test('a filter reports an incomplete date', async ({ page, admin: _ }) => {
  await page.goto('/admin?tab=orders&q=no-order');
  await page.getByLabel('From', { exact: true }).pressSequentially('0506');
  await page.getByLabel('To', { exact: true }).focus();
  await expect(page.getByLabel('From', { exact: true })).toHaveAccessibleDescription('Please complete the date');
  await page.getByLabel('From', { exact: true }).fill('2025-05-06');
  await expect(page.getByLabel('From', { exact: true })).toHaveAccessibleDescription('');
});
