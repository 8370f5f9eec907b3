import { expect } from '@playwright/test';
import { demoKeys } from '../../src/server/demo/demo-keys.ts';
import { CARDS } from '../shopper.ts';
import { test } from './fixtures.ts';
import { listOrders, listPayments } from './ledger.ts';
import { looksRightEverywhere } from './looks-right.ts';
import {
  choosePassword,
  fillCard,
  fillContact,
  newEmail,
  openCheckout,
  openItems,
  pay,
  payButton,
  problem,
  readKey,
  seesCardForm,
  seesSuccess,
  stored,
} from './steps.ts';

test('a guest finds a game, pays, is signed in, and reads and copies the key', async ({ page, context, shop }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const email = newEmail();
  const game = 'Neon Apex Rally';

  await page.goto('/');
  await page.getByRole('searchbox', { name: 'Search products' }).fill('apex');
  await expect(page.getByRole('status').filter({ hasText: /^1 product$/ })).toBeVisible();
  await page.getByRole('button', { name: `Add ${game} to cart` }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Added to cart');
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();

  const cart = page.getByRole('dialog', { name: 'Shopping Cart (1 item)' });
  await expect(cart.getByText(game, { exact: true })).toBeVisible();
  await expect(cart.getByText('$19.99 USD')).toBeVisible();
  await cart.getByRole('button', { name: 'Proceed to Checkout' }).click();

  await expect(page).toHaveURL('/checkout');
  await fillContact(page, { name: 'Aminah Yusof', email });
  await page.getByLabel('Phone').fill('+60 12-345 6789');
  await fillCard(page, '4242 4242 4242 4242');
  await page.getByRole('button', { name: 'Pay $21.19' }).click();

  await seesSuccess(page, 'Account Created');
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
  expect(await stored(page, 'token')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(JSON.parse((await stored(page, 'user')) ?? '')).toMatchObject({ name: 'Aminah Yusof', email });
  expect(JSON.parse((await stored(page, 'guestCart')) ?? '[]')).toEqual([]);

  const order = page.getByRole('article');
  await expect(order).toHaveCount(1);
  await expect(order).toContainText(/Delivered.*\$21\.19/s);
  await openItems(page);

  const secret = page.getByRole('code');
  await expect(secret).toHaveText(/^\w{4}•{8}\w{4}$/);
  await expect(page.getByText('Viewed')).toBeHidden();
  const masked = (await secret.textContent()) ?? '';
  const key = await readKey(page);
  expect(demoKeys('neon-apex-rally', 'product-key', 100)).toContain(key);
  expect(masked).toBe(`${key.slice(0, 4)}••••••••${key.slice(-4)}`);

  await page.getByRole('button', { name: 'Copy item 1' }).click();
  await expect(page.getByRole('button', { name: 'Copied item 1' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await expect(page.getByRole('button', { name: 'Copy item 1' })).toBeVisible();

  await page.reload();
  await expect(page.getByText('Viewed')).toBeVisible();
  await expect(secret).toHaveText(masked);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled', total_cents: 2119 }]);
});

test('a declined card shows the reason, and another card pays the same order with the same payment', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const email = newEmail();
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email });

  const refusals = [
    [CARDS.declined, 'Your card was declined.'],
    [CARDS.insufficientFunds, 'Your card has insufficient funds.'],
    ['4000000000000127', "Your card's security code is incorrect."],
    ['4000000000000069', 'Your card has expired.'],
  ] as const;
  for (const [card, words] of refusals) {
    await pay(page, card);
    await expect(problem(page)).toHaveText(words);
    await expect(payButton(page)).toBeEnabled();
  }
  const [order] = await listOrders(shop, email);
  expect(order?.state).toBe('pending');
  complaints.expectFailedRequest(`/test-mode/v1/payment_intents/${order?.payment_intent_id}/confirm`, 402);

  await pay(page, CARDS.good);
  await seesSuccess(page);
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);
  expect(await listOrders(shop, email)).toMatchObject([{ id: order?.id, state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ id: order?.payment_intent_id, status: 'succeeded' }]);
});

test('a card that requires authentication pays once the buyer completes it', async ({ page, stockUp }) => {
  const product = await stockUp();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: newEmail() });
  await pay(page, CARDS.challenge);

  const challenge = page.getByRole('dialog', { name: 'Confirm this payment' });
  await expect(challenge).toBeVisible();
  await looksRightEverywhere(page);
  await challenge.getByRole('button', { name: 'Complete authentication' }).click();
  await seesSuccess(page);
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);
});

test('a failed or closed authentication shows an error, and another card pays the same order', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email });
  const challenge = page.getByRole('dialog', { name: 'Confirm this payment' });

  await pay(page, CARDS.challenge);
  await challenge.getByRole('button', { name: 'Fail authentication' }).click();
  await expect(problem(page)).toHaveText(/unable to authenticate/);

  await payButton(page).click();
  await expect(challenge).toHaveAttribute('open');
  await page.keyboard.press('Escape');
  await expect(challenge).toBeHidden();
  await expect(problem(page)).toHaveText(/unable to authenticate/);

  await pay(page, CARDS.good);
  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toMatchObject([{ status: 'succeeded' }]);
});

test('two clicks on Pay in the same instant create one order and one payment', async ({ page, shop, stockUp }) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp({ items: 5 }) }]);
  await fillContact(page, { email });
  await fillCard(page);
  // Two clicks before the button can show that the payment is under way.
  await payButton(page).evaluate((button: HTMLButtonElement) => {
    button.click();
    button.click();
  });

  await seesSuccess(page);
  expect(await listOrders(shop, email)).toMatchObject([{ state: 'fulfilled' }]);
  expect(await listPayments(shop, email)).toHaveLength(1);
});

test('the form shows an error at each missing or invalid field, and creates no order', async ({
  page,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  await openCheckout(page, [{ product: await stockUp() }]);
  await seesCardForm(page);
  await payButton(page).click();
  for (const words of [
    'Please enter your full name',
    'Please enter your email',
    'Please provide a password to create your account',
    'Your card number is incomplete.',
  ]) {
    await expect(page.getByText(words).first()).toBeVisible();
  }
  await expect(page.getByLabel('Full Name')).toBeFocused();

  await fillContact(page, { email });
  await page.getByLabel('Confirm Password', { exact: true }).fill('another-password');
  await pay(page, '4242424242424241');
  await expect(page.getByText('Passwords do not match')).toBeVisible();
  await expect(page.getByText('Your card number is invalid.')).toBeVisible();

  await choosePassword(page, '12345');
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible();
  expect(await listOrders(shop, email)).toEqual([]);
});

test('a guest whose connection is lost after paying keeps the success screen, and reaches the orders once it is back', async ({
  page,
  context,
  stockUp,
  complaints,
}) => {
  complaints.expectOffline();
  await page.clock.install();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  const left = page.waitForResponse('/api/digital-orders/guest/checkout');
  await pay(page);
  await seesSuccess(page, 'Account Created');
  await (await left).finished();
  await context.setOffline(true);
  await expect(page.getByText('You are offline.')).toBeVisible();
  await page.clock.runFor(3000);
  await expect(page.getByRole('heading', { name: 'Order Successful' })).toBeVisible();
  await context.setOffline(false);
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
});
