import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

const WIDTHS = [390, 1440];

test('physical products, their form, and the audit log', async ({ page, shop, signedIn }) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=physical');
  await expect(page.getByText(/ products available$/)).toBeVisible();
  await shoot(page, 'admin-physical-products', WIDTHS);
  await page.goto('/admin?tab=physical&q=no-such-thing');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await shoot(page, 'admin-physical-products-none', WIDTHS);

  await page.goto('/admin/products/new');
  await page.getByRole('button', { name: 'Add Product' }).click();
  await expect(page.getByText('Please enter a name')).toBeVisible();
  await shoot(page, 'admin-physical-product-wrong', WIDTHS);

  await page.goto('/admin/audit-log');
  await expect(page.getByRole('article').first()).toBeVisible();
  await shoot(page, 'admin-audit-log', WIDTHS);
});
