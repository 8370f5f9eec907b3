import { expect, type Locator, type Page } from '@playwright/test';
import { makeProduct } from '../factories.ts';
import { test } from './fixtures.ts';
import { enlargeText } from './looks-right.ts';
import { leaveInStorage } from './steps.ts';

const PHONE = { width: 390, height: 844 };
const cards = (page: Page) => page.getByRole('region', { name: 'Products' }).getByRole('article');
const card = (page: Page, name: string) =>
  cards(page).filter({ has: page.getByRole('heading', { name, exact: true }) });
const found = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /product/ });
const sort = (page: Page) => page.getByRole('combobox', { name: 'Sort by' });
const scrollY = (page: Page) => page.evaluate(() => Math.round(window.scrollY));
/** Returns the words of the filters that are cut at the right. */
const cutWords = (page: Page) =>
  page.locator('search select').evaluateAll((selects) =>
    selects.flatMap((select) => {
      const { fontSize, fontWeight, fontFamily, paddingLeft, paddingRight, whiteSpace } = getComputedStyle(select);
      const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      const pen = document.createElement('canvas').getContext('2d');
      if (pen === null) throw new Error('no canvas');
      pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
      const words = (select as HTMLSelectElement).selectedOptions[0]?.textContent ?? '';
      // Text that does not wrap must fit as a whole, other text word by word.
      const parts = whiteSpace === 'nowrap' ? [words] : words.split(' ');
      return parts.filter((part) => pen.measureText(part).width > room);
    }),
  );
/** Returns by how many pixels the text of each filter is higher than its box. */
const cutHeights = (page: Page) =>
  page
    .locator('search select')
    .evaluateAll((selects) => selects.map((select) => select.scrollHeight - select.clientHeight));
const scrollTo = (page: Page, top: number) => page.evaluate((y) => window.scrollTo(0, y), top);

test('a reload restores the position in the list', async ({ page }) => {
  await page.goto('/');
  await expect(cards(page).first()).toBeVisible();
  await scrollTo(page, 900);
  await page.reload();
  await expect.poll(() => scrollY(page)).toBe(900);
});

test('a long list shows the total, loads while scrolling, and Back restores the position', async ({
  page,
  shop,
  complaints,
}) => {
  const shelf = { category: 'eBooks', image: '/demo/covers/ember-reach.svg', items: 0 };
  const made = await Promise.all(
    Array.from({ length: 101 }, (_, place) =>
      makeProduct(shop, { ...shelf, name: `Long Shelf ${place + 1}`, price_cents: 99_000 - place }),
    ),
  );
  const hide = () =>
    shop.db
      .updateTable('products')
      .set({ is_active: false })
      .where(
        'id',
        'in',
        made.map(({ id }) => id),
      )
      .execute();
  try {
    const total = async () => {
      const answer = await page.request.get('/api/digital-products?category=eBooks&sort=price_desc');
      return ((await answer.json()) as { total: number }).total;
    };
    await expect.poll(total, { intervals: [100] }).toBeGreaterThan(100);
    const all = await total();
    await page.setViewportSize(PHONE);
    await page.goto('/?category=eBooks&sort=price_desc');
    await expect(cards(page)).toHaveCount(100);
    await expect(found(page)).toHaveText(`${all} products`);

    // The cheapest products are on the second page, whose first load fails.
    const nextPage = (url: URL) => url.pathname === '/api/digital-products' && url.searchParams.has('cursor');
    complaints.expectFailedRequest('/api/digital-products', 403);
    await page.route(nextPage, (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await cards(page).last().scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(cards(page)).toHaveCount(all);
    await expect(page.getByRole('button', { name: /Show more|Try again/ })).toBeHidden();

    const last = card(page, 'Long Shelf 101');
    await last.scrollIntoViewIfNeeded();
    const place = await scrollY(page);
    expect(place).toBeGreaterThan(10_000);
    await last.getByRole('link').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Long Shelf 101');
    await page.goBack();
    await expect(cards(page)).toHaveCount(all);
    await expect.poll(() => scrollY(page)).toBe(place);

    // After a reload at the top not all pages are loaded, so the server searches. Its first search fails.
    await scrollTo(page, 0);
    await page.reload();
    const search = (url: URL) => url.pathname === '/api/digital-products' && url.searchParams.has('q');
    await page.route(search, (route) => route.fulfill({ status: 403, json: {} }), { times: 1 });
    await page.getByRole('searchbox', { name: 'Search products' }).fill('Long Shelf 101');
    await expect(page.getByRole('heading', { name: 'The products did not load' })).toBeVisible();
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(cards(page)).toHaveCount(1);
    await expect(found(page)).toHaveText('1 product');
    // A narrower list is shown from its top.
    await expect(card(page, 'Long Shelf 101')).toBeInViewport();
  } finally {
    await hide();
  }
});

test('the list is dimmed until the list with another sort has loaded', async ({ page }) => {
  await page.goto('/');
  const list = page.getByRole('region', { name: 'Products' }).getByRole('list');
  const opacity = () => list.evaluate((element) => Number(getComputedStyle(element).opacity));
  expect(await opacity()).toBe(1);
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/digital-products?**', async (route) => {
    await asked;
    await route.continue();
  });
  const first = await cards(page).first().textContent();
  await sort(page).selectOption('price_desc');
  await expect.poll(opacity).toBeLessThan(0.7);
  await expect(list).toHaveAttribute('aria-busy', 'true');
  await expect(cards(page).first()).toHaveText(first ?? '');
  answer();
  await expect.poll(opacity).toBe(1);
  await expect(cards(page).first()).not.toHaveText(first ?? '');
});

test('the logo and "All products" lead from a filtered list to the top of the whole list', async ({ page }) => {
  const banner = page.getByRole('banner').getByRole('link', { name: 'Kedai' });
  const footer = page.getByRole('contentinfo').getByRole('link', { name: 'All products' });
  for (const link of [banner, footer]) {
    await page.goto('/');
    await expect(cards(page).first()).toBeVisible();
    await scrollTo(page, 900);
    await link.click();
    await expect.poll(() => scrollY(page)).toBe(0);

    await page.goto('/?category=Game+Keys&sort=price_asc');
    await expect(sort(page)).toHaveValue('price_asc');
    await scrollTo(page, 300);
    await link.click();
    await expect(page).toHaveURL('/');
    await expect(sort(page)).toHaveValue('featured');
    await expect.poll(() => scrollY(page)).toBe(0);
    await page.goBack();
    await expect(sort(page)).toHaveValue('price_asc');
  }
});

test('a phone shows two columns, uncut sticky filters and the currency of the payment', async ({ page }) => {
  await leaveInStorage(page, { preferredCurrency: 'MYR' });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/?category=PlayStation+Plus&sort=price_desc');
  await expect(cards(page).first()).toBeVisible();
  expect(await cutWords(page)).toEqual([]);
  expect(await cutHeights(page)).toEqual([0, 0]);

  await page.setViewportSize(PHONE);
  await page.goto('/');
  await expect(cards(page).first()).toBeVisible();
  const [one, two, three] = await Promise.all([0, 1, 2].map((place) => cards(page).nth(place).boundingBox()));
  expect(two?.y).toBe(one?.y);
  expect(two?.x).toBeGreaterThan(one?.x ?? 0);
  expect(three?.x).toBe(one?.x);
  await expect(page.getByRole('region', { name: 'Products' })).toContainText('Payment is always in USD.');
  await scrollTo(page, 2000);
  await expect(sort(page)).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('searchbox')).toBeInViewport({ ratio: 1 });
  // A newly sorted list is shown from its top.
  await sort(page).selectOption('price_asc');
  await expect(cards(page).first()).toBeInViewport();
});

test('the filters on a phone are not cut at 200 % text size', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/?category=PlayStation+Plus&sort=price_desc');
  await expect(cards(page).first()).toBeVisible();
  await enlargeText(page);
  expect(await cutWords(page)).toEqual([]);
  expect(await cutHeights(page)).toEqual([0, 0]);
});

test('the number of products ends at the edge of the list on the smallest phone', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto('/');
  const rightOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
  const count = page.getByText(/^\d+ products?$/);
  await expect(count).toBeVisible();
  expect(await rightOf(count)).toBeCloseTo(await rightOf(page.getByRole('searchbox')), 0);
});
