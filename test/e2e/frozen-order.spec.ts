import { readFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { press, readKey } from './steps.ts';

test('a disputed order is locked for its buyer until an administrator unlocks it, and its evidence can be downloaded', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  otherBrowser,
  admin: _,
}) => {
  const product = await stockUp({ items: 1 });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const { payment_intent_id: intentId } = await shop.db
    .selectFrom('orders')
    .select('payment_intent_id')
    .where('id', '=', orderId)
    .executeTakeFirstOrThrow();
  const desk = await openProviderDesk(shop.db);
  await desk.claim('dispute', intentId ?? '');
  expect(await desk.deliver(shop.url, desk.writeEvent('charge.dispute.created', intentId ?? ''))).toBe(200);

  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.goto(`/order-items/${orderId}`);
  await expect(buyer.getByText('what was not opened yet is locked until it has decided')).toBeVisible();
  await expect(buyer.getByRole('button', { name: 'Show item 1' })).toBeHidden();
  await looksRightEverywhere(buyer, [1440, 360]);

  await page.goto(`/admin/orders/${orderId}`);
  await expect(page.getByText('The payment is disputed with the bank.')).toBeVisible();
  await looksRightEverywhere(page, [1440, 360]);
  const began = page.waitForEvent('download');
  await press(page, 'Download evidence');
  const download = await began;
  expect(download.suggestedFilename()).toMatch(/^evidence-[0-9A-F]{8}\.html$/);
  const evidence = readFileSync(await download.path(), 'utf8');
  expect(evidence).toContain(customer.email);
  expect(evidence).toContain('Never shown to the customer');
  for (const key of product.keys) expect(evidence).not.toContain(key);

  await press(page, 'Unfreeze items');
  const dialog = page.getByRole('dialog', { name: 'Unfreeze items' });
  await dialog.getByLabel('Reason').fill('The buyer called the bank');
  await dialog.getByRole('button', { name: 'Unfreeze items' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: 'Unfreeze items' })).toBeHidden();
  await expect(page.getByText('Unlocked the items: The buyer called the bank')).toBeVisible();
  await expect(page.getByText('Until it is decided, nothing can be refunded or cancelled.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Refund' })).toBeHidden();

  await desk.claim('fraud-warning', intentId ?? '');
  expect(await desk.deliver(shop.url, desk.writeEvent('radar.early_fraud_warning.created', intentId ?? ''))).toBe(200);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Unfreeze items' })).toBeVisible();
  await expect(
    page.getByText('nothing can be refunded or cancelled. Items that the buyer has not seen are'),
  ).toBeVisible();
  await expect(page.getByText('may be fraud.')).toBeHidden();
  await press(page, 'Unfreeze items');
  await dialog.getByLabel('Reason').fill('The buyer called again');
  await dialog.getByRole('button', { name: 'Unfreeze items' }).click();
  await expect(dialog).toBeHidden();

  await buyer.reload();
  expect(await readKey(buyer)).toBe(product.keys[0]);
});
