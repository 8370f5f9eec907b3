import { expect, type Page } from '@playwright/test';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productList } from './steps.ts';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Find a key' });

test('an administrator finds the product and the order of a key by the key', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(productList(product.name));
  await press(page, 'Find a Key');
  const key = dialog(page).getByLabel('Key', { exact: true });
  await expect(key).toBeFocused();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await press(page, 'Find a Key');
  const find = dialog(page).getByRole('button', { name: 'Find' });
  await find.click();
  await expect(key).toHaveAccessibleDescription(/Please enter a key/);
  await key.fill(`${product.keys[0]}-other`);
  await find.click();
  await expect(dialog(page)).toContainText('The shop does not have this key.');
  await key.fill(product.keys[0] ?? '');
  await find.click();
  const found = dialog(page).getByRole('region', { name: 'The key' });
  await expect(found).toContainText('Sold');
  await expect(found.getByRole('link', { name: /^#/ })).toHaveAttribute('href', `/admin/orders/${order}`);
  expect(page.url()).not.toContain(product.keys[0]);
  await looksRightEverywhere(page, [1440, 360]);
  await found.getByRole('link', { name: product.name }).click();
  await expect(page.getByRole('dialog', { name: 'Manage Inventory' })).toContainText(product.name);
  await expect(dialog(page)).toHaveCount(0);

  // A key that was typed among the orders leads there, too.
  await page.goto('/admin?tab=orders');
  await page.getByLabel('Search orders').fill('QWER-TYUI-ASDF');
  await page.getByRole('tabpanel').getByRole('link', { name: 'Digital Products' }).click();
  await press(page, 'Find a Key');
  await expect(key).toBeFocused();
});
