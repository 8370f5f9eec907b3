import { expect, type Page } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { CARDS, createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { listOrders, listPayments } from './ledger.ts';
import type { RealShop } from './real-shop.ts';
import {
  awaitCalls,
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
/** The checkout's list of changes in the cart. */
const changes = (page: Page) => page.getByRole('main').getByRole('status').filter({ hasText: 'Your cart has' });

const cart = (page: Page) => page.getByRole('dialog', { name: 'Shopping Cart' });

const reprice = async ({ db }: RealShop, { id }: MadeProduct, price_cents: number) =>
  void (await db.updateTable('products').set({ price_cents }).where('id', '=', id).execute());

const INTENT_CALL = '/api/digital-orders/guest/create-payment-intent';

test('a price increase after the cart was filled stops the payment and is shown, and the next Pay charges it', async ({
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
  await reprice(shop, product, 1250);
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await page.getByRole('button', { name: 'Pay $10.60' }).click();

  await expect(problem(page)).toHaveText(REPRICED);
  expect(await listOrders(shop, email)).toEqual([]);
  await expect(page.getByRole('main')).toContainText('1 × $12.50');
  await expect(changes(page)).toContainText(`${product.name}: $10.00, now $12.50`);
  await page.getByRole('button', { name: 'Pay $13.25' }).click();
  await seesSuccess(page);
  expect(await listPayments(shop, email)).toMatchObject([{ status: 'succeeded', captured_cents: 1325 }]);
});

test('a price edited in the browser is never charged', async ({ page, shop, stockUp, complaints }) => {
  const email = newEmail();
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  // The checkout reads prices when it opens, so the stored price is changed afterwards.
  await page.evaluate(
    (guestCart) => {
      localStorage.setItem('guestCart', guestCart);
      window.dispatchEvent(new StorageEvent('storage', { key: 'guestCart' }));
    },
    savedCart([{ product: { ...product, price: 0.01 } }]),
  );
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $0.01' }).click();

  await expect(problem(page)).toHaveText(REPRICED);
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('cart and checkout show each price that changed since the product was added', async ({ page, shop, stockUp }) => {
  const old = await stockUp({ name: 'Days-old Deal' });
  const fresh = await stockUp({ name: 'Copper Lake Rally' });
  await leaveInStorage(page, { guestCart: savedCart([{ product: { ...old, price: 7.5 } }]) });
  await page.goto(`/digital-product/${fresh.id}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await reprice(shop, fresh, 1200);
  await expect(async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click({ timeout: 1000 });
    await expect(cart(page)).toContainText('$10.00, now $12.00', { timeout: 1000 });
  }).toPass();
  await expect(cart(page)).toContainText('$7.50, now $10.00');
  await expect(cart(page)).toContainText('$22.00 USD');
  await cart(page).getByRole('button', { name: 'Proceed to Checkout' }).click();

  // The checkout repeats the changes that the cart has named: nobody pays an amount that they do not expect.
  await expect(changes(page)).toContainText('Copper Lake Rally: $10.00, now $12.00');
  await expect(changes(page)).toContainText('Days-old Deal: $7.50, now $10.00');
  await expect(page.getByRole('button', { name: 'Pay $23.32' })).toBeVisible();
  await page.reload();
  await expect(changes(page)).toContainText('Copper Lake Rally: $10.00, now $12.00');
  // Removes a line as an older version of the page in another tab does.
  await page.evaluate((id) => {
    const lines: { product: { _id: string } }[] = JSON.parse(localStorage.getItem('guestCart') ?? '');
    localStorage.setItem('guestCart', JSON.stringify(lines.filter((line) => line.product._id === id)));
    window.dispatchEvent(new StorageEvent('storage', { key: 'guestCart' }));
  }, fresh.id);
  await expect(changes(page)).toContainText('Days-old Deal: no longer in your cart');
  await expect(page.getByRole('button', { name: 'Pay $12.72' })).toBeVisible();
});

test('a sold-out product blocks the checkout, is excluded from the total, and is marked when the checkout opens', async ({
  page,
  shop,
  stockUp,
}) => {
  const [wanted, rare, few] = [
    await stockUp(),
    await stockUp({ name: 'Rare Relic' }),
    await stockUp({ name: 'Few Keys', items: 3 }),
  ];
  await createShopper(shop.url).openPayment(
    [
      { product: rare, quantity: 1 },
      { product: few, quantity: 1 },
    ],
    { email: newEmail() },
  );
  const lines = [{ product: wanted }, { product: rare }, { product: few, quantity: 3 }];
  await openCheckout(page, lines);
  await expect(changes(page)).toContainText('Rare Relic: out of stock at the moment');
  await expect(changes(page)).toContainText('Few Keys: 2 available at the moment');
  await expect(payButton(page)).toBeDisabled();
  await expect(page.getByLabel('Full Name')).toHaveValue('');

  await page.getByRole('button', { name: 'Shopping cart, 5 items' }).click();
  const proceed = cart(page).getByRole('button', { name: 'Proceed to Checkout' });
  await expect(proceed).toBeDisabled();
  await expect(proceed).toHaveAccessibleDescription('Take no more than is available to go on.');
  await expect(cart(page)).toContainText('Total:$40.00');
  await cart(page).getByRole('button', { name: 'Take 2 of Few Keys' }).click();
  await expect(proceed).toHaveAccessibleDescription('Remove what is out of stock to go on.');
  await expect(cart(page)).toContainText('Total:$30.00');
  await cart(page).getByRole('button', { name: 'Remove what is out of stock: Rare Relic' }).click();
  await expect(cart(page)).toContainText('Total:$30.00');
  await proceed.click();
  await expect(page.getByRole('button', { name: 'Pay $31.80' })).toBeEnabled();
});

test('an unpaid order of the same browser does not make its product sold out', async ({
  page,
  stockUp,
  complaints,
}) => {
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  complaints.expectFailedRequest(/\/confirm$/, 402);
  await pay(page, CARDS.declined);
  await expect(problem(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Pay $10.60' })).toBeEnabled();
  await expect(changes(page)).toBeHidden();
  const answered = page.waitForResponse('**/api/digital-orders/guest/checkout');
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await answered;
  await expect(cart(page).getByRole('button', { name: 'Proceed to Checkout' })).toBeEnabled();
  await expect(cart(page)).not.toContainText('at the moment');
});

test('an unpaid order of a customer does not make its product sold out when the cart of the account is read again', async ({
  page,
  stockUp,
  customer,
  signedIn,
  complaints,
}) => {
  await signedIn(page, customer);
  await openCheckout(page, [{ product: await stockUp() }]);
  complaints.expectFailedRequest(/\/confirm$/, 402);
  await pay(page, CARDS.declined);
  await expect(problem(page)).toBeVisible();
  await awaitCalls(page);
  const answered = page.waitForResponse('**/api/digital-orders/guest/checkout');
  // The buyer returns to this tab, e.g. from the app of the bank.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await answered;
  await expect(changes(page)).toBeHidden();
});

test('a line that sells out before payment is named, and the rest can be bought without it', async ({
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
  const rival = await createShopper(shop.url).openPayment([{ product: rare, quantity: 1 }], { email: newEmail() });
  expect(rival.status).toBe(200);
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await payButton(page).click();

  await expect(problem(page)).toHaveText(
    '"Rare Relic" is out of stock. Reserved by another buyer, it may be back in a few minutes',
  );
  await expect
    .poll(async () => JSON.parse((await stored(page, 'guestCart')) ?? ''))
    .toMatchObject([{ product: { stock: 1 } }, { product: { name: 'Rare Relic', stock: 0 } }]);
  await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click();
  await expect(cart(page).getByRole('listitem').filter({ hasText: 'Rare Relic' })).toContainText(
    'Out of stock at the moment',
  );
  await cart(page).getByRole('button', { name: 'Close' }).click();

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

test('a quantity above the remaining stock shows how many are left, and that many can be bought', async ({
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
  await expect(cart(page)).toContainText('2 available at the moment');
  await cart(page).getByRole('button', { name: 'Close' }).click();
  await expect(payButton(page)).toBeDisabled();
  await expect(payButton(page)).toHaveAccessibleDescription('Take no more than is available to go on.');
  await page.getByRole('main').getByRole('button', { name: 'Take 2 of Twin Keys' }).click();
  await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click();
  await cart(page).getByRole('button', { name: 'Increase quantity of Twin Keys' }).click();
  await expect(cart(page).getByRole('alert')).toHaveText('Only 2 items available');
  await cart(page).getByRole('button', { name: 'Close' }).click();

  await payButton(page).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled', total_cents: 2120 }]);
});

test('a device with a slow clock buys at the price of a flash sale that has begun', async ({ page, shop, stockUp }) => {
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const product = await stockUp({ flash_price_cents: 500, flash_starts_at: minutesAgo(1) });
  const email = newEmail();
  await page.clock.setSystemTime(minutesAgo(10));
  await page.goto(`/digital-product/${product.id}`);
  await expect(page.getByRole('main')).toContainText('Now $5.00');
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $5.30' }).click();
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled', total_cents: 530 }]);
});

test('Pay is enabled again when a sold-out product becomes available', async ({ page, shop, stockUp, complaints }) => {
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
  await expect(changes(page)).toContainText(`${product.name}: available again`);
  await page.getByRole('button', { name: 'Pay $10.60' }).click();
  await seesSuccess(page);
});

test('a deactivated product is named and removed from the cart with a message', async ({
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

test('a checkout shows what another device changed in the cart once its buyer returns to it', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
}) => {
  const product = await stockUp({ items: 5 });
  const quantity = () =>
    shop.db.selectFrom('cart_entries').select('quantity').where('product_id', '=', product.id).executeTakeFirst();
  await signedIn(page, customer);
  await openCheckout(page, [{ product }]);
  await expect(payButton(page)).toHaveText('Pay $10.60');
  await expect.poll(quantity).toEqual({ quantity: 1 });
  await awaitCalls(page);
  await shop.db.updateTable('cart_entries').set({ quantity: 2 }).where('product_id', '=', product.id).execute();
  // What the page sees when its buyer returns from another window.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await expect(page.getByText(`${product.name}: quantity 1, now 2`)).toBeVisible();
  await expect(payButton(page)).toHaveText('Pay $21.20');
});
