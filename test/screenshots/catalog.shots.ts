import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { leaveInStorage, savedCart } from '../e2e/steps.ts';
import { THEMES, WIDTHS } from './pictures.ts';
import { shoot, shootAtOnce } from './shoot.ts';

const readmePicture = fileURLToPath(new URL('../../docs/shop.png', import.meta.url));
const firstCard = (page: Page) => page.getByRole('article').first();

test.describe('at three quarters of its size, to stay small,', () => {
  test.use({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.75 });

  test('the picture in the README', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('#splash')).toHaveCount(0);
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: readmePicture });
  });
});

test('the splash', async ({ page }) => {
  await page.clock.install();
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  for (const theme of THEMES) {
    await leaveInStorage(page, { theme });
    await page.goto('/');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 780 });
      await shootAtOnce(page, 'shell-splash', theme);
    }
  }
});

test('home', async ({ page, stockUp }) => {
  await page.goto('/');
  await expect(firstCard(page)).toBeVisible();
  await shoot(page, 'home');
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.goto('/?category=Game+Keys&sort=price_desc');
  await page.evaluate(() => window.scrollTo(0, 300));
  await shoot(page, 'home-filtered-with-a-cart');
});

test('home that finds nothing', async ({ page }) => {
  await page.goto('/?q=no+such+thing');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await shoot(page, 'home-nothing-found');
});

test('home while it loads, and when it does not', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/api/digital-products', 403);
  await page.goto('/register');
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/digital-products?**', async (route) => {
    await asked;
    await route.fulfill({ status: 403, json: {} });
  });
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
  await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  await shoot(page, 'home-loading');
  answer();
  await expect(page.getByRole('heading', { name: 'The products did not load' })).toBeVisible();
  await shoot(page, 'home-did-not-load');
});

test('the list of categories', async ({ page }) => {
  for (const theme of THEMES) {
    await leaveInStorage(page, { theme });
    await page.goto('/');
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await page.getByRole('combobox', { name: 'Category' }).click();
      await shootAtOnce(page, 'home-categories', theme);
      await page.keyboard.press('Escape');
    }
  }
});

test('a product', async ({ page }) => {
  await page.goto('/?q=Neon+Apex');
  await page.getByRole('link', { name: 'Neon Apex Rally' }).click();
  await expect(page.getByRole('region', { name: /^More in/ })).toBeVisible();
  await shoot(page, 'product');
});

test('a product on flash sale, whose quantity is refused, in yen', async ({ page, stockUp }) => {
  const { id, name } = await stockUp({
    name: 'Ember Reach: Anniversary Edition',
    description: 'Cross a burning mountain range in an open world where every summit you see can be reached.',
    items: 2,
    flash_price_cents: 500,
    flash_ends_at: new Date(Date.now() + 50 * 3_600_000),
    flash_units_limit: 5,
    delivery_instructions: 'Open the launcher and choose "Redeem a code".',
    warranty_days: 7,
  });
  await leaveInStorage(page, { preferredCurrency: 'JPY' });
  await page.goto(`/digital-product/${id}`);
  const more = page.getByRole('button', { name: `Increase quantity of ${name}` });
  await more.click();
  await more.click();
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByRole('button', { name: 'Add to cart' }).click();
  for (const close of await page.getByRole('button', { name: 'Close message' }).all()) await close.focus();
  await shoot(page, 'product-flash-sale-refused');
});

test('a product that is sold out, and one that nobody sells', async ({ page, complaints, stockUp }) => {
  const { id } = await stockUp({ items: 0, name: 'A Game With Quite a Long Name: The Definitive Edition' });
  await page.goto(`/digital-product/${id}`);
  await expect(page.getByText('Sold out for now.')).toBeVisible();
  await shoot(page, 'product-sold-out');

  const missing = randomUUID();
  complaints.expectFailedRequest(`/digital-product/${missing}`, 404);
  complaints.expectFailedRequest(`/api/digital-products/${missing}`, 404);
  await page.goto(`/digital-product/${missing}`);
  await expect(page.getByRole('heading', { name: 'Product not found' })).toBeVisible();
  await shoot(page, 'product-not-found');
});
