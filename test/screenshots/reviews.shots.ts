import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { makeUser } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { shoot } from './shoot.ts';

test('reviews on the page of a product', async ({ page }) => {
  await page.goto('/?kind=physical');
  await page.getByRole('link', { name: 'First Save Mug' }).click();
  await expect(page.getByRole('article', { name: /^Review by/ }).first()).toBeVisible();
  await shoot(page, 'product-reviews');
});

test('the form of a review, empty, wrong and waiting', async ({ page, customer, shop, stockUp, signedIn }) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/review/${product.id}`);
  const send = page.getByRole('button', { name: 'Send review' });
  await expect(send).toBeVisible();
  await shoot(page, 'review-new');
  await send.click();
  await shoot(page, 'review-missing-fields');
  await page.locator('label', { hasText: '4 stars' }).click();
  await page.getByLabel('Review', { exact: true }).fill('Finished it in two evenings.');
  await send.click();
  await expect(page.getByRole('main')).toContainText('Waiting');
  await shoot(page, 'review-waiting');
});

test('the reviews on the dashboard', async ({ page, shop, signedIn }) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=reviews');
  await expect(page.getByRole('article').first()).toBeVisible();
  await shoot(page, 'admin-reviews');
  await page
    .getByRole('button', { name: /^Reject/ })
    .first()
    .click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot(page, 'admin-reviews-reject');
});
