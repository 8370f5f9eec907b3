import { expect } from '@playwright/test';
import { orderNumber } from '../../src/shared/order-words.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { refund } from './order-changes.ts';

test('an order has a page of its own, with its items, its payment and what happened', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ price_cents: 1250, items: 2 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await refund(shop, id, 1);
  await signedIn(page, customer);
  await page.goto('/orders');
  await page
    .getByRole('article')
    .getByRole('link', { name: `Order #${orderNumber(id)}` })
    .click();
  await expect(page).toHaveURL(`/orders/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${orderNumber(id)}`);
  const section = (name: string) => page.getByRole('region', { name, exact: true });
  await expect(section('Items').locator('dl > div')).toHaveText([
    'Subtotal$25.00',
    'Tax (6%)$1.50',
    'Total$26.50',
    'Refunded−$13.25',
  ]);
  await expect(section('Payment')).toContainText(`$13.25 for 1 × ${product.name} refunded to Visa •••• 4242`);
  await expect(section('Timeline').getByRole('listitem')).toContainText([
    'Order placed',
    'Paid $26.50 by card',
    'Digital items delivered',
    'Refund of $13.25',
    '$13.25 given back to Visa •••• 4242',
  ]);
  await looksRightEverywhere(page);
  await section('Items').getByRole('link', { name: 'View Items' }).click();
  await expect(page).toHaveURL(`/order-items/${id}`);
});
