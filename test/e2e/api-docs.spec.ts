import { expect } from '@playwright/test';
import { test } from './fixtures.ts';

// The fixture fails the test if the browser refuses a script, a style or a picture of the page.
test('the API documentation works under the content security policy of the shop', async ({ page }) => {
  await page.goto('/api/docs');
  await expect(page.getByText('Every call of the shop, from its contract.')).toBeVisible();
  await page.getByText('/api/digital-products/categories/list').click();
  await expect(page.getByText('Categories with their total stock').first()).toBeVisible();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).click();
  await expect(page.getByText('"totalStock"').first()).toBeVisible();
});
