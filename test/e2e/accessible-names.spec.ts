import { expect, type Page } from '@playwright/test';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { productDialog } from './steps.ts';

/** The accessible names of the buttons, fields and checkboxes of a part of the page, as a screen reader lists them. */
async function namesIn(page: Page, part: 'main' | 'dialog'): Promise<string[]> {
  const lines = (await page.getByRole(part).ariaSnapshot()).split('\n');
  return lines.flatMap((line) => /- (?:button|textbox|combobox|checkbox) "((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? []);
}

async function haveDifferentNames(page: Page, part: 'main' | 'dialog' = 'main'): Promise<void> {
  const names = await namesIn(page, part);
  expect(names.filter((name, place) => names.indexOf(name) !== place)).toEqual([]);
}

test('the buttons of an order with two products have different names, for its buyer and for an administrator', async ({
  page,
  shop,
  admin: _,
  customer,
  signedIn,
  stockUp,
  otherBrowser,
}) => {
  const products = [await stockUp({ warranty_days: 30 }), await stockUp({ warranty_days: 30 })];
  const orderId = await buyAsCustomer(
    shop,
    customer,
    products.map((product) => ({ product, quantity: 1 })),
  );
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.goto(`/order-items/${orderId}`);
  for (const { name } of products) {
    await expect(buyer.getByRole('button', { name: `Show item 1 of ${name}` })).toBeVisible();
    await buyer.getByRole('button', { name: `Report a problem with item 1 of ${name}` }).click();
    await buyer.getByLabel('What is wrong?').selectOption('It was used already');
    await buyer.getByLabel('What happened?').fill('It says so.');
    await buyer.getByRole('button', { name: 'Send the report' }).click();
    await expect(buyer.getByRole('button', { name: `Close the report about item 1 of ${name}` })).toBeVisible();
  }
  await haveDifferentNames(buyer);

  await page.goto(`/admin/orders/${orderId}`);
  await expect(page.getByRole('button', { name: /^Replace faulty item/ })).toHaveCount(2);
  await haveDifferentNames(page);
});

test('alerts of one kind, and the fields and pictures of a product, have different names', async ({
  page,
  shop,
  admin: _,
  customer,
  stockUp,
}) => {
  for (const number of [1, 2]) {
    await insertAlert(
      shop.db,
      { kind: 'unknown-payment', subject: `pi_${customer.id}_${number}`, order_id: null },
      new Date(),
    );
  }
  await page.goto('/admin');
  await expect(page.getByRole('button', { name: `pi_${customer.id}_2` })).toBeVisible();
  await haveDifferentNames(page);

  await page.goto(productDialog('edit', await stockUp()));
  for (const more of ['Add a picture', 'Add a field', 'Add a field']) {
    await page.getByRole('button', { name: more }).click();
  }
  for (const kind of await page.getByLabel(/^Kind/).all()) await kind.selectOption('Choice');
  await expect(page.getByLabel(/^Choices/)).toHaveCount(2);
  await haveDifferentNames(page, 'dialog');
});

test('the links of entries of the audit log about different products have different names', async ({
  page,
  admin: _,
  stockUp,
}) => {
  const names = [(await stockUp()).name, (await stockUp()).name];
  for (const name of names) {
    await page.goto(`/admin?tab=digital&show=all&q=${encodeURIComponent(name)}`);
    await page.getByRole('button', { name: `Deactivate ${name}` }).click();
    await expect(page.getByRole('button', { name: `Activate ${name}` })).toBeVisible();
  }
  await page.goto('/admin/audit-log');
  for (const name of names) {
    await expect(page.getByRole('link', { name: `View product (Deactivated "${name}")`, exact: true })).toHaveCount(1);
  }
});

test('the buttons that sign out two devices of one kind have different names', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  for (const day of ['2026-01-01', '2026-01-02']) {
    await createShopper(shop.url).signIn(customer.email, TEST_PASSWORD);
    const newest = shop.db.selectFrom('sessions').select('id').where('user_id', '=', customer.id);
    await shop.db
      .updateTable('sessions')
      .set({ created_at: new Date(day) })
      .where('id', '=', newest.orderBy('created_at', 'desc').limit(1))
      .execute();
  }
  await page.goto('/profile');
  await expect(page.getByRole('button', { name: /^Sign out .*, signed in since/ })).toHaveCount(2);
  await haveDifferentNames(page);
});
