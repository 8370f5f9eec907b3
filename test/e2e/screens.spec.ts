import { expect } from '@playwright/test';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import {
  choosePassword,
  fillContact,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  savedCart,
  seesSuccess,
} from './steps.ts';

test.describe('has no fault of accessibility and fits, in both themes, wide and narrow:', () => {
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

  test('success', async ({ page, stockUp }) => {
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    // A 204 leaves the browser on the success screen, which would otherwise redirect after two seconds.
    await page.route('/orders', (route) => route.fulfill({ status: 204 }));
    await pay(page);
    await seesSuccess(page);
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

  test('the menus of the header', async ({ page }) => {
    await page.goto('/register');
    await expect(page.getByRole('heading', { name: 'Buy to Register' })).toBeVisible();
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
