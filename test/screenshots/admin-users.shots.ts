import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

const WIDTHS = [390, 1440];

test('users, the page of one, and what is asked before one is made an administrator', async ({
  page,
  shop,
  signedIn,
}) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=users');
  await expect(page.getByText(/ users registered$/)).toBeVisible();
  await shoot(page, 'admin-users', WIDTHS);

  await page.goto('/admin?tab=users&q=nadia');
  await page.getByRole('list', { name: 'Users' }).getByRole('link').first().click();
  await expect(page.getByRole('link', { name: 'Back to the dashboard' })).toBeVisible();
  await shoot(page, 'admin-user', WIDTHS);
  await page.getByRole('button', { name: 'Block' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot(page, 'admin-user-block', WIDTHS);
});

test('stock and reports', async ({ page, shop, stockUp, signedIn }) => {
  const product = await stockUp({ items: 4 });
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto(`/admin?tab=digital&dialog=stock&product=${product.id}`);
  const stock = page.getByRole('dialog', { name: 'Manage Inventory' });
  await stock.getByRole('tab', { name: 'Items' }).click();
  await expect(stock.getByRole('list', { name: 'Items' }).getByRole('listitem')).toHaveCount(4);
  await shoot(page, 'admin-stock', WIDTHS);
  await stock.getByRole('tab', { name: 'Add', exact: true }).click();
  await stock.getByLabel('Inventory items').fill(`NEW-ONE\nNEW-ONE\n\n${product.keys[0]}`);
  await stock.getByRole('button', { name: 'Check items' }).click();
  await expect(stock.getByRole('heading', { name: 'Ready to add' })).toBeVisible();
  await shoot(page, 'admin-stock-checked', WIDTHS);

  await page.goto('/admin?dialog=report');
  await expect(page.getByRole('dialog', { name: 'Generate Report' })).toBeVisible();
  await shoot(page, 'admin-report', WIDTHS);
});
