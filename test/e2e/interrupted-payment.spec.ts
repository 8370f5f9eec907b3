import { expect, type Page, type Request, type Route } from '@playwright/test';
import { readMails } from '../mail-folder.ts';
import { test } from './fixtures.ts';
import { listOrders, listPayments } from './ledger.ts';
import { looksRightEverywhere } from './looks-right.ts';
import type { RealShop } from './real-shop.ts';
import {
  type CartEntry,
  choosePassword,
  fillCard,
  fillContact,
  logOut,
  newEmail,
  openCheckout,
  openItems,
  PASSWORD,
  pay,
  problem,
  readKey,
  seesSafePayment,
  seesSuccess,
  stored,
} from './steps.ts';

const GUEST_ORDER_CALL = '**/api/digital-orders/guest';
const ORDER_CALL = '**/api/digital-orders';

/**
 * Holds the page's first order call so that it never reaches the shop; resolves once the page has made the call. The
 * route must stay: without any, the browser would send the call to the shop.
 */
async function loseOrderCall(page: Page, path = GUEST_ORDER_CALL): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isLost = false;
  await page.route(path, (route) => {
    if (isLost) return route.fallback();
    isLost = true;
    resolve();
  });
  return promise;
}

test('a reload during the order call finds the paid order, asks for the password and opens the key', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  const called = loseOrderCall(page);
  await pay(page);
  await called;
  await page.reload();

  await expect(page.getByRole('heading', { name: 'Finishing your order' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(`Your payment of $10.60 was accepted.`);
  await expect(page.getByRole('main')).toContainText(email);
  await looksRightEverywhere(page);
  await choosePassword(page);
  await page.getByRole('button', { name: 'Finish order' }).click();

  await seesSuccess(page);
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ status: 'succeeded', captured_cents: 1060 }]);
});

test('a reload after the order was placed, but before the response, still leads to the order', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  await page.route(GUEST_ORDER_CALL, async (route) => {
    await route.fetch();
    resolve();
  });
  await pay(page);
  await answered;
  await page.reload();

  await seesSuccess(page);
  await expect(page.getByRole('main')).toContainText(email);
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});

test('a guest who reloads while the paid checkout ends is signed in and redirected to the orders', async ({
  page,
  stockUp,
}) => {
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  const isEnd = (call: Request) => call.method() === 'DELETE' && call.url().endsWith('/guest/checkout');
  const end = page.waitForRequest(isEnd);
  let isLost = true;
  await page.route('**/api/digital-orders/guest/checkout', (route) => {
    if (!isEnd(route.request()) || !isLost) return route.fallback();
    isLost = false;
  });
  await pay(page);
  await end;
  await page.reload();

  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
});

/** A signed-in customer pays; the shop does not get the call that places the order. */
async function payAndLoseOrderCall(page: Page, { email }: { email: string }, entry: CartEntry): Promise<void> {
  await openCheckout(page, [entry]);
  await expect(page.getByLabel('Email')).toHaveValue(email);
  const called = loseOrderCall(page, ORDER_CALL);
  await pay(page);
  await called;
}

test('a customer who reloads while paying is redirected to the finished order', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await payAndLoseOrderCall(page, customer, { product: await stockUp() });
  await page.reload();

  await seesSuccess(page);
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
  expect(await listOrders(shop, customer.email)).toMatchObject([{ state: 'fulfilled' }]);
});

test('the checkout leads a buyer who reloads the success screen to the order', async ({ page, stockUp, customer }) => {
  const main = page.getByRole('main');
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: customer.email });
  await pay(page);
  await expect(main).toContainText('already has an account here');
  const number = /#\w{8}/.exec((await main.textContent()) ?? '')?.[0];
  await page.reload();
  await expect(main).toContainText(`Are you looking for order ${number}? Find your order`);
  await expect(main.getByRole('link', { name: 'Find your order' })).toHaveAttribute('href', '/find-order');

  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await pay(page);
  await expect(page).toHaveURL('/orders');
  await page.goto('/checkout');
  await main.getByRole('link', { name: 'My Orders' }).click();
  await expect(page).toHaveURL('/orders');
});

test('the empty checkout does not name the order of a customer who has logged out', async ({
  page,
  stockUp,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await payAndLoseOrderCall(page, customer, { product: await stockUp() });
  await page.goto('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
  await expect.poll(() => stored(page, 'payment')).toContain('"seen"');
  await logOut(page);
  await page.goto('/checkout');
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText('Are you looking for order');
});

test('an order call with a connection failure is retried automatically', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  await page.route(GUEST_ORDER_CALL, (route) => route.abort('connectionreset'), { times: 1 });
  complaints.expectBrokenConnection('/api/digital-orders/guest');
  await pay(page);

  await seesSuccess(page, 'Account Created');
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});

test('an order call with a truncated response is retried automatically', async ({ page, stockUp }) => {
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  const cutOff = async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).slice(0, 100) });
  };
  await page.route(GUEST_ORDER_CALL, cutOff, { times: 1 });
  await pay(page);

  await seesSuccess(page, 'Account Created');
});

const notFromTheShop = [
  ['a shop that was away for longer than the retries is back', { status: 503, json: {} }],
  [
    'a firewall that rejected its call lets it pass',
    { status: 403, contentType: 'text/html', body: '<h1>Blocked</h1>' },
  ],
  ['a network that answers for the shop is left', { status: 200, json: {} }],
] as const;
for (const [end, response] of notFromTheShop) {
  test(`a paid order is shown by itself once ${end}`, async ({ page, stockUp, complaints }) => {
    complaints.expectFailedRequest('/api/digital-orders/guest', response.status);
    await page.clock.install();
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    await page.route(GUEST_ORDER_CALL, (route) => route.fulfill(response));
    await pay(page);
    await seesSafePayment(page);
    await page.unroute(GUEST_ORDER_CALL);
    const shown = seesSuccess(page);
    await page.clock.runFor(16_000);
    await shown;
  });
}

test('a lost response to the card payment does not charge twice, and another Pay finishes the paid order', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  complaints.expectBrokenConnection(/\/confirm$/);
  complaints.expectBrokenConnection('/api/digital-orders/guest/checkout');
  await page.route('**/confirm', async (route) => {
    await route.fetch();
    await route.abort('connectionreset');
  });
  await page.route('**/api/digital-orders/guest/checkout', (route) => route.abort('connectionreset'), { times: 1 });
  await pay(page);
  await expect(problem(page)).toContainText('you will not be charged twice');

  await pay(page);
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ status: 'succeeded' }]);
});

test('typed contact details survive a reload before paying, but cards and passwords are never stored', async ({
  page,
  stockUp,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { name: 'Aminah Yusof', email });
  await page.getByLabel('Phone').fill('+60 12-345 6789');
  await fillCard(page);
  await page.reload();

  await expect(page.getByLabel('Full Name')).toHaveValue('Aminah Yusof');
  await expect(page.getByLabel('Email')).toHaveValue(email);
  await expect(page.getByLabel('Phone')).toHaveValue('+60 12-345 6789');
  for (const label of ['Password', 'Confirm Password', 'Card number', 'Expiry date', 'Security code']) {
    await expect(page.getByLabel(label, { exact: true })).toHaveValue('');
  }
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  expect(kept).toContain(email);
  expect(kept).not.toContain(PASSWORD);
  expect(kept.replaceAll(' ', '')).not.toContain('4242');
});

test('typed contact details are deleted on any other screen, after 30 minutes, and after payment', async ({
  page,
  stockUp,
}) => {
  const name = page.getByLabel('Full Name');
  const draft = () => page.evaluate(() => sessionStorage.getItem('checkoutContact'));
  const typeName = async (typed: string) => {
    await name.fill(typed);
    expect(await draft()).toContain(typed);
  };
  await page.clock.install();
  await openCheckout(page, [{ product: await stockUp() }]);
  await typeName('Aminah Yusof');
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  await expect.poll(draft).toBeNull();
  await page.goBack();
  await expect(name).toHaveValue('');

  // A URL typed by hand loads a new page.
  await typeName('Aminah Yusof');
  await page.goto('/register');
  await expect.poll(draft).toBeNull();
  await page.goto('/checkout');

  await typeName('Aminah Yusof');
  await page.clock.fastForward('20:00');
  await page.reload();
  await expect(name).toHaveValue('Aminah Yusof');
  await page.clock.fastForward('09:00');
  expect(await draft()).not.toBeNull();
  await page.clock.fastForward('02:00');
  expect(await draft()).toBeNull();

  // A tab that was suspended and comes back later.
  await typeName('Aminah binti Yusof');
  await page.evaluate(() => {
    const { typedAt, ...rest } = JSON.parse(sessionStorage.getItem('checkoutContact') ?? '');
    const anHourAgo = { ...rest, typedAt: typedAt - 3_600_000 };
    sessionStorage.setItem('checkoutContact', JSON.stringify(anHourAgo));
  });
  await page.reload();
  await expect(name).toHaveValue('');
  expect(await draft()).toBeNull();

  await fillContact(page, { email: newEmail() });
  await pay(page);
  await seesSuccess(page);
  expect(await draft()).toBeNull();
});

test('an order whose browser was closed after the payment is delivered, and its mail opens it in another browser', async ({
  otherBrowser,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const product = await stockUp();
  const closing = await otherBrowser();
  await openCheckout(closing, [{ product }]);
  await fillContact(closing, { email });
  const called = loseOrderCall(closing);
  await pay(closing);
  await called;
  await closing.context().close();

  const later = await otherBrowser();
  await later.goto(await claimLinkTo(shop, email));
  await expect(later.getByRole('heading', { name: 'Open your order' })).toBeVisible();
  await expect(later).toHaveURL(/\/claim$/);
  await choosePassword(later);
  await later.getByRole('button', { name: 'Set password and sign in' }).click();

  await openItems(later);
  expect(await readKey(later)).toBe(product.keys[0]);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
});

/** Waits for the mail that says that the order is ready; returns its claim link. */
async function claimLinkTo({ url, dataDir }: RealShop, email: string): Promise<string> {
  let link: string | undefined;
  const find = async () => {
    const mail = (await readMails(dataDir)).find(({ to }) => to.includes(email));
    link = /\/claim\?token=[\w-]+/.exec(mail?.text ?? '')?.[0];
    return link;
  };
  await expect.poll(find, { timeout: 30_000, message: `a claim link mailed to ${email}` }).toBeTruthy();
  return `${url}${link}`;
}
