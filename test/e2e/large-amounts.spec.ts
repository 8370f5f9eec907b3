import { expect, type Locator, type Page } from '@playwright/test';
import { formatPrice } from '../../src/shared/currency.ts';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { makePhysicalProduct } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { beyondTheEdge, fitsWithLargeText, standsStill } from './looks-right.ts';
import { LIGHT_PAGE, leaveInStorage, press, productList, savedCart } from './steps.ts';

const LARGEST = { price_cents: 9_999_999 };

/** The widths by which the contents of elements are cut off. */
const cutOff = (elements: Locator) =>
  elements.evaluateAll((those) => those.map((one) => one.scrollWidth - one.clientWidth).filter((width) => width > 0));

const widthOf = async (text: Locator) => (await text.boundingBox())?.width ?? 0;

test('the largest price is shown in full on a phone whose text is twice as large', async ({
  page,
  shop,
  stockShelf,
  customer,
  signedIn,
}) => {
  const product = await stockShelf({ ...LARGEST, items: 3, discount_type: 'percentage', discount_basis_points: 1000 });
  const order = await buyAsCustomer(shop, customer, [{ product: { ...product, price: 89_999.99 }, quantity: 2 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await signedIn(page, customer);
  await leaveInStorage(page, { preferredCurrency: 'THB', guestCart: savedCart([{ product }]) });
  const list = `/?q=${encodeURIComponent(product.name)}`;
  await fitsWithLargeText(page, list, product.name);
  expect.soft(await cutOff(page.getByRole('article'))).toEqual([]);
  await fitsWithLargeText(page, `/digital-product/${product.id}`, product.name);
  await fitsWithLargeText(page, '/checkout', product.name);
  await fitsWithLargeText(page, '/orders', product.name);
  expect.soft(await cutOff(page.getByRole('article').locator('div'))).toEqual([]);
  await fitsWithLargeText(page, `/orders/${order}`, product.name);
  await fitsWithLargeText(page, `/orders/${order}/receipt`, 'Total (USD)');

  await page.setViewportSize({ width: 320, height: 800 });
  const flash_ends_at = new Date(Date.now() + 18 * HOUR_MS);
  await stockShelf({ name: `${product.name} on sale`, price_cents: 3900, flash_price_cents: 2490, flash_ends_at });
  await page.goto(list);
  await expect(page.getByRole('article')).toHaveCount(2);
  expect.soft(await cutOff(page.getByRole('article'))).toEqual([]);
});

test('the dashboard shows the largest price beside a name on a phone whose text is twice as large', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ ...LARGEST, name: `Long ${'w'.repeat(75)}` });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await fitsWithLargeText(page, '/admin', 'Revenue and Orders');
  await fitsWithLargeText(page, productList(product.name), product.name);
  expect.soft(await widthOf(page.getByRole('heading', { name: product.name }))).toBeGreaterThan(150);
  const cards = page.getByRole('article').locator('div, p, button');
  expect.soft(await cutOff(cards)).toEqual([]);
  await fitsWithLargeText(page, `/admin?tab=orders&q=${customer.email}`, product.name);
  expect.soft(await cutOff(cards)).toEqual([]);
  await fitsWithLargeText(page, '/profile', 'Not enabled');
  expect.soft(await cutOff(page.getByRole('region').locator('div'))).toEqual([]);
  await fitsWithLargeText(page, `/admin/orders/${order}`, product.name);
  expect.soft(await widthOf(page.getByText(product.name, { exact: true }))).toBeGreaterThan(150);
  await press(page, 'Refund');
  await page.getByText('Some units').click();
  await expect(page.getByLabel(`Units of ${product.name}`)).toBeVisible();
  expect.soft(await beyondTheEdge(page)).toEqual([]);
});

/** The amounts of money that the page breaks into two lines. */
const brokenAmounts = (page: Page) =>
  page.evaluate(() => {
    const broken: string[] = [];
    const texts = document.createTreeWalker(document.querySelector('main') ?? document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      for (const { 0: amount, index } of (text.nodeValue ?? '').matchAll(/(RM|A\$|\$|฿)[\d,]+\.\d\d/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + amount.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(amount);
      }
    }
    return broken;
  });

test('no amount breaks into two lines on a phone', async ({ page, shop, stockShelf, customer, signedIn }) => {
  const product = await stockShelf({ ...LARGEST, items: 10, discount_type: 'percentage', discount_basis_points: 100 });
  const bought = { ...product, price: 98_999.99 };
  const order = await buyAsCustomer(shop, customer, [{ product: bought, quantity: 2 }]);
  await signedIn(page, customer);
  for (const [code, amount] of [
    ['USD', '$98,999.99'],
    ['MYR', 'RM467,279.95'],
    ['AUD', 'A$150,479.98'],
    ['THB', '฿3,415,499.66'],
  ] as const) {
    await leaveInStorage(page, { preferredCurrency: code, guestCart: savedCart([{ product, quantity: 2 }]) });
    for (const path of [`/?q=${encodeURIComponent(product.name)}`, '/checkout', '/orders', `/orders/${order}`]) {
      await page.goto(path);
      await expect(page.getByRole('main').getByText(amount).first()).toBeVisible();
      for (const width of [320, 375]) {
        await page.setViewportSize({ width, height: 800 });
        expect.soft(await brokenAmounts(page), `${path} at ${width} in ${code}`).toEqual([]);
      }
    }
  }
});

test('the revenue on the dashboard fits on one line on the smallest phone, up to seven digits', async ({
  page,
  admin: _,
}) => {
  await page.setViewportSize({ width: 320, height: 800 });
  for (const totalRevenue of [9_526.99, 17_196.28, 226_578.99, 9_226_578.99]) {
    await page.route('/api/admin/stats', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      await route.fulfill({ response, json: { ...body, data: { ...body.data, totalRevenue } } });
    });
    await page.goto('/admin?tab=orders');
    const amount = page.getByText(formatPrice(Math.round(totalRevenue * 100)), { exact: true });
    await expect(amount).toBeVisible();
    const { height = 0 } = (await amount.boundingBox()) ?? {};
    const lineHeight = await amount.evaluate((element) => Number.parseFloat(getComputedStyle(element).lineHeight));
    expect.soft(Math.round(height / lineHeight), String(totalRevenue)).toBe(1);
  }
});

test('a dashboard with thousands of entries shows every tab on a desktop, and separates the thousands', async ({
  page,
  admin: _,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  const totals = { totalDigitalProducts: 8_888, totalPhysicalProducts: 8_888, totalOrders: 8_888, totalUsers: 8_888 };
  await page.route('/api/admin/stats', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    await route.fulfill({ response, json: { ...body, data: { ...body.data, ...totals } } });
  });
  await page.route('/api/admin/digital-products*', async (route) => {
    const response = await route.fetch();
    const counts = { active: 8_000, inactive: 1_888 };
    await route.fulfill({ response, json: { ...(await response.json()), counts } });
  });
  await page.goto('/admin?tab=digital');
  await expect(page.getByText('Showing 8,000 active products (1,888 hidden)')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Users 8,888' })).toBeVisible();
  expect(await cutOff(page.getByRole('tablist').locator('..'))).toEqual([]);
});

test('a shopper reads the thousands of a stock with separators: on the product, its category and in the description', async ({
  page,
  shop,
}) => {
  const category = 'Sleeves by the crate';
  const id = await makePhysicalProduct(shop, { category, stock: 12_345 });
  await page.goto(`/product/${id}`);
  await expect(page.getByText('12,345 available')).toBeVisible();
  // The catalogue's answers are cached for a second.
  await expect(async () => {
    await page.goto(`/?${new URLSearchParams({ kind: 'physical', category })}`);
    await expect(page.getByRole('option', { name: `${category} (12,345)` })).toBeAttached({ timeout: 1_000 });
  }).toPass();
  await expect(page.locator('meta[name=description]')).toHaveAttribute('content', /12,345 in stock/);
});

test('a cart count of three digits leaves most of the cart icon free', async ({ page, stockUp }) => {
  const product = { ...(await stockUp()), keys: Array.from({ length: 100 }, () => '') };
  await leaveInStorage(page, { guestCart: savedCart([{ product, quantity: 100 }]) });
  await page.goto(LIGHT_PAGE);
  const cart = page.getByRole('button', { name: 'Shopping cart, 100 items' });
  await expect(cart).toBeVisible();
  await standsStill(page);
  const covered = await cart.evaluate((button) => {
    const [icon, count] = [...button.querySelectorAll('svg, span')].map((part) => part.getBoundingClientRect());
    if (!icon || !count) return 1;
    const width = Math.min(icon.right, count.right) - Math.max(icon.left, count.left);
    const height = Math.min(icon.bottom, count.bottom) - Math.max(icon.top, count.top);
    return (Math.max(width, 0) * Math.max(height, 0)) / (icon.width * icon.height);
  });
  expect(covered).toBeLessThan(0.3);
});

/** The spacing of WCAG 1.4.12, which a reader may set by a style sheet of their own. */
const TEXT_SPACING =
  '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }' +
  'p { margin-bottom: 2em !important }';

test('wider spacing of text cuts off no offer on a phone, and moves no part of the header onto another', async ({
  page,
  stockShelf,
}) => {
  const flash_ends_at = new Date(Date.now() + 18 * HOUR_MS);
  const { name } = await stockShelf({ price_cents: 3900, flash_price_cents: 2490, flash_ends_at });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/?q=${encodeURIComponent(name)}`);
  const card = page.getByRole('article');
  await expect(card).toContainText('Flash sale-36%');
  const notice = page.getByRole('banner').getByRole('note');
  const placeOf = async () => (await notice.boundingBox())?.y;
  const before = await placeOf();
  await page.evaluate((rules) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    document.adoptedStyleSheets.push(sheet);
  }, TEXT_SPACING);
  expect.soft(await cutOff(card)).toEqual([]);
  // Its line is 5 px higher; the margin of a paragraph would move it by 20 px, onto the name of the shop.
  expect(Math.abs(Number(await placeOf()) - Number(before))).toBeLessThan(10);
});
