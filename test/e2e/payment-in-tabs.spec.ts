import { type BrowserContext, expect, type Page } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { CARDS } from '../shopper.ts';
import { test } from './fixtures.ts';
import { listOrders, listPayments } from './ledger.ts';
import {
  choosePassword,
  fillCard,
  fillContact,
  holdBack,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  press,
  problem,
  savedCart,
  seesSuccess,
  stored,
} from './steps.ts';

const PAYS_ELSEWHERE = 'You are paying in another tab. Finish it there, or close it.';
const PAID_ELSEWHERE = 'You have just paid in another tab, so your card was not charged here.';
const GUEST_INTENT_CALL = '**/api/digital-orders/guest/create-payment-intent';
const GUEST_ORDER_CALL = '**/api/digital-orders/guest';

/** Opens the checkout of the present cart in another tab and fills it in, ready for a press of Pay. */
async function openTab(context: BrowserContext, email: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto('/checkout');
  await fillContact(tab, { email });
  await fillCard(tab);
  return tab;
}

/** Opens the checkout of a product in this tab and in another, which it returns; Pay can be pressed in both. */
async function openTwoTabs(page: Page, product: MadeProduct, email: string): Promise<Page> {
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });
  await fillCard(page);
  return openTab(page.context(), email);
}

/**
 * Stops the redirect from the success screen, which follows after 2 s and would move the guest's cart to the account.
 */
const stayOnSuccess = (page: Page) => page.route('/orders', () => undefined);

const isWaiting = (tab: Page) => expect(tab.getByText(PAYS_ELSEWHERE)).toBeVisible();

async function addToCart(page: Page, { id, name }: MadeProduct): Promise<void> {
  await page.goto(`/digital-product/${id}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(name);
}

async function unitsInCart(page: Page): Promise<Record<string, number>> {
  const entries: { product: { name: string }; quantity: number }[] = JSON.parse(
    (await stored(page, 'guestCart')) ?? '[]',
  );
  return Object.fromEntries(entries.map(({ product, quantity }) => [product.name, quantity]));
}

test('a product added in another tab during a payment is not shown as paid and stays in the cart', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const [paid, later] = [await stockUp({ items: 5 }), await stockUp({ price_cents: 1799 })];
  await openCheckout(page, [{ product: paid }]);
  await fillContact(page, { email });
  const call = await holdBack(page, GUEST_ORDER_CALL);
  await pay(page);
  await call.made;
  const tab = await context.newPage();
  await addToCart(tab, later);
  await addToCart(tab, paid);

  const header = page.getByRole('banner');
  await expect(header.getByRole('button', { name: 'Shopping cart, 2 items' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('1 × $10.00');
  await expect(page.getByRole('main')).toContainText('Total$10.60');
  await expect(page.getByRole('main')).not.toContainText(later.name);
  await stayOnSuccess(page);
  call.letGo();
  await seesSuccess(page);
  await expect.poll(() => unitsInCart(page)).toEqual({ [later.name]: 1, [paid.name]: 1 });
  await expect(header.getByRole('button', { name: 'Shopping cart, 2 items' })).toBeVisible();
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('a product added in another tab stays in the cart when the page reloads while it pays', async ({
  page,
  context,
  stockUp,
}) => {
  const [paid, later] = [await stockUp(), await stockUp()];
  await openCheckout(page, [{ product: paid }]);
  await fillContact(page, { email: newEmail() });
  const call = await holdBack(page, GUEST_ORDER_CALL);
  await pay(page);
  await call.made;
  await addToCart(await context.newPage(), later);
  await page.reload();
  await choosePassword(page);
  await stayOnSuccess(page);
  await page.getByRole('button', { name: 'Finish order' }).click();
  await seesSuccess(page);
  await expect.poll(() => unitsInCart(page)).toEqual({ [later.name]: 1 });
});

test('Pay pressed in two tabs at once charges once, and the other tab shows a message', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const tab = await openTwoTabs(page, await stockUp({ items: 5 }), email);
  const call = await holdBack(context, GUEST_INTENT_CALL);
  await Promise.all([payButton(page).click(), payButton(tab).click()]);
  const waits = (each: Page) => each.getByText(PAYS_ELSEWHERE).isVisible();
  await expect.poll(async () => [await waits(page), await waits(tab)].sort()).toEqual([false, true]);
  const [first, second] = (await waits(page)) ? [tab, page] : [page, tab];
  call.letGo();

  await seesSuccess(first);
  await expect(second.getByRole('heading', { name: 'Already Paid' })).toBeVisible();
  await expect(second.getByRole('main')).toContainText(PAID_ELSEWHERE);
  await second.getByRole('main').getByRole('link', { name: 'My Orders' }).click();
  await expect(second.getByRole('article')).toHaveCount(1);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('the rest of the cart after a payment in another tab is paid at the next press', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const [paid, left] = [await stockUp({ items: 5 }), await stockUp({ price_cents: 2000, items: 5 })];
  await openCheckout(page, [{ product: paid }]);
  await fillContact(page, { email });
  const call = await holdBack(page, GUEST_INTENT_CALL);
  await pay(page);
  await call.made;
  await addToCart(await context.newPage(), left);
  const tab = await openTab(context, email);
  await press(tab, 'Pay $31.80');
  await isWaiting(tab);
  call.letGo();

  await seesSuccess(page);
  await expect(problem(tab)).toHaveText(`${PAID_ELSEWHERE} My Orders`);
  await expect(problem(tab).getByRole('link', { name: 'My Orders' })).toHaveAttribute('href', '/orders');
  await press(tab, 'Pay $21.20');
  await seesSuccess(tab);
  const captured = (await listPayments(shop, email)).map(({ captured_cents }) => captured_cents);
  expect(captured).toEqual([1060, 2120]);
});

test('the success screen waits for a slow end of its checkout, and the waiting tab learns that the order is paid', async ({
  page,
  stockUp,
}) => {
  const email = newEmail();
  const tab = await openTwoTabs(page, await stockUp({ items: 5 }), email);
  await page.clock.install();
  const intent = await holdBack(page, GUEST_INTENT_CALL);
  const end = await holdBack(page, '**/api/digital-orders/guest/checkout');
  await payButton(page).click();
  await intent.made;
  await payButton(tab).click();
  await isWaiting(tab);
  intent.letGo();
  await end.made;
  await page.clock.runFor(3000);
  end.letGo();

  await expect(page).toHaveURL('/orders');
  await expect(tab.getByRole('heading', { name: 'Already Paid' })).toBeVisible();
});

test('the success screen stops waiting for an end of its checkout that never comes', async ({ page, stockUp }) => {
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await page.route('**/api/digital-orders/guest/checkout', (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback();
  });
  await pay(page);

  await seesSuccess(page);
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
});

test('an open authentication keeps another tab waiting until it fails, and an abandoned one does not pay', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const [email, elsewhere] = [newEmail(), newEmail()];
  await openCheckout(page, [{ product: await stockUp({ items: 5 }) }]);
  await fillContact(page, { email });
  await pay(page, CARDS.challenge);
  await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toBeVisible();
  const [leaving, tab] = [await openTab(context, elsewhere), await openTab(context, email)];
  for (const each of [leaving, tab]) {
    await payButton(each).click();
    await isWaiting(each);
  }
  await leaving.getByRole('banner').getByRole('link', { name: 'Kedai' }).first().click();
  await expect(leaving).toHaveURL('/');

  await stayOnSuccess(tab);
  await press(page, 'Fail authentication');
  await expect(problem(page)).toHaveText(/unable to authenticate/);
  await seesSuccess(tab);
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible();
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toHaveLength(1);
  expect(await listOrders(shop, elsewhere)).toEqual([]);
});

test('closing a tab while it pays lets the next tab pay, or finish the paid order', async ({
  page,
  context,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp({ items: 5 }) }]);
  await fillContact(page, { email });
  await pay(page, CARDS.challenge);
  await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toBeVisible();
  const [second, third] = [await openTab(context, email), await openTab(context, email)];
  // Aborted and not held back: a call that is held back may still leave while its tab closes.
  complaints.expectBrokenConnection('/api/digital-orders/guest');
  const cutOff = second.waitForEvent('requestfailed');
  await second.route(GUEST_ORDER_CALL, (route) => route.abort('connectionreset'));
  for (const each of [second, third]) {
    await payButton(each).click();
    await isWaiting(each);
  }
  await page.close();
  await cutOff;
  await second.close();

  await expect(third.getByRole('heading', { name: 'Finishing your order' })).toBeVisible();
  await choosePassword(third);
  await stayOnSuccess(third);
  await press(third, 'Finish order');
  await seesSuccess(third);
  await expect.poll(() => unitsInCart(third)).toEqual({});
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('two devices of an account that pay for the same products at once are charged once, and one is asked', async ({
  page,
  otherBrowser,
  shop,
  customer,
  signedIn,
  stockUp,
  complaints,
}) => {
  const product = await stockUp({ items: 5 });
  const laptop = await otherBrowser();
  for (const device of [page, laptop]) {
    await signedIn(device, customer);
    await leaveInStorage(device, { guestCart: savedCart([{ product }]) });
    await device.goto('/checkout');
    await expect(device.getByLabel('Email')).toHaveValue(customer.email);
    await fillCard(device);
  }
  complaints.expectFailedRequest('/api/digital-orders/create-payment-intent', 409);
  const isPaid = Promise.any([page, laptop].map((device) => seesSuccess(device)));
  await Promise.all([payButton(page).click(), payButton(laptop).click()]);
  const question = (device: Page) => device.getByRole('dialog', { name: 'Same order again' });
  const asks = (device: Page) => question(device).isVisible();
  await expect.poll(async () => [await asks(page), await asks(laptop)].sort()).toEqual([false, true]);
  const asked = (await asks(laptop)) ? laptop : page;
  await isPaid;
  await press(asked, 'Cancel');
  await expect(payButton(asked)).toBeEnabled();
  expect(await listPayments(shop, customer.email)).toMatchObject([{ captured_cents: 1060 }]);

  const paidAt = new Date(Date.now() - 2 * 60_000 - 1_000);
  await shop.db.updateTable('orders').set({ paid_at: paidAt }).where('contact_email', '=', customer.email).execute();
  await payButton(asked).click();
  await expect(question(asked)).toContainText('You bought this 2 minutes ago. Buy it again?');
  await press(asked, 'Buy again');
  await seesSuccess(asked);
  const captured = (await listPayments(shop, customer.email)).map(({ captured_cents }) => captured_cents);
  expect(captured).toEqual([1060, 1060]);
});
