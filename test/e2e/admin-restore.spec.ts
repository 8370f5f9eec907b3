import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productDialog } from './steps.ts';

const notifications = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const card = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
const stock = (page: Page) => page.getByRole('dialog', { name: 'Manage Inventory' });
const items = (page: Page) => stock(page).getByRole('list', { name: 'Items' }).getByRole('listitem');
const openItems = async (page: Page, product: { id: string; name: string }) => {
  await page.goto(productDialog('stock', product));
  await stock(page).getByRole('tab', { name: 'Items' }).click();
};
const newName = (kind: string) => `${kind} ${randomUUID()}`;

test('the toast of a deletion can undo it, which restores the product and its stock', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const { id, name } = await stockUp({ name: newName('Deleted'), items: 2 });
  await page.goto(`/admin?tab=digital&show=all&q=${name}`);
  await press(page, `Delete ${name}`);
  await page.getByRole('dialog', { name: 'Delete product' }).getByRole('button', { name: 'Delete' }).click();
  await expect(notifications(page)).toContainText(`"${name}" has been deleted`);
  await expect(card(page, name)).toContainText('Available0');
  await notifications(page).getByRole('button', { name: 'Undo' }).click();
  await expect(notifications(page)).toContainText(`"${name}" is back, with its unsold stock`);
  await expect(card(page, name)).toContainText('Available2');
  await expect(card(page, name)).not.toContainText('Inactive');
  const product = shop.db.selectFrom('products').select(['is_active', 'deleted_at']).where('id', '=', id);
  expect(await product.execute()).toEqual([{ is_active: true, deleted_at: null }]);
});

test('a voided item is restored, and a quarantined one is put on sale with a reason and moved to another product', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 1 });
  const target = await stockUp({ name: newName('Target'), items: 0 });
  // Newer than the target, and more than one page of the list.
  await Promise.all(
    Array.from({ length: 51 }, (_, n) =>
      stockUp({ name: `${target.name} by hand ${n}`, delivery: 'manual', items: 0 }),
    ),
  );
  await openItems(page, product);
  const item = items(page).first();
  await item.getByRole('button', { name: /^Void/ }).click();
  const voiding = page.getByRole('dialog', { name: 'Void this item?' });
  await voiding.getByLabel('Reason').fill('A slip');
  await voiding.getByRole('button', { name: 'Void item' }).click();
  await expect(item).toContainText('Voided');
  await item.getByRole('button', { name: /^Undo void/ }).click();
  await expect(item).toContainText('Available');

  await shop.db.updateTable('items').set({ state: 'quarantined' }).where('product_id', '=', product.id).execute();
  await openItems(page, product);
  await expect(item).toContainText('Quarantined');
  await item.getByRole('button', { name: /^Put on sale again/ }).click();
  const restoring = page.getByRole('dialog', { name: 'Put this item on sale again?' });
  await restoring.getByRole('button', { name: 'Put on sale' }).click();
  await expect(restoring.getByLabel('Reason')).toHaveAccessibleDescription('Please give a reason');
  await restoring.getByLabel('Reason').fill('Nobody has seen it');
  await restoring.getByRole('button', { name: 'Put on sale' }).click();
  await expect(item).toContainText('Available');

  await item.getByRole('button', { name: /^Move/ }).click();
  const moving = page.getByRole('dialog', { name: 'Move this item?' });
  await moving.getByRole('button', { name: 'Move item' }).click();
  await expect(moving.getByRole('alert').first()).toHaveText('Please choose a product');
  const search = moving.getByLabel('Search products');
  const found = moving.getByRole('radio', { name: target.name, exact: true });
  const asked: string[] = [];
  page.on('request', (request) => {
    const q = new URL(request.url()).searchParams.get('q');
    if (q !== null) asked.push(q);
  });
  await search.fill(target.name);
  await found.check();
  await expect.poll(() => asked).toEqual([target.name]);
  await search.fill('');
  await search.pressSequentially('no such product');
  await expect(moving.getByText('No products found')).toBeVisible();
  expect(asked.at(-1)).toBe('no such product');
  expect(asked.length).toBeLessThan('no such product'.length);
  await search.fill(target.name);
  await expect(found).not.toBeChecked();
  await found.check();
  await expect(moving.getByRole('radio')).toHaveCount(1);
  await moving.getByLabel('Reason').fill('Uploaded to the wrong product');
  await looksRightEverywhere(page, [1440, 360]);
  await moving.getByRole('button', { name: 'Move item' }).click();
  await expect(stock(page).getByText('No items yet')).toBeVisible();
  // A dialog that is still closing goes back in the history, which would undo the navigation.
  await expect(moving).toBeHidden();
  await openItems(page, target);
  await expect(items(page)).toHaveCount(1);
  await expect(item).toContainText('Available');
});

test('an upload of withdrawn keys offers to put them on sale again, with a reason', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 2 });
  await shop.db.updateTable('items').set({ state: 'voided' }).where('product_id', '=', product.id).execute();
  await page.goto(productDialog('stock', product));
  await stock(page).getByLabel('Inventory items').fill(product.keys.join('\n'));
  await press(page, 'Check items');
  await expect(stock(page).getByRole('heading', { name: 'Nothing new to add' })).toBeVisible();
  await expect(stock(page).locator('dl').last()).toContainText('Withdrawn, never read2');
  await stock(page).getByLabel('Put the 2 withdrawn ones on sale again, as items of this product').check();
  await press(page, 'Add 2 items');
  await expect(stock(page).getByLabel('Reason')).toHaveAccessibleDescription('Please give a reason');
  await looksRightEverywhere(page, [360]);
  await stock(page).getByLabel('Reason').fill('Voided by mistake');
  await press(page, 'Add 2 items');
  await expect(notifications(page)).toContainText('0 items added, 2 on sale again');
  await expect(items(page).filter({ hasText: 'Available' })).toHaveCount(2);
});
