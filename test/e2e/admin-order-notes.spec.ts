import { expect } from '@playwright/test';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

test('a note is written on an order, and only administrators read it', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  const notes = page.getByRole('region', { name: 'Notes' });
  await expect(notes).toContainText('No notes yet.');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await expect(notes.getByLabel('New note')).toHaveAccessibleDescription(/Please write a note/);
  await notes.getByLabel('New note').fill('The buyer called.\nWe call back on Monday.');
  await notes.getByRole('button', { name: 'Add note' }).click();
  const written = notes.getByRole('list', { name: 'Notes' }).getByRole('listitem');
  await expect(written).toContainText('The buyer called.');
  await expect(written).toContainText(admin.email);
  await expect(notes.getByLabel('New note')).toHaveValue('');
  await looksRightEverywhere(page, [1440, 360]);
});

test('an amount goes back to the buyer, who keeps the key', async ({ page, shop, stockUp, customer, admin: _ }) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('An amount').check();
  await dialog.getByLabel('Reason').fill('A slow answer');
  const amount = dialog.getByLabel('Amount (USD)');
  await amount.fill('10.60');
  await dialog.getByRole('button', { name: 'Refund $10.60' }).click();
  await expect(amount).toHaveAccessibleDescription(/Please enter less than the \$10\.60 that is left/);
  await looksRightEverywhere(page, [360]);
  await amount.fill('2.50');
  await dialog.getByRole('button', { name: 'Refund $2.50' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('$2.50');
  await expect(page.getByRole('region', { name: 'Items' })).toContainText('Sold');
  const { refunded_cents, state } = await shop.db
    .selectFrom('orders')
    .selectAll()
    .where('id', '=', order)
    .executeTakeFirstOrThrow();
  expect({ refunded_cents, state }).toEqual({ refunded_cents: 250, state: 'fulfilled' });
});
