import { expect } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { CARDS, createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import {
  choosePassword,
  fillCard,
  fillContact,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  savedCart,
  seesSuccess,
  signIn,
} from './steps.ts';

test.describe('has no fault of accessibility and fits, in both themes, wide and narrow:', () => {
  test('home', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByRole('article').first()).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('a product', async ({ page, stockUp }) => {
    const { id, name } = await stockUp({ items: 4 });
    await page.goto(`/digital-product/${id}`);
    await expect(page.getByRole('heading', { name })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('a search that finds nothing', async ({ page }) => {
    await page.goto('/?q=nothing-is-called-like-this');
    await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the cart, filled and empty', async ({ page, stockUp }) => {
    const product = await stockUp({ name: 'A Game With Quite a Long Name: The Definitive Anniversary Edition' });
    await leaveInStorage(page, { guestCart: savedCart([{ product }, { product: await stockUp() }]) });
    await page.goto('/register');
    await page.getByRole('button', { name: 'Shopping cart, 2 items' }).click();
    const cart = page.getByRole('dialog');
    await cart.getByRole('button', { name: `Increase quantity of ${product.name}` }).click();
    await expect(cart.getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);

    const remove = cart.getByRole('button', { name: /^Remove/ });
    await remove.first().click();
    await remove.click();
    await expect(cart).toContainText('Your cart is empty');
    await looksRightEverywhere(page);
  });

  test('the checkout, with everything wrong and the test cards open', async ({ page, stockUp }) => {
    await leaveInStorage(page, { preferredCurrency: 'MYR' });
    await openCheckout(page, [{ product: await stockUp() }]);
    await page.getByText('See the test cards').click();
    await payButton(page).click();
    await expect(page.getByText('Please enter your email')).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the question of the bank', async ({ page, stockUp }) => {
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    await pay(page, CARDS.challenge);
    await expect(page.getByRole('dialog', { name: 'Confirm this payment' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('success', async ({ page, stockUp }) => {
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    // A 204 leaves the browser on the success screen, which would otherwise redirect after two seconds.
    await page.route('/orders', (route) => route.fulfill({ status: 204 }));
    await pay(page);
    await seesSuccess(page);
    await looksRightEverywhere(page);
  });

  test('finishing an order after a reload', async ({ page, stockUp }) => {
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    await fillCard(page);
    const { promise: called, resolve } = Promise.withResolvers<void>();
    await page.route('/api/digital-orders/guest', () => resolve());
    await payButton(page).click();
    await called;
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Finishing your order' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the orders and what they delivered', async ({ page }) => {
    await page.goto('/orders');
    await signIn(page, { email: 'customer@kedai.test', password: 'customer-demo-2026' });
    const order = page.getByRole('article').filter({ hasText: 'Hollow Lantern' });
    await expect(order).toBeVisible();
    await looksRightEverywhere(page);

    await order.getByRole('link', { name: /^View Items/ }).click();
    await expect(page.getByRole('button', { name: 'Show item 1' }).first()).toBeVisible();
    await page.getByRole('button', { name: 'Show item 1' }).first().click();
    await looksRightEverywhere(page);
  });

  test('no orders yet, and an order that is not theirs', async ({ page, customer, signedIn, complaints }) => {
    await signedIn(page, customer);
    await page.goto('/orders');
    await expect(page.getByRole('heading', { name: 'No Orders Yet' })).toBeVisible();
    await looksRightEverywhere(page);

    const id = '01990000-0000-7000-8000-000000000000';
    complaints.expectFailedRequest(`/api/digital-orders/${id}/items`, 404);
    await page.goto(`/order-items/${id}`);
    await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('login', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/auth/login', 401);
    await page.goto('/login');
    await signIn(page, { email: newEmail(), password: 'wrong-password' });
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('register', async ({ page }) => {
    await page.goto('/register');
    await expect(page.getByRole('heading', { name: 'Buy to Register' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('claiming an order, with a link and without', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/auth/claim', 400);
    await page.goto('/claim?token=a-link-that-nobody-was-sent-a-link-that-no');
    await page.getByLabel('New Password').fill('a-password-of-mine');
    await page.getByLabel('Confirm Password').fill('a-password-of-mine');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('This link has been used or has expired');
    await looksRightEverywhere(page);

    await page.goto('/claim');
    await expect(page.getByRole('heading', { name: 'Open the link in your mail' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the code of a login, wrong and by backup code', async ({ page, shop, customer, complaints }) => {
    complaints.expectFailedRequest('/api/auth/login', 401);
    const shopper = createShopper(shop.url);
    await shopper.signIn(customer.email, TEST_PASSWORD);
    await enableTwoFactor(shopper);
    await page.goto('/login');
    await signIn(page, { email: customer.email, password: TEST_PASSWORD });
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('textbox').first()).toBeFocused();
    await page.keyboard.type('000000');
    await expect(dialog.getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);
    await dialog.getByRole('button', { name: 'Use a backup code' }).click();
    await looksRightEverywhere(page);
  });

  test('a forgotten password: asked for and on its way', async ({ page }) => {
    await page.goto('/forgot-password');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByText('Please enter your email')).toBeVisible();
    await looksRightEverywhere(page);
    await page.getByLabel('Email').fill(newEmail());
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expect(page.getByRole('heading', { name: 'Look into your mail' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('what mailed links open, with a link and after it', async ({ page, customer, signedIn, complaints }) => {
    await signedIn(page, customer);
    for (const [path, button] of [
      ['/reset-password', 'Change password'],
      ['/confirm-email', 'Confirm my email'],
      ['/undo-email', 'Undo the change'],
    ] as const) {
      complaints.expectFailedRequest(/^\/api\/auth\/(reset|confirm|undo)/, 400);
      await page.goto(`${path}?token=a-link-that-nobody-was-sent-a-link-that-no`);
      await expect(page.getByRole('button', { name: button })).toBeVisible();
      await looksRightEverywhere(page);
      if (path === '/reset-password') await choosePassword(page);
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByRole('heading', { name: 'This link has been used' })).toBeVisible();
      await looksRightEverywhere(page);
    }
  });

  test('finding an order, and its code', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/order-lookup/guest/open', 401);
    await page.goto('/find-order');
    await page.getByRole('button', { name: 'Send the code' }).click();
    await expect(page.getByText('Please enter your order number')).toBeVisible();
    await looksRightEverywhere(page);
    await page.getByLabel('Email').fill(newEmail());
    await page.getByLabel('Order number').fill('0123ABCD');
    await page.getByRole('button', { name: 'Send the code' }).click();
    await page.getByRole('button', { name: 'Send a new code' }).click();
    await expect(page.getByText('A new code is on its way')).toBeVisible();
    await page.getByRole('group').getByRole('textbox').first().focus();
    await page.keyboard.type('000000');
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the menus of the header', async ({ page }) => {
    await page.goto('/register');
    await page.getByRole('button', { name: 'Currency: USD' }).click();
    await expect(page.getByRole('heading', { name: 'Select Currency' })).toBeVisible();
    await looksRightEverywhere(page);
    await page.keyboard.press('Escape');

    await page.setViewportSize({ width: 360, height: 780 });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await expect(page.getByRole('navigation', { name: 'Menu' })).toBeVisible();
    await looksRightEverywhere(page, [360]);
  });
});
