import { expect, type Page } from '@playwright/test';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { holdBack, LIGHT_PAGE } from './steps.ts';

const productCode = (page: Page) =>
  page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/product-screen-'));

test('a slow screen shows and announces a sign of progress below the header, and moves nothing', async ({ page }) => {
  await page.goto(LIGHT_PAGE);
  // Until the first screen is shown, there is none that could stay: React keeps its fallback for at least 300 ms.
  await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible();
  const topOfMain = () => page.getByRole('main').evaluate((main: HTMLElement) => main.offsetTop);
  const before = await topOfMain();
  const screen = await holdBack(page, '/assets/find-order-screen-*.js');
  // The page is scrolled to its end, where the sign must be in sight, too.
  await page.getByRole('contentinfo').getByRole('link', { name: 'Find my order' }).click();
  await screen.made;
  const sign = page.getByRole('status').filter({ hasText: 'Loading' });
  await expect(sign).toHaveCount(1);
  await expect(sign.locator('div')).toBeInViewport();
  const { y, height } = (await page.getByRole('banner').boundingBox()) ?? { y: 0, height: 0 };
  expect(Math.abs(((await sign.boundingBox())?.y ?? 0) - y - height)).toBeLessThan(2);
  expect(await topOfMain()).toBe(before);
  await looksRightEverywhere(page);
  screen.letGo();
  await expect(page.getByRole('heading', { name: 'Find my order' })).toBeVisible();
  await expect(sign).toHaveCount(0);
});

test('the first screen of a visit announces once that it is loading', async ({ page }) => {
  const screen = await holdBack(page, '/assets/find-order-screen-*.js');
  await page.goto('/find-order', { waitUntil: 'commit' });
  await screen.made;
  // The sign of a slow screen is there by now, hidden.
  await page.waitForFunction(() => document.querySelector('[role=status] .border-accent'));
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toHaveCount(1);
  screen.letGo();
  await expect(page.getByRole('heading', { name: 'Find my order' })).toBeVisible();
});

test('a lost connection is named until it is back, when the screen loads what it waited for', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expectOffline();
  await page.goto('/');
  await expect(page.getByRole('article').first()).toBeVisible();
  await context.setOffline(true);
  const notice = page.getByText('You are offline. Loading continues when you are connected again.');
  await expect(notice).toBeVisible();
  await page.getByLabel('Sort').selectOption('price_asc');
  await expect(page).toHaveURL(/sort=price_asc/);
  const list = page.waitForResponse(/sort=price_asc/);
  await context.setOffline(false);
  await list;
  await expect(notice).toHaveCount(0);
});

test('a screen whose code failed to load without a connection loads by itself once the connection is back', async ({
  page,
  context,
  complaints,
}) => {
  complaints.expectOffline();
  await page.goto(LIGHT_PAGE);
  const link = page.getByRole('contentinfo').getByRole('link', { name: 'Find my order' });
  await expect(link).toBeVisible();
  await context.setOffline(true);
  await link.click();
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { name: 'Find my order' })).toBeVisible();
});

test('a finger or the focus on a product loads the code of its page before the press', async ({
  page,
  otherBrowser,
}) => {
  const link = (on: Page) => on.getByRole('article').getByRole('link').first();
  await page.goto('/');
  const pointed = productCode(page);
  await link(page).hover();
  await pointed;

  const other = await otherBrowser();
  await other.goto('/');
  const focused = productCode(other);
  await link(other).focus();
  await focused;
});

test('a reload does not go to the end of a page whose screen has its own code', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 600 });
  await page.goto('/register');
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toBeVisible();
  await page.evaluate(() => window.scrollTo(0, 700));
  const screen = await holdBack(page, '/assets/login-screens-*.js');
  await page.reload();
  await screen.made;
  screen.letGo();
  await expect(heading).toBeAttached();
  expect(await page.evaluate(() => window.scrollY)).toBeLessThanOrEqual(700);
});

test('a slow search of the dashboard that no loaded entry matches shows that it is loading, and no count', async ({
  page,
  shop,
  customer,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 2 });
  for (const _order of [1, 2]) await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const placeholders = page.getByRole('main').locator('.animate-pulse');
  // Pages of one, so that the search asks the shop.
  await page.route('**/api/admin/orders*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', '1');
    return route.continue({ url: url.href });
  });
  await page.goto('/admin?tab=orders');
  await expect(page.getByRole('list', { name: 'Orders' })).toBeVisible();
  await expect(placeholders).toHaveCount(0);
  const search = await holdBack(page, '**/api/admin/orders*q=*');
  await page.getByRole('searchbox', { name: 'Search orders' }).fill('no such buyer');
  await search.made;
  await expect(placeholders.first()).toBeVisible();
  await expect(page.getByText(/orders? found$/)).toHaveCount(0);
  search.letGo();
  await expect(page.getByText('No orders found')).toBeVisible();
  await expect(page.getByText('0 orders found')).toBeVisible();
  await expect(placeholders).toHaveCount(0);
});
