import { expect, type Locator, type Page } from '@playwright/test';
import { makePhysicalProduct } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { beyondTheEdge, changeTheme, enlargeText, looksRightEverywhere, pageWidth } from './looks-right.ts';
import {
  fillContact,
  LIGHT_PAGE,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  press,
  productDialog,
  savedCart,
  seesSafePayment,
  signIn,
} from './steps.ts';

test.describe('accessibility and layout in both themes, on wide and narrow screens:', () => {
  test('a product on flash sale with a refused quantity and a toast', async ({ page, stockUp }) => {
    const { id, name } = await stockUp({
      flash_price_cents: 500,
      flash_ends_at: new Date(Date.now() + 50 * 3_600_000),
      flash_units_limit: 5,
      delivery_instructions: 'Open the launcher.',
      warranty_days: 7,
    });
    await leaveInStorage(page, { preferredCurrency: 'JPY' });
    await page.goto(`/digital-product/${id}`);
    await page.getByRole('button', { name: `Increase quantity of ${name}` }).click();
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Only 1 items available');
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('button', { name: 'Add to cart' }).click();
    const message = page.getByRole('listitem').filter({ hasText: /^Error: Only 1 items available$/ });
    // The message stays while its Close button has the focus.
    await message.getByRole('button', { name: 'Close message' }).focus();
    await looksRightEverywhere(page);
  });

  test('a filtered list in another currency', async ({ page, stockShelf }) => {
    await stockShelf({ category: 'VPN', items: 0 });
    await leaveInStorage(page, { preferredCurrency: 'THB' });
    await page.goto('/?category=VPN&sort=price_desc');
    await expect(page.getByRole('article').first()).toContainText('฿');
    await looksRightEverywhere(page);
  });

  test('a payment whose order the shop cannot confirm', async ({ page, stockUp, complaints }) => {
    complaints.expectFailedRequest('/api/digital-orders/guest', 503);
    await page.clock.install();
    await openCheckout(page, [{ product: await stockUp() }]);
    await fillContact(page, { email: `a-long-word-${'x'.repeat(40)}@example.com` });
    await page.route('/api/digital-orders/guest', (route) => route.fulfill({ status: 503, json: {} }));
    await pay(page);
    await seesSafePayment(page);
    await looksRightEverywhere(page);
  });

  test('a refused payment', async ({ page, shop, stockUp, complaints }) => {
    complaints.expectFailedRequest('/api/digital-orders/guest/create-payment-intent', 409);
    const product = await stockUp();
    await openCheckout(page, [{ product }]);
    await fillContact(page, { email: newEmail() });
    await createShopper(shop.url).openPayment([{ product, quantity: 1 }], { email: newEmail() });
    await pay(page);
    await expect(page.locator('form').getByRole('alert').filter({ hasText: product.name })).toBeVisible();
    await expect(payButton(page)).toBeDisabled();
    await looksRightEverywhere(page);
  });

  test('a screen whose code cannot be loaded', async ({ page, complaints }) => {
    complaints.expectBrokenConnection(/login-screens/);
    await page.route('**/assets/login-screens-*.js', (route) => route.abort('connectionreset'));
    await page.goto('/register');
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
    await looksRightEverywhere(page);
  });
});

test('long words of an order wrap and do not widen the page on a phone', async ({
  page,
  customer,
  shop,
  stockUp,
  signedIn,
}) => {
  const word = 'Unbreakable'.repeat(9);
  const product = await stockUp({ name: word, delivery_instructions: word, items: 2 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  for (const path of ['/checkout', '/orders', `/orders/${order}`, `/order-items/${order}`]) {
    await page.goto(path);
    await expect(page.getByText(word).first()).toBeVisible();
    expect(await pageWidth(page)).toBe(360);
  }
});

test('long words in a dialog wrap and do not widen it on a phone', async ({
  page,
  customer,
  shop,
  stockUp,
  complaints,
  admin: _,
}) => {
  const word = 'Unbreakable'.repeat(9);
  const product = await stockUp({ name: word, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/admin/orders/${order}`);
  await press(page, `Replace faulty item 1 of ${word}`);
  await expect(page.getByRole('dialog')).toContainText(word);
  expect(await beyondTheEdge(page)).toEqual([]);
  complaints.expectFailedRequest(/\/replace-item$/, 409);
  await page.getByLabel('Reason').fill('It was used before');
  await press(page, 'Replace item');
  await expect(page.getByRole('dialog').getByRole('alert').filter({ hasText: word })).toBeVisible();
  expect(await beyondTheEdge(page)).toEqual([]);
  await page.goto(productDialog('stock', product));
  const buffer = Buffer.from('Key;Price\nA;5.00\n');
  await page.getByLabel('File of items').setInputFiles({ name: `${word}.csv`, mimeType: 'text/csv', buffer });
  await expect(page.getByRole('group', { name: `Columns of ${word}.csv` })).toBeVisible();
  expect(await beyondTheEdge(page)).toEqual([]);
});

test('a long word that finds nothing wraps and does not widen the page on a phone', async ({ page, admin: _ }) => {
  // In no name that another test makes.
  const word = 'Nowhere'.repeat(14);
  await page.setViewportSize({ width: 360, height: 800 });
  for (const tab of ['digital', 'physical', 'orders', 'users', 'reviews']) {
    await page.goto(`/admin?tab=${tab}&q=${word}`);
    await expect(page.getByRole('heading', { name: /^No \w+ found/ })).toBeVisible();
    expect.soft(await pageWidth(page), tab).toBe(360);
  }
});

test('a long word in a toast leaves room for its Undo on a phone', async ({ page, admin: _, stockUp }) => {
  const { name } = await stockUp({ name: 'Inseparable'.repeat(9) });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/admin?tab=digital&q=${name}`);
  await press(page, `Delete ${name}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const message = page.getByText(`"${name}" has been deleted`);
  await expect(message).toBeVisible();
  const undo = await page.getByRole('button', { name: 'Undo' }).boundingBox();
  const text = await message.boundingBox();
  expect((text?.x ?? 0) + (text?.width ?? 0)).toBeLessThanOrEqual(undo?.x ?? 0);
});

test('forced colours show the selected tab, span and kind of goods, and the edge of a dialog', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  await makePhysicalProduct(shop);
  await stockUp();
  await page.emulateMedia({ forcedColors: 'active' });
  // The browser drops the background of an element that does not keep its own colours.
  const standsOut = async (chosen: Locator, other: Locator) => {
    await expect(chosen).toHaveCSS('forced-color-adjust', 'none');
    await expect(other).toHaveCSS('forced-color-adjust', 'auto');
  };
  await page.goto('/');
  const kind = (name: string) => page.getByRole('link', { name, exact: true });
  await standsOut(kind('Digital goods'), kind('Physical goods'));
  await page.goto('/admin');
  await press(page, 'Generate Report');
  await expect(page.getByRole('dialog')).toHaveCSS('border-top-width', '1px');
  await page.keyboard.press('Escape');
  await standsOut(page.getByRole('button', { name: '30 days' }), page.getByRole('button', { name: '7 days' }));
  await standsOut(page.getByRole('tab', { name: 'Overview' }), page.getByRole('tab', { name: 'Notifications' }));
});

test('no dialog scrolls sideways on a phone whose text is twice as large', async ({ page, stockUp, admin: _ }) => {
  const product = await stockUp();
  await page.setViewportSize({ width: 360, height: 800 });
  const dialog = page.getByRole('dialog');
  const fits = async (control: string) => {
    await enlargeText(page);
    await expect(dialog.getByLabel(control).first()).toBeVisible();
    expect.soft(await beyondTheEdge(page), control).toEqual([]);
    const cut = (those: Element[]) => those.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length;
    expect.soft(await dialog.locator('dt').evaluateAll(cut)).toBe(0);
  };
  await page.goto('/admin?tab=notifications&dialog=notification-settings');
  await fits('New orders');
  await page.goto(productDialog('stock', product));
  await fits('Inventory items');

  await page.evaluate(() => localStorage.clear());
  const second = { success: true, requiresTwoFactor: true, pendingToken: 'pending', message: 'Enter the code' };
  await page.route('/api/auth/login', (route) => route.fulfill({ json: second }));
  await page.goto('/login');
  await signIn(page, { email: newEmail(), password: 'anything at all' });
  await fits('Authentication code');
});

test('forced colours show the edges of main buttons and the marks of the chart', async ({
  page,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp();
  await page.setViewportSize({ width: 375, height: 800 });
  await page.emulateMedia({ forcedColors: 'active' });
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await page.goto(`/digital-product/${product.id}`);
  const hasEdge = (button: Locator) => expect(button).toHaveCSS('border-top-width', '1px');
  await hasEdge(page.getByRole('button', { name: 'Add to cart', exact: true }));
  const floating = page.getByRole('button', { name: 'Open cart, 1 item' }).last();
  await hasEdge(floating);
  await floating.click();
  await hasEdge(page.getByRole('button', { name: 'Proceed to Checkout' }));
  await page.keyboard.press('Escape');
  await page.goto('/admin');
  const marks = page.getByText(/^\$[\d,.]+ revenue$/).locator('[aria-hidden]');
  await expect(marks).toHaveCSS('forced-color-adjust', 'none');
});

test('forced colours show the edges of badges and messages, and the same icons in both themes', async ({
  page,
  stockUp,
}) => {
  const product = await stockUp();
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto('/login');
  await expect(page.locator('form').getByRole('alert', { includeHidden: true })).toHaveCSS('border-top-width', '1px');
  await page.goto(`/digital-product/${product.id}`);
  await expect(page.getByText(/\d available/).first()).toHaveCSS('border-top-width', '1px');
  const icon = page.getByRole('main').locator('svg.text-accent').first();
  const colour = await icon.evaluate((element) => getComputedStyle(element).color);
  await changeTheme(page, 'dark');
  await expect(icon).toHaveCSS('color', colour);
});

test('with more contrast, muted texts reach 7:1 and lines 3:1, in both themes', async ({ page }) => {
  await page.emulateMedia({ contrast: 'more' });
  await page.goto(LIGHT_PAGE);
  for (const theme of ['light', 'dark']) {
    await changeTheme(page, theme);
    expect(await contrastOf(page, 'muted', 'sunken'), theme).toBeGreaterThanOrEqual(7);
    expect(await contrastOf(page, 'line', 'surface'), theme).toBeGreaterThanOrEqual(3);
  }
});

/** The contrast of two colours of the shop, as WCAG defines it. */
const contrastOf = (page: Page, colour: string, ground: string): Promise<number> =>
  page.evaluate(
    (names) => {
      const probe = document.body.appendChild(document.createElement('i'));
      const [more = 0, less = 0] = names
        .map((name) => {
          probe.style.color = `var(--color-${name})`;
          const light = (getComputedStyle(probe).color.match(/\d+/g) ?? []).map((part) => {
            const value = Number(part) / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
          });
          return [0.2126, 0.7152, 0.0722].reduce((sum, weight, place) => sum + weight * (light[place] ?? 0), 0.05);
        })
        .sort((one, other) => other - one);
      probe.remove();
      return more / less;
    },
    [colour, ground],
  );

test('what did not load in a dialog of the dashboard is loaded by another try', async ({
  page,
  stockUp,
  complaints,
  admin: _,
}) => {
  const keys = await stockUp({ items: 1, delivery: 'unique' });
  const game = await stockUp({ items: 0, delivery: 'file' });
  const dialogOf = (id: string) => `/admin?tab=digital&dialog=stock&product=${id}`;
  const tryAgain = async (path: string, open: () => Promise<unknown>, failure: string) => {
    complaints.expectFailedRequest(path, 400);
    await page.route(`**${path}*`, (route) => route.fulfill({ status: 400, json: {} }));
    await open();
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText(failure);
    await page.unroute(`**${path}*`);
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('dialog').getByRole('alert')).toHaveCount(0);
  };

  const openItems = async () => {
    await page.goto(dialogOf(keys.id));
    await page.getByRole('tab', { name: 'Items', exact: true }).click();
  };
  await tryAgain(`/api/digital-products/${keys.id}/inventory`, openItems, 'The items could not be loaded');
  await expect(page.getByRole('list', { name: 'Items' }).getByRole('listitem')).toHaveCount(1);

  const openFiles = () => page.goto(dialogOf(game.id));
  await tryAgain(`/api/digital-products/${game.id}/files`, openFiles, 'The versions could not be loaded');
  await expect(page.getByRole('heading', { name: 'No file yet' })).toBeVisible();

  const openSettings = () => page.goto('/admin?tab=notifications&dialog=notification-settings');
  await tryAgain('/api/admin/notice-settings', openSettings, 'The settings could not be loaded.');
  await expect(page.getByRole('group', { name: 'Administrators who get the mails' })).toBeVisible();
});

test('a list that failed to load shows no number of entries', async ({ page, complaints, admin: _ }) => {
  const lists = { orders: 'orders', digital: 'digital-products', users: 'users' };
  for (const [tab, path] of Object.entries(lists)) {
    complaints.expectFailedRequest(`/api/admin/${path}`, 400);
    await page.route(`**/api/admin/${path}*`, (route) => route.fulfill({ status: 400, json: {} }));
    await page.goto(`/admin?tab=${tab}`);
    const panel = page.getByRole('tabpanel');
    await expect(panel.getByRole('alert')).toContainText(/did not load|Failed to load/);
    await expect(panel.getByRole('status').first()).toHaveText('');
  }
});
