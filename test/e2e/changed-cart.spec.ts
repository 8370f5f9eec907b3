import { expect } from '@playwright/test';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { listOrders, listPayments } from './ledger.ts';
import {
  fillCard,
  fillContact,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  problem,
  savedCart,
  seesSuccess,
  stored,
} from './steps.ts';

const REPRICED = 'Price verification failed. Please refresh and try again.';
const INTENT_CALL = '/api/digital-orders/guest/create-payment-intent';

test('a price raised after the cart was filled stops the payment, shows itself, and is paid at the next press', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  await fillCard(page);
  await shop.db
    .updateTable('products')
    .set({ price_cents: 1250 })
    .where('id', '=', product.id)
    .executeTakeFirstOrThrow();
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await page.getByRole('button', { name: 'Pay $10.60' }).click();

  await expect(problem(page)).toHaveText(REPRICED);
  expect(await listOrders(shop, email)).toEqual([]);
  await expect(page.getByRole('main')).toContainText('1 × $12.50');
  await page.getByRole('button', { name: 'Pay $13.25' }).click();
  await seesSuccess(page);
  expect(await listPayments(shop, email)).toMatchObject([{ status: 'succeeded', captured_cents: 1325 }]);
});

test('a price edited in the browser is not what is charged', async ({ page, shop, stockUp, complaints }) => {
  const email = newEmail();
  const product = await stockUp();
  await openCheckout(page, [{ product: { ...product, price: 0.01 } }]);
  await fillContact(page, { email });
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $0.01' }).click();

  await expect(problem(page)).toHaveText(REPRICED);
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('opening the cart reads days-old prices anew', async ({ page, stockUp }) => {
  const product = await stockUp();
  await leaveInStorage(page, { guestCart: savedCart([{ product: { ...product, price: 7.5 } }]) });
  await page.goto('/');
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await expect(page.getByRole('dialog')).toContainText('$10.00 USD');
});

test('a line that sold out between cart and payment is named, and the rest can be bought without it', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  const wanted = await stockUp();
  const rare = await stockUp({ name: 'Rare Relic' });
  await openCheckout(page, [{ product: wanted }, { product: rare }]);
  await fillContact(page, { email });
  await fillCard(page);
  const rival = await createShopper(shop.url).openPayment([{ product: rare, quantity: 1 }], {
    email: newEmail(),
  });
  expect(rival.status).toBe(200);
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await payButton(page).click();

  await expect(problem(page)).toHaveText(
    '"Rare Relic" is out of stock. Reserved in an unpaid checkout, it may be back in a few minutes',
  );
  await expect
    .poll(async () => JSON.parse((await stored(page, 'guestCart')) ?? ''))
    .toMatchObject([{ product: { stock: 1 } }, { product: { name: 'Rare Relic', stock: 0 } }]);
  await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click();
  const cart = page.getByRole('dialog', { name: 'Shopping Cart' });
  await expect(cart.getByRole('listitem').filter({ hasText: 'Rare Relic' })).toContainText(
    'Out of stock at the moment',
  );
  await cart.getByRole('button', { name: 'Close' }).click();

  const main = page.getByRole('main');
  const line = main.getByRole('listitem').filter({ hasText: 'Rare Relic' });
  await expect(line).toContainText('Out of stock at the moment');
  await expect(main).toContainText('Total$10.60');
  await expect(payButton(page)).toBeDisabled();
  await expect(payButton(page)).toHaveAccessibleDescription('Remove what is out of stock to go on.');
  await line.getByRole('button', { name: 'Remove Rare Relic' }).click();
  await expect(page.getByRole('heading', { name: 'Order Summary' })).toBeFocused();
  await expect(problem(page)).toBeHidden();
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled', total_cents: 1060 }]);
});

test('fewer left than the cart holds: the shop says how many, and that many can be bought', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  const product = await stockUp({ name: 'Twin Keys', items: 3 });
  await openCheckout(page, [{ product, quantity: 3 }]);
  await fillContact(page, { email });
  await fillCard(page);
  const rival = createShopper(shop.url);
  await rival.openPayment([{ product, quantity: 1 }], { email: newEmail() });
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await payButton(page).click();

  await expect(problem(page)).toHaveText('Only 2 of "Twin Keys" available');
  await page.getByRole('button', { name: 'Shopping cart, 3 items' }).click();
  const cart = page.getByRole('dialog', { name: 'Shopping Cart' });
  await expect(cart).toContainText('2 available at the moment');
  await cart.getByRole('button', { name: 'Close' }).click();
  await expect(payButton(page)).toBeDisabled();
  await expect(payButton(page)).toHaveAccessibleDescription('Take no more than is available to go on.');
  await page.getByRole('button', { name: 'Take 2 of Twin Keys' }).click();
  await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click();
  await cart.getByRole('button', { name: 'Increase quantity of Twin Keys' }).click();
  await expect(cart.getByRole('alert')).toHaveText('Only 2 items available');
  await cart.getByRole('button', { name: 'Close' }).click();

  await payButton(page).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled', total_cents: 2120 }]);
});

test('what was sold out and comes back can be paid without a further press of anything', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const product = await stockUp();
  await page.clock.install();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  const rival = createShopper(shop.url);
  await rival.openPayment([{ product, quantity: 1 }], { email: newEmail() });
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await payButton(page).click();
  await expect(payButton(page)).toBeDisabled();

  await rival.openPayment([{ product: await stockUp(), quantity: 1 }], { email: newEmail() });
  await expect(async () => {
    await page.clock.runFor(15_000);
    await expect(payButton(page)).toBeEnabled({ timeout: 500 });
  }).toPass();
  await expect(problem(page)).toBeHidden();
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
});

test('a product taken off the shelf is named and leaves the cart with a word', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const gone = await stockUp({ name: 'Retired Realm' });
  await openCheckout(page, [{ product: gone }, { product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await shop.db.updateTable('products').set({ is_active: false }).where('id', '=', gone.id).execute();
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await pay(page);

  await expect(problem(page)).toHaveText('"Retired Realm" is no longer available');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'Retired Realm is no longer available and was removed from your cart',
  );
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
});
