import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

test('digital products on the dashboard', async ({ page, shop, stockUp, signedIn }) => {
  const hour = 3_600_000;
  const onSale = await stockUp({
    name: 'A name that is long enough to need more than one line on a card',
    items: 3,
    featured: true,
    discount_type: 'percentage',
    discount_basis_points: 2500,
    flash_price_cents: 499,
    flash_starts_at: new Date(Date.now() + hour),
    flash_ends_at: new Date(Date.now() + 9 * hour),
    flash_units_limit: 5,
  });
  await stockUp({ name: 'Nothing left', items: 0 });
  await stockUp({ name: 'Put away', is_active: false });
  await stockUp({ name: 'Deleted', is_active: false, deleted_at: new Date() });
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=digital&show=all');
  await expect(page.getByText('Put away')).toBeVisible();
  await shoot(page, 'admin-digital-all');

  await page.goto(`/admin?tab=digital&dialog=edit&product=${onSale.id}`);
  await expect(page.getByRole('dialog')).toContainText('What a shopper will see');
  await shoot(page, 'admin-digital-edit');
  await page.getByRole('region', { name: 'What a shopper will see' }).scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Save Changes' }).scrollIntoViewIfNeeded();
  await shoot(page, 'admin-digital-edit-end');

  await page.goto('/admin?tab=digital&dialog=add');
  await page.getByLabel('Price (USD)').fill('0');
  await page.getByRole('button', { name: 'Create Product' }).click();
  await shoot(page, 'admin-digital-add-wrong');

  await page.goto('/admin?tab=digital&show=all');
  await page.getByRole('button', { name: 'Delete Nothing left' }).click();
  await shoot(page, 'admin-digital-delete');
  await page.goto('/admin?tab=digital&q=nothing%20has%20this%20name');
  await expect(page.getByText('No products found matching')).toBeVisible();
  await shoot(page, 'admin-digital-none');
});
