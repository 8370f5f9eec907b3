import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import {
  fillContact,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  problem,
  savedCart,
  seesSafePayment,
  seesSuccess,
} from '../e2e/steps.ts';
import { makeUser } from '../factories.ts';
import { CARDS } from '../shopper.ts';
import { shoot } from './shoot.ts';

const GUEST_ORDERS = '/api/digital-orders/guest';

test('the form of a guest: empty, all wrong, in ringgit', async ({ page, stockUp }) => {
  const cart = [{ product: await stockUp({ items: 3 }), quantity: 3 }, { product: await stockUp() }];
  await openCheckout(page, cart);
  await shoot(page, 'checkout');
  await page.getByText('See the test cards').click();
  await payButton(page).click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  await shoot(page, 'checkout-all-wrong');
  await leaveInStorage(page, { preferredCurrency: 'MYR' });
  await openCheckout(page, cart);
  await shoot(page, 'checkout-in-ringgit');
});

test('the form of a customer, and without a cart', async ({ page, customer, signedIn, stockUp }) => {
  await signedIn(page, customer);
  await page.goto('/checkout');
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible();
  await shoot(page, 'checkout-empty-cart');
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.goto('/checkout');
  await expect(page.getByLabel('Card number')).toBeVisible();
  await shoot(page, 'checkout-customer');
});

test('a refused card, the question of the bank, paying', async ({ page, stockUp, complaints }) => {
  complaints.expectFailedRequest(/confirm$/, 402);
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await pay(page, CARDS.declined);
  await expect(problem(page).filter({ hasText: 'declined' })).toBeVisible();
  await shoot(page, 'checkout-card-refused');
  await pay(page, CARDS.challenge);
  await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toBeVisible();
  await shoot(page, 'checkout-question-of-the-bank');
  await page.route(GUEST_ORDERS, () => undefined);
  await page.getByRole('button', { name: 'Complete authentication' }).click();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await shoot(page, 'checkout-processing');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Finishing your order' })).toBeVisible();
  await shoot(page, 'checkout-finishing');
});

test('a payment under way on another page: being finished, ready, failed', async ({ page, stockUp }) => {
  await openCheckout(page, [{ product: await stockUp() }]);
  await page.route('/api/digital-orders/guest/checkout/payment', () => undefined);
  for (const phase of ['confirming', 'paid', 'ready', 'failed']) {
    await leaveInStorage(page, {
      payment: JSON.stringify({ orderId: 'of-nobody', phase, path: '/checkout', taken: [] }),
    });
    await page.goto('/info/support');
    await expect(page.getByText(/Confirming|Finishing|is ready|did not go through/)).toBeVisible();
    await shoot(page, `payment-${phase}`);
  }
});

test('a long wait, and the same order again', async ({ page, customer, signedIn, stockUp, complaints }) => {
  complaints.expectFailedRequest('/api/digital-orders/create-payment-intent', 409);
  const product = await stockUp({ items: 5 });
  await signedIn(page, customer);
  await openCheckout(page, [{ product }]);
  const { promise: called, resolve } = Promise.withResolvers<void>();
  await page.route('/api/digital-orders', () => resolve());
  await pay(page);
  await called;
  await expect(page.getByText(/Your money is safe/)).toBeVisible();
  await shoot(page, 'checkout-long-wait');
  await page.unroute('/api/digital-orders');
  await page.goto('/checkout');
  await expect(page).toHaveURL('/orders');
  await page.goto(`/digital-product/${product.id}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.goto('/checkout');
  await pay(page);
  await expect(page.getByRole('dialog', { name: 'Same order again' })).toBeVisible();
  await shoot(page, 'checkout-same-order-again');
});

test('success', async ({ page, stockUp, customer }) => {
  // A 204 leaves the browser on the success screen, which would otherwise redirect after two seconds.
  await page.route('/orders', (route) => route.fulfill({ status: 204 }));
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await pay(page);
  await seesSuccess(page);
  await shoot(page, 'checkout-success');
  await page.evaluate(() => localStorage.clear());
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: customer.email });
  await pay(page);
  await seesSuccess(page);
  await shoot(page, 'checkout-success-known-address');
});

test('a paid order that waits for its e-mail', async ({ page, shop, stockUp, signedIn }) => {
  const account = await makeUser(shop, { email: newEmail(), email_verified_at: null });
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: account.email });
  await pay(page);
  await seesSuccess(page);
  await shoot(page, 'checkout-success-waiting');
  const verification = page.getByRole('region', { name: 'Email verification' });
  await page.goto('/login');
  await expect(verification).toBeVisible();
  await shoot(page, 'login-order-waiting');
  await signedIn(page, account);
  await page.goto('/orders');
  await verification.getByRole('button', { name: 'Send verification mail' }).click();
  await expect(verification).toContainText('We have mailed a link');
  await shoot(page, 'orders-order-waiting');
});

test('a payment whose order cannot be confirmed', async ({ page, stockUp, complaints }) => {
  complaints.expectFailedRequest(GUEST_ORDERS, 503);
  await page.clock.install();
  await openCheckout(page, [{ product: await stockUp() }]);
  await fillContact(page, { email: newEmail() });
  await page.route(GUEST_ORDERS, (route) => route.fulfill({ status: 503, json: {} }));
  await pay(page);
  await seesSafePayment(page);
  await shoot(page, 'checkout-unconfirmed');
});

test('a card form that cannot be fetched', async ({ page, stockUp, complaints }) => {
  complaints.expectBrokenConnection(/test-mode-card/);
  await page.route('**/assets/test-mode-card-*.js', (route) => route.abort('connectionreset'));
  await openCheckout(page, [{ product: await stockUp() }]);
  await expect(page.getByText('Stripe not loaded')).toBeVisible();
  await shoot(page, 'checkout-stripe-not-loaded');
});

test('the form while it loads', async ({ page, stockUp }) => {
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.route('/api/digital-orders/guest/checkout', () => undefined);
  await page.goto('/checkout');
  await expect(page.getByRole('main').getByRole('status')).toBeVisible();
  await shoot(page, 'checkout-loading');
});
