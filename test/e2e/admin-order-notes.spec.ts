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
