import { expect, type Page } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { CARDS, createShopper } from '../shopper.ts';
import type { Complaints } from './complaints.ts';
import { test as base } from './fixtures.ts';
import { listOrders } from './ledger.ts';
import { type RealShop, startRealShop } from './real-shop.ts';
import {
  fillContact,
  LIGHT_PAGE,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  press,
  problem,
  savedCart,
  seesSuccess,
} from './steps.ts';

const INTENT_CALL = '/api/digital-orders/guest/create-payment-intent';
const RESERVED = 'Reserved by another buyer, it may be back in a few minutes';
const TAKE_FEWER = 'Take fewer to go on, or sign in if you have bought here before.';

// A shop with rate limits, as an operator runs it.
const test = base.extend<object, { shop: RealShop }>({
  shop: [
    async ({ browserName: _ }, use) => {
      const shop = await startRealShop({ RATE_LIMITS: 'on' });
      await use(shop);
      await shop.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

// One worker runs the whole file, because each worker that runs one of its tests must start such a shop.
test.describe.configure({ mode: 'default' });

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Shopping Cart' });
const proceed = (page: Page) => drawer(page).getByRole('button', { name: 'Proceed to Checkout' });

/** Opens a guest's order that stays unpaid; returns the guest's e-mail. */
async function payByDeclinedCard(
  page: Page,
  { product, complaints }: { product: MadeProduct; complaints: Complaints },
): Promise<string> {
  const email = newEmail();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  complaints.expectFailedRequest(/\/confirm$/, 402);
  await pay(page, CARDS.declined);
  await expect(problem(page)).toBeVisible();
  return email;
}

const stateOfOrder = async (shop: RealShop, email: string) => (await listOrders(shop, email)).at(-1)?.state;

test('the cart shows how many units a guest can hold, and blocks the checkout above that limit', async ({
  page,
  stockUp,
}) => {
  const product = await stockUp({ name: 'Scarce Key', items: 12 });
  await leaveInStorage(page, { guestCart: savedCart([{ product, quantity: 7 }]) });
  await page.goto(LIGHT_PAGE);
  await page.getByRole('button', { name: 'Shopping cart, 7 items' }).click();
  await expect(drawer(page)).toContainText('At most 5 of this at once');
  await expect(proceed(page)).toBeDisabled();
  await expect(proceed(page)).toHaveAccessibleDescription(TAKE_FEWER);
  const fewer = drawer(page).getByRole('button', { name: 'Decrease quantity of Scarce Key' });
  await fewer.click();
  await fewer.click();
  await expect(drawer(page)).not.toContainText('At most 5');
  await drawer(page).getByRole('button', { name: 'Increase quantity of Scarce Key' }).click();
  await expect(drawer(page).getByRole('alert')).toHaveText('At most 5 of this at once');
  await proceed(page).click();
  await fillContact(page, { email: newEmail() });
  await pay(page);
  await seesSuccess(page);
});

test('the product page limits a guest to the units that can be held, but not a customer', async ({
  page,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ name: 'Six Pack', items: 6 });
  const choose = async () => {
    await page.goto(`/digital-product/${product.id}`);
    const more = page.getByRole('main').getByRole('button', { name: 'Increase quantity of Six Pack' });
    for (let click = 0; click < 5; click += 1) await more.click();
  };
  await choose();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('At most 5 of this at once');
  await signedIn(page, customer);
  await choose();
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden();
});

test('a checkout above the hold limit is refused with a message, and succeeds with the allowed quantity', async ({
  page,
  stockUp,
  complaints,
}) => {
  const product = await stockUp({ name: 'Scarce Code', items: 12 });
  // A cart from an earlier visit, without the limit in it. The call that would tell the opening checkout the limit
  // fails.
  complaints.expectFailedRequest('/api/digital-products', 503);
  await page.route('**/api/digital-products?ids=*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await openCheckout(page, [{ product, quantity: 7 }]);
  await fillContact(page, { email: newEmail() });
  complaints.expectFailedRequest(INTENT_CALL, 409);
  await pay(page);
  await expect(problem(page)).toHaveText('You can hold at most 5 of "Scarce Code" at once.');
  await expect(page.getByRole('main')).toContainText('At most 5 of this at once');
  await expect(page.getByRole('button', { name: /^Pay / })).toHaveAccessibleDescription(TAKE_FEWER);
  await page.getByRole('button', { name: 'Take 5 of Scarce Code' }).click();
  await press(page, 'Pay $53.00');
  await seesSuccess(page);
});

test('a unit held by another buyer shows as reserved and out of stock on card, product page and cart', async ({
  page,
  shop,
  stockShelf,
}) => {
  const product = await stockShelf({ name: 'Held Relic', featured: true });
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await createShopper(shop.url, { from: '203.0.113.9' }).openPayment([{ product, quantity: 1 }], { email: newEmail() });
  const card = page.getByRole('article').filter({ hasText: 'Held Relic' });
  await expect(async () => {
    await page.goto('/?q=Held+Relic');
    await expect(card).toContainText('Out of stock', { timeout: 500 });
  }).toPass();
  await expect(card).toContainText(RESERVED);
  await card.getByRole('link', { name: 'Held Relic' }).click();
  await expect(page.getByRole('main').getByRole('button', { name: 'Out of stock' })).toBeDisabled();
  await expect(page.getByRole('main')).toContainText(RESERVED);
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await expect(drawer(page)).toContainText('Out of stock at the moment');
  await expect(drawer(page)).toContainText(RESERVED);
});

test('leaving the checkout after a declined card cancels the order and releases its hold', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = await payByDeclinedCard(page, { product: await stockUp(), complaints });
  expect(await stateOfOrder(shop, email)).toBe('pending');
  // After a reload, the page still knows which order it opened.
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  expect(await stateOfOrder(shop, email)).toBe('pending');
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).first().click();
  await expect.poll(() => stateOfOrder(shop, email)).toBe('cancelled');
  await page.goBack();
  await fillContact(page, { email });
  await pay(page);
  await seesSuccess(page);
});

test('leaving the checkout during card authentication releases the hold only after the authentication failed', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.goto(LIGHT_PAGE);
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await proceed(page).click();
  await fillContact(page, { email });
  await pay(page, CARDS.challenge);
  await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toBeVisible();
  const calls: string[] = [];
  page.on('requestfinished', (request) => calls.push(request.url().replace(/^.*\//, '')));
  // Goes past the history entry of the dialog, which Back alone would close. The screen reports a failed authentication
  // for a buyer who leaves it.
  await page.evaluate(() => window.history.go(-2));
  await expect.poll(() => stateOfOrder(shop, email)).toBe('cancelled');
  await expect
    .poll(() => calls.filter((call) => /abandon|authenticat|challenge/.test(call)))
    .toEqual([expect.stringMatching(/authenticat|challenge/), 'abandon']);
});

test('closing the checkout page shortens the hold, and a reload restores it', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = await payByDeclinedCard(page, { product: await stockUp(), complaints });
  const secondsOfHold = async () => {
    const [order] = await listOrders(shop, email);
    return Math.round(((order?.hold_expires_at.getTime() ?? 0) - (order?.created_at.getTime() ?? 0)) / 1000);
  };
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  await page.route(
    '**/api/digital-orders/guest/checkout',
    async (route) => {
      await expect.poll(secondsOfHold).toBeLessThan(180);
      resolve();
      await route.continue();
    },
    { times: 1 },
  );
  await page.reload();
  await answered;
  await expect.poll(secondsOfHold).toBe(180);
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  await page.close();
  await expect.poll(secondsOfHold).toBeLessThan(180);
});
