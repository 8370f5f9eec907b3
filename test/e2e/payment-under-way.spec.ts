import { randomUUID } from 'node:crypto';
import { expect, type Page, type Route } from '@playwright/test';
import { MINUTE_MS } from '../../src/shared/durations.ts';
import { makeUser } from '../factories.ts';
import { CARDS } from '../shopper.ts';
import { test } from './fixtures.ts';
import { listOrders } from './ledger.ts';
import {
  choosePassword,
  fillContact,
  holdBack,
  LIGHT_PAGE,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  press,
  savedCart,
  seesSuccess,
} from './steps.ts';

const GUEST_ORDER_CALL = '**/api/digital-orders/guest';
const ORDER_CALL = '**/api/digital-orders';
const STATUS_CALL = '**/api/digital-orders/guest/checkout/payment';

const cartButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Shopping cart/ });
const notice = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
const goHome = (page: Page) => page.getByRole('banner').getByRole('link', { name: 'Kedai' }).first().click();

test('an unfinished payment is shown in every tab until the order is seen, and its products leave the cart', async ({
  page,
  context,
  customer,
  signedIn,
  stockUp,
}) => {
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.clock.install();
  await page.goto('/checkout');
  await expect(page.getByLabel('Email')).toHaveValue(customer.email);
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
  const tab = await context.newPage();
  for (const each of [page, tab]) await each.route(STATUS_CALL, () => undefined);
  const call = await holdBack(page, ORDER_CALL);
  await pay(page);
  await call.made;
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 0 items');
  await page.clock.fastForward(4000);
  await expect(notice(page, 'Your money is safe')).toBeVisible();
  await goHome(page);
  await expect(notice(page, 'Finishing your order…')).toBeVisible();
  await tab.goto(LIGHT_PAGE);
  await expect(notice(tab, 'Finishing your order…')).toBeVisible();
  await expect(cartButton(tab)).toHaveAccessibleName('Shopping cart, 0 items');

  call.letGo();
  for (const each of [page, tab]) await expect(notice(each, 'Your order is ready')).toBeVisible();
  await page.getByRole('link', { name: 'View order' }).click();
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
  for (const each of [page, tab]) await expect(notice(each, 'Your order is ready')).toHaveCount(0);
});

test('after a reload the page polls at growing intervals until the order is ready, and the guest opens it', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/payment-notice|checkout\/payment/.test(request.url())) asked.push(request.url());
  });
  const isLook = (url: string) => url.endsWith('/payment');
  const countLooks = () => asked.filter(isLook).length;
  let answered = 0;
  page.on('requestfinished', (request) => {
    if (isLook(request.url())) answered += 1;
  });
  /** Lets the page's clock run; each look is answered before the clock goes on. */
  const letSecondsPass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1000);
      await expect.poll(() => answered).toBe(countLooks());
    }
  };
  await page.clock.install();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  expect(asked).toEqual([]);
  const called = Promise.withResolvers<void>();
  await page.route(GUEST_ORDER_CALL, () => called.resolve());
  await pay(page);
  await called.promise;

  const answerPaid = async (route: Route) => {
    const response = await route.fetch();
    const { data, ...body } = await response.json();
    await route.fulfill({ response, json: { ...body, data: { ...data, state: 'paid' } } });
  };
  await page.route(STATUS_CALL, answerPaid);
  await page.goto(LIGHT_PAGE);
  await expect(notice(page, 'Finishing your order…')).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 0 items');
  await expect.poll(countLooks).toBeGreaterThan(0);
  await letSecondsPass(120);
  expect(countLooks()).toBeGreaterThan(2);
  expect(countLooks()).toBeLessThan(14);

  await page.unroute(STATUS_CALL, answerPaid);
  // The webhook finishes it.
  await expect.poll(() => listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  await letSecondsPass(60);
  await expect(notice(page, 'Your order is ready')).toBeVisible();
  const looks = countLooks();
  await page.clock.runFor(10 * MINUTE_MS);
  expect(countLooks()).toBe(looks);

  await page.getByRole('link', { name: 'View order' }).click();
  await expect(page.getByRole('heading', { name: 'Finishing your order' })).toBeVisible();
  await expect(notice(page, 'Your order is ready')).toHaveCount(0);
  await choosePassword(page);
  await press(page, 'Finish order');
  await seesSuccess(page);
  // The success screen redirects there in a new page load, which would cancel an earlier click.
  await expect(page).toHaveURL('/orders');
  await goHome(page);
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  await expect(notice(page, 'Your order is ready')).toHaveCount(0);
});

test('an order that waits for a verified email is not called ready, and the notice links to the verification', async ({
  page,
  shop,
  stockUp,
}) => {
  const { email } = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  const call = await holdBack(page, GUEST_ORDER_CALL);
  await pay(page);
  await call.made;
  await goHome(page);
  await expect(notice(page, 'Finishing your order…')).toBeVisible();
  call.letGo();
  await expect(notice(page, 'A paid order is waiting')).toBeVisible();
  await page.getByRole('link', { name: 'Verify your email' }).click();
  await expect(page.getByRole('heading', { name: `A paid order is waiting: verify ${email}` })).toBeVisible();
  await goHome(page);
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  await expect(notice(page, 'A paid order is waiting')).toHaveCount(0);
});

test('a payment that fails in the background shows a notice and returns its products to the cart', async ({
  page,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest(/confirm$/, 402);
  await openCheckout(page, [{ product: await stockUp({ items: 5 }) }]);
  await fillContact(page, { email: newEmail() });
  const confirming = await holdBack(page, '**/confirm');
  await pay(page, CARDS.declined);
  await confirming.made;
  await goHome(page);
  await expect(notice(page, 'Confirming your payment…')).toBeVisible();
  confirming.letGo();
  await expect(notice(page, 'Your payment did not go through. You were not charged.')).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
  await page.getByRole('link', { name: 'Back to checkout' }).click();
  await expect(notice(page, 'You were not charged.')).toBeVisible();
  await press(page, 'Close');
  await expect(notice(page, 'You were not charged.')).toHaveCount(0);

  await fillContact(page, { email: newEmail() });
  const called = Promise.withResolvers<void>();
  await page.route(GUEST_ORDER_CALL, () => called.resolve());
  await pay(page);
  await called.promise;
  // The answer of a shop that could not capture the payment.
  await page.route(STATUS_CALL, async (route) => {
    const response = await route.fetch();
    const { data, ...body } = await response.json();
    await route.fulfill({ response, json: { ...body, data: { ...data, state: 'failed' } } });
  });
  await goHome(page);
  await expect(notice(page, 'Your payment did not go through.')).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
});

test('a payment whose buyer leaves before the authentication fails, and the next press of Pay succeeds', async ({
  page,
  stockUp,
}) => {
  await openCheckout(page, [{ product: await stockUp({ items: 5 }) }]);
  await fillContact(page, { email: newEmail() });
  const confirming = await holdBack(page, '**/confirm');
  await pay(page, CARDS.challenge);
  await confirming.made;
  await goHome(page);
  await expect(notice(page, 'Confirming your payment…')).toBeVisible();
  confirming.letGo();
  await expect(notice(page, 'Your payment did not go through. You were not charged.')).toBeVisible();
  await page.getByRole('link', { name: 'Back to checkout' }).click();
  await fillContact(page, { email: newEmail() });
  await pay(page);
  await seesSuccess(page);
});

test('the filters of home stay below the payment notice, and move up when it is closed', async ({ page }) => {
  const payment = { orderId: randomUUID(), phase: 'failed', path: '/checkout', taken: null };
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    await leaveInStorage(page, { payment: JSON.stringify(payment) });
    await page.goto('/');
    await expect(page.getByRole('article').first()).toBeVisible();
    await expect(notice(page, 'You were not charged.')).toBeVisible();
    await page.evaluate(() => window.scrollTo(0, 1500));
    const filters = page.getByRole('search');
    const edgesMeet = () =>
      filters.evaluate((bar) => {
        const above = document.querySelector('header + :not(main)')?.getBoundingClientRect();
        return above !== undefined && Math.abs(bar.getBoundingClientRect().top - above.bottom) < 1;
      });
    await expect.poll(edgesMeet).toBe(true);
    await press(page, 'Close');
    await expect(notice(page, 'You were not charged.')).toHaveCount(0);
    await expect.poll(() => filters.evaluate((bar) => bar.getBoundingClientRect().top)).toBe(width < 640 ? 64 : 72);
  }
});
