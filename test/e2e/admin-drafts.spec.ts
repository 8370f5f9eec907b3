import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, productList } from './steps.ts';

const card = (page: Page, name: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });

test('a draft is hidden from shoppers, and can be stocked and edited before it is published', async ({
  page,
  shop,
  admin: _,
}) => {
  const name = `Unready ${randomUUID()}`;
  await page.goto(productList(name));
  await press(page, 'Add Digital Product');
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Description').fill('Not ready yet');
  await page.getByLabel('Price (USD)').fill('12.45');
  await page.getByLabel('Image URL').fill('/demo/covers/ember-reach.svg');
  await page.getByLabel('On sale at once, not saved as a draft').uncheck();
  await press(page, 'Create Product');
  await page.getByLabel('Inventory items').fill(`${name} A`);
  await press(page, 'Check items');
  await press(page, 'Add 1 item');
  await expect(page.getByRole('dialog', { name: 'Add Digital Product' })).toBeHidden();
  const draft = card(page, name);
  await expect(draft).toContainText('Draft');
  await expect(draft).toContainText('Available1');
  const { id } = await shop.db.selectFrom('products').select('id').where('name', '=', name).executeTakeFirstOrThrow();
  const seenByShoppers = async () => (await fetch(`${shop.url}/api/digital-products/${id}`)).status;
  expect(await seenByShoppers()).toBe(404);

  await press(page, `Edit ${name}`);
  await expect(page.getByLabel('On sale at once, not saved as a draft')).toHaveCount(0);
  await page.getByLabel('Price (USD)').fill('13');
  await press(page, 'Save Changes');
  await expect(draft).toContainText('$13.00');
  await expect(draft).toContainText('Draft');
  await looksRightEverywhere(page, [1440, 360]);
  await press(page, `Publish ${name}`);
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    `"${name}" is now active and visible to customers!`,
  );
  await expect(draft).not.toContainText('Draft');
  expect(await seenByShoppers()).toBe(200);
});
