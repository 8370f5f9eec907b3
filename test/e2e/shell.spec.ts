import { expect, type Page } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import { makeUser } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { fitsWithLargeText, looksRightEverywhere, overlaps, standsStill } from './looks-right.ts';
import { LIGHT_PAGE, leaveInStorage, logOut, savedCart } from './steps.ts';

const banner = (page: Page) => page.getByRole('banner');
const notifications = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const PHONE = { width: 390, height: 780 };
const DESK = { width: 1280, height: 800 };

const shellOfVisitors = ['Currency: USD', 'Switch to dark theme', 'Shopping cart, 0 items'];

test.describe('the first second of a visit:', () => {
  test.use({ hasSplash: true });

  test('the splash shows spinner, name and "Loading amazing products..." for a second, over the loaded page', async ({
    page,
  }) => {
    await page.clock.install();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await page.goto('/');
    const splash = page.locator('#splash');
    await expect(splash).toBeVisible();
    await expect(splash).toHaveText(/Kedai\s*Loading amazing products\.\.\./);
    await expect(splash.locator('i')).toHaveCSS('animation-name', 'spin');
    await expect(page.locator('#root article').first()).toBeAttached();
    // The clock is stopped, but part of the second had passed before that.
    const passed = await page.evaluate(() => performance.now());
    await page.clock.runFor(950 - passed);
    await expect(splash).not.toHaveClass(/opacity-0/);
    await page.clock.runFor(50);
    await expect(splash).toHaveClass(/opacity-0/);
    await page.clock.runFor(180);
    await expect(splash).toHaveCount(0);
  });
});

test('the header shows a visitor logo, currency, theme, cart and Sign In, and changes when scrolled more than 20 px', async ({
  page,
}) => {
  await page.goto('/register');
  for (const name of shellOfVisitors) await expect(banner(page).getByRole('button', { name })).toBeVisible();
  await expect(banner(page).getByRole('link', { name: 'Sign In' })).toHaveAttribute('href', '/login');
  await expect(banner(page).getByRole('link', { name: 'My Orders' })).toBeHidden();
  await banner(page).getByRole('link', { name: 'Kedai' }).click();
  await expect(page).toHaveURL('/');

  await expect(page.getByRole('article').first()).toBeVisible();
  const scrollTo = (top: number) => page.evaluate((y) => window.scrollTo(0, y), top);
  await expect(banner(page)).not.toHaveAttribute('data-scrolled');
  await scrollTo(21);
  await expect(banner(page)).toHaveAttribute('data-scrolled');
  await scrollTo(20);
  await expect(banner(page)).not.toHaveAttribute('data-scrolled');
});

test('the header shows a customer My Orders, My Profile and Logout', async ({ page, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto(LIGHT_PAGE);
  const account = banner(page).getByRole('navigation', { name: 'Your account' });
  await expect(account.getByRole('link', { name: 'My Orders' })).toHaveAttribute('href', '/orders');
  await expect(banner(page).getByRole('link', { name: 'Sign In' })).toBeHidden();
  await account.getByRole('link', { name: 'My Profile' }).click();
  await expect(page.getByRole('heading', { name: customer.name })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(customer.email);
  await expect(page.getByRole('main')).toContainText('Customer');
  await expect(account.getByRole('button', { name: 'Logout' })).toBeVisible();
  await logOut(page);
  await expect(banner(page).getByRole('link', { name: 'Sign In' })).toBeVisible();
});

test('no header controls overlap at any width, and the menu of a phone in landscape scrolls to its end', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/orders');
  const parts = banner(page).locator('a, button, [role=note]').filter({ visible: true });
  await expect(banner(page).getByRole('note')).toBeVisible();
  await expect(banner(page).getByRole('button', { name: 'Logout' })).toBeVisible();
  for (const width of [360, 640, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await overlaps(parts), `${width} wide`).toEqual([]);
  }

  await page.setViewportSize({ width: 740, height: 320 });
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.hover();
  await page.mouse.wheel(0, 2000);
  await expect(menu.getByRole('button', { name: 'Logout' })).toBeInViewport({ ratio: 1 });
});

/** Expects that the pages fit a phone whose text is twice as large; `seen` is on the screen once a page has loaded. */
async function fitWithLargeText(page: Page, pages: [path: string, seen: string | RegExp][]): Promise<void> {
  await page.setViewportSize({ width: 360, height: 800 });
  for (const [path, seen] of pages) {
    await fitsWithLargeText(page, path, seen);
    const name = banner(page).getByText('Kedai', { exact: true });
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), path).toBe(0);
  }
}

test('no page of a visitor scrolls sideways on a phone with text at 200 %, and the header shows the shop name', async ({
  page,
  stockUp,
}) => {
  const product = await stockUp();
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await fitWithLargeText(page, [
    ['/', 'Products'],
    [`/digital-product/${product.id}`, product.name],
    ['/checkout', product.name],
    ['/login', 'Password'],
    ['/find-order', 'Email'],
    ['/info/about', 'About'],
  ]);
  for (const name of ['Shopping cart, 1 item', 'Open cart, 1 item']) {
    const count = page.getByRole('button', { name }).getByText('1', { exact: true });
    expect(await count.evaluate((badge) => badge.scrollHeight - badge.clientHeight), name).toBe(0);
  }
});

test('no page of a customer or of the dashboard scrolls sideways on a phone with text at 200 %', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  admin,
}) => {
  const stranger = await makeUser(shop, { name: 'Chong Xin Yi', email_verified_at: null });
  const product = await stockUp({ name: 'Spotify Premium Individual, 3 Months', warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await fitWithLargeText(page, [
    ['/admin', `#${orderNumber(order)}`],
    ['/admin?tab=physical', 'Ember Reach Summit T-shirt'],
    ['/admin?tab=digital', product.name],
    ['/admin?tab=orders', customer.email],
    [`/admin/orders/${order}`, customer.email],
    [`/admin/users/${stranger.id}`, 'Email not confirmed'],
    ['/profile', admin.email],
    ['/2fa-setup', 'Two-Factor Authentication'],
  ]);
  await signedIn(page, customer);
  await fitWithLargeText(page, [
    ['/orders', product.name],
    [`/orders/${order}`, product.name],
    [`/order-items/${order}`, 'Item 1'],
    [`/orders/${order}/receipt`, product.name],
  ]);
});

test('on a phone, a menu that opens and closes has the same links and the cart count', async ({
  page,
  stockUp,
  customer,
  signedIn,
}) => {
  await page.setViewportSize(PHONE);
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp({ items: 2 }), quantity: 2 }]) });
  await page.goto('/register');
  const toggle = page.getByRole('button', { name: 'Menu', exact: true });
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expect(menu).toBeHidden();
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  await expect(menu.getByRole('link', { name: 'Shop' })).toBeVisible();
  await expect(menu.getByRole('link', { name: 'Sign In' })).toBeVisible();
  await menu.getByRole('button', { name: 'Cart (2 items)' }).click();
  await expect(page.getByRole('dialog', { name: 'Shopping Cart (2 items)' })).toBeVisible();
  await expect(menu).toBeHidden();

  await signedIn(page, customer);
  await page.goto('/register');
  await toggle.click();
  await expect(menu.getByRole('link', { name: 'My Orders' })).toBeVisible();
  await expect(menu.getByRole('button', { name: 'Logout' })).toBeVisible();
  await looksRightEverywhere(page, [360]);
  await menu.getByRole('link', { name: 'My Profile' }).click();
  await expect(page).toHaveURL('/profile');
  await expect(menu).toBeHidden();
});

test('the theme is light by default, even if the system prefers dark, and dark once chosen', async ({
  browser,
  shop,
}) => {
  const context = await browser.newContext({ baseURL: shop.url, colorScheme: 'dark' });
  const page = await context.newPage();
  await page.goto('/register');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect(page.locator('html')).not.toHaveClass(/dark/);
  const light = await ground();
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await expect(page.locator('html')).toHaveClass(/dark/);
  expect(await ground()).not.toBe(light);
  await context.close();
});

test('the cart lists image, name, price and quantity with a remove button, and totals in the chosen currency', async ({
  page,
  stockUp,
}) => {
  const [one, two] = [await stockUp({ items: 3 }), await stockUp({ price_cents: 250, items: 9 })];
  await page.setViewportSize(DESK);
  await leaveInStorage(page, {
    guestCart: savedCart([{ product: one }, { product: two, quantity: 2 }]),
    preferredCurrency: 'MYR',
  });
  await page.goto('/register');
  await banner(page).getByRole('button', { name: 'Shopping cart, 3 items' }).click();
  const cart = page.getByRole('dialog');
  await expect(cart).toHaveAccessibleName('Shopping Cart (3 items)');
  const line = cart.getByRole('listitem').filter({ hasText: two.name });
  await expect(line.locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await expect(line).toContainText('RM11.80');
  await expect(line.getByRole('status')).toHaveText('Quantity 2');
  await line.getByRole('button', { name: `Increase quantity of ${two.name}` }).click();
  await expect(line).toContainText('RM35.40');
  await line.getByRole('button', { name: `Decrease quantity of ${two.name}` }).click();
  await expect(cart).toContainText('Total:RM70.80 MYR');
  await cart.getByRole('button', { name: `Remove ${two.name}` }).click();
  await expect(cart).toHaveAccessibleName('Shopping Cart (1 item)');
  await expect(cart).toContainText('Total:RM47.20 MYR');

  await cart.getByRole('button', { name: 'Proceed to Checkout' }).click();
  await expect(page).toHaveURL('/checkout');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('an empty cart says "Your cart is empty" and is 24rem wide, or as wide as the screen on a phone', async ({
  page,
}) => {
  await page.goto('/register');
  await banner(page).getByRole('button', { name: 'Shopping cart, 0 items' }).click();
  const cart = page.getByRole('dialog', { name: 'Shopping Cart (0 items)' });
  await expect(cart).toContainText('Your cart is empty');
  await expect(cart).toContainText('Add some products to get started!');
  await expect(cart.getByRole('button', { name: 'Proceed to Checkout' })).toBeHidden();
  // The layout width: while the cart slides in, the painted width may be a fraction of a pixel off.
  await page.setViewportSize(DESK);
  await expect(cart).toHaveJSProperty('offsetWidth', 24 * 16);
  await page.setViewportSize(PHONE);
  await expect(cart).toHaveJSProperty('offsetWidth', PHONE.width);
});

test('Back closes an open cart and stays on the page, and a closed cart leaves no entry in the history', async ({
  page,
  stockUp,
}) => {
  const product = await stockUp();
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await page.goto(LIGHT_PAGE);
  await banner(page).getByRole('link', { name: 'Sign In' }).click();
  const cart = page.getByRole('dialog');
  const openCart = async () => {
    await banner(page).getByRole('button', { name: 'Shopping cart, 1 item' }).click();
    await expect(cart).toBeVisible();
  };
  const staysWithoutCart = async () => {
    await expect(cart).toBeHidden();
    await expect(page).toHaveURL('/login');
  };
  await openCart();
  await page.goBack();
  await staysWithoutCart();
  await page.goForward();
  await staysWithoutCart();
  await openCart();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
  await staysWithoutCart();
  await openCart();
  await cart.getByRole('button', { name: 'Close' }).click();
  await staysWithoutCart();
  // The history entry of the cart is left shortly after the cart is closed.
  await expect.poll(() => page.evaluate(() => window.history.state.modals ?? 0)).toBe(0);
  await page.goBack();
  await expect(page).toHaveURL(LIGHT_PAGE);

  await page.goForward();
  await openCart();
  await cart.getByRole('link', { name: product.name }).click();
  await expect(page).toHaveURL(`/digital-product/${product.id}`);
  await expect(cart).toBeHidden();
  await page.goBack();
  await staysWithoutCart();
  await page.goForward();
  await expect(page).toHaveURL(`/digital-product/${product.id}`);
});

test('Undo restores a removed line with its quantity and position', async ({ page, stockUp }) => {
  const [one, two, three] = [await stockUp(), await stockUp({ items: 2 }), await stockUp()];
  await leaveInStorage(page, {
    guestCart: savedCart([{ product: one }, { product: two, quantity: 2 }, { product: three }]),
  });
  await page.goto('/register');
  await banner(page).getByRole('button', { name: 'Shopping cart, 4 items' }).click();
  const cart = page.getByRole('dialog');
  const lines = cart.getByRole('listitem');
  const undo = ({ name }: { name: string }) => cart.getByRole('button', { name: `Undo the removal of ${name}` });
  await cart.getByRole('button', { name: `Remove ${three.name}` }).click();
  await cart.getByRole('button', { name: `Remove ${two.name}` }).click();
  await expect(undo(two)).toBeFocused();
  await expect(cart).toContainText('Total:$10.00');
  await undo(three).click();
  await undo(two).click();
  await expect(cart).toContainText('Total:$40.00');
  await expect(lines).toHaveCount(3);
  for (const [place, { name }] of [one, two, three].entries()) {
    await expect(lines.nth(place)).toContainText(name);
  }
  await expect(lines.nth(1).getByRole('status')).toHaveText('Quantity 2');
  // The stored cart has the same sequence.
  await cart.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await banner(page).getByRole('button', { name: 'Shopping cart, 4 items' }).click();
  await expect(lines.nth(1)).toContainText(two.name);
});

test('a floating button with the count opens the cart, only on small screens and only if the cart is not empty', async ({
  page,
  stockUp,
}) => {
  const product = await stockUp({ items: 3 });
  await page.setViewportSize(PHONE);
  await page.goto(`/digital-product/${product.id}`);
  const floating = page.getByRole('button', { name: /^Open cart/ });
  await expect(floating).toBeHidden();
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(floating).toHaveAccessibleName('Open cart, 1 item');
  await expect(floating).toHaveText('1');
  await page.setViewportSize(DESK);
  await expect(floating).toBeHidden();
  await page.setViewportSize(PHONE);
  await floating.click();
  await expect(page.getByRole('dialog', { name: 'Shopping Cart (1 item)' })).toBeVisible();
});

test('a toast shows the product, disappears by itself after 3000 ms, and can be closed before', async ({
  page,
  stockUp,
}) => {
  const { id, name } = await stockUp({ items: 3 });
  await page.clock.install();
  await page.goto(`/digital-product/${id}`);
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const add = page.getByRole('button', { name: 'Add to cart' });
  await add.click();
  const toast = notifications(page).getByRole('listitem');
  await expect(toast).toContainText(`${name}Added to cart`);
  await expect(toast.locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await page.mouse.move(0, 0);
  await page.clock.runFor(2900);
  await expect(toast).toBeVisible();
  await page.clock.runFor(200);
  await expect(toast).toBeHidden();

  await add.click();
  await toast.getByRole('button', { name: 'Close message' }).click();
  await expect(toast).toBeHidden();
});

test('a toast does not cover the button that triggered it', async ({ page, stockUp }) => {
  const { id } = await stockUp({ items: 9 });
  await page.setViewportSize(PHONE);
  await page.goto(`/digital-product/${id}`);
  const add = page.getByRole('button', { name: 'Add to cart' });
  const toast = notifications(page).getByRole('listitem');
  for (const fromBottom of [90, 600]) {
    await add.evaluate((button, distance) => {
      window.scrollBy(0, button.getBoundingClientRect().bottom - (window.innerHeight - distance));
    }, fromBottom);
    await add.click();
    await expect(toast).toContainText('Added to cart');
    await standsStill(page);
    // The topmost element in the middle of the button is the button, so that a second click hits it.
    expect(
      await add.evaluate((button) => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return button.contains(hit);
      }),
    ).toBe(true);
    await toast.getByRole('button', { name: 'Close message' }).click();
  }
});
