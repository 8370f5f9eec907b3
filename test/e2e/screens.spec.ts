import { expect, type Page } from '@playwright/test';
import { formatPrice } from '../../src/shared/currency.ts';
import { buyAsCustomer } from '../purchases.ts';
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

test.describe('accessibility and layout in both themes, on wide and narrow screens:', () => {
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

  test('the success screen of the checkout', async ({ page, stockUp }) => {
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: newEmail() });
    // A 204 leaves the browser on the success screen, which would otherwise redirect after two seconds.
    await page.route('/orders', (route) => route.fulfill({ status: 204 }));
    await pay(page);
    await seesSuccess(page);
    await looksRightEverywhere(page);
  });

  test('the screen that claims an order, with and without a link', async ({ page, complaints }) => {
    complaints.expectFailedRequest('/api/auth/claim', 400);
    await page.goto('/claim?token=a-link-that-nobody-was-sent-a-link-that-no');
    await page.getByLabel('New Password', { exact: true }).fill('a-password-of-mine');
    await page.getByLabel('Confirm Password', { exact: true }).fill('a-password-of-mine');
    await page.getByRole('button', { name: 'Set password and sign in' }).click();
    await expect(page.getByRole('main').getByRole('alert')).toContainText('This link has been used or has expired');
    await looksRightEverywhere(page);

    await page.goto('/claim');
    await expect(page.getByRole('heading', { name: 'Open the link in your mail' })).toBeVisible();
    await looksRightEverywhere(page);
  });

  test('the screens of mailed links, before and after the link is refused', async ({
    page,
    customer,
    signedIn,
    complaints,
  }) => {
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

test.describe('on a touch screen of 360 pixels,', () => {
  test.use({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 800 } });

  /** The controls that a finger misses easily. Links in a sentence are left out, as in WCAG 2.5.8. */
  const lowControls = (page: Page) =>
    page.locator('a, button, summary, select, input:not([type=radio], [type=checkbox])').evaluateAll((controls) =>
      controls
        .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((control) => getComputedStyle(control).display !== 'inline' && !control.matches('[href="#content"]'))
        .filter((control) => control.getBoundingClientRect().height < 43.5)
        .map((control) => control.getAttribute('aria-label') ?? control.textContent),
    );

  test('every control is at least 44 pixels high', async ({ page, shop, stockUp, admin }) => {
    const product = await stockUp({ warranty_days: 30 });
    const order = await buyAsCustomer(shop, admin, [{ product, quantity: 1 }]);
    const paths = ['/', `/order-items/${order}`, '/profile', '/admin', `/admin/orders/${order}`];
    for (const path of paths) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.getByRole('contentinfo')).toBeVisible();
      await expect.poll(() => lowControls(page), path).toEqual([]);
    }
  });

  test('the revenue on the dashboard fits on one line, up to nine digits', async ({ page, admin: _ }) => {
    for (const totalRevenue of [226_578.99, 1_226_578.99, 123_226_578.99]) {
      await page.route('/api/admin/stats', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        await route.fulfill({ response, json: { ...body, data: { ...body.data, totalRevenue } } });
      });
      await page.goto('/admin?tab=orders');
      const amount = page.getByText(formatPrice(Math.round(totalRevenue * 100)), { exact: true });
      await expect(amount).toBeVisible();
      const lines = await amount.evaluate((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getClientRects().length;
      });
      expect(lines, String(totalRevenue)).toBe(1);
    }
  });
});
