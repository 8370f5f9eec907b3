import { expect, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { LIGHT_PAGE, leaveInStorage, savedCart } from './steps.ts';

/** Returns the API paths that a page calls from now on; the list grows. */
function listCalls(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push(pathname);
  });
  return calls;
}

test.describe('data embedded in the first page', () => {
  test('is not requested again on the home page', async ({ page }) => {
    const calls = listCalls(page);
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Neon Apex Rally' })).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Category' })).toContainText('Game Keys');
    await expect.poll(() => calls).toEqual(['/api/location']);
  });

  test('is not requested again on the home page with filters', async ({ page, stockShelf }) => {
    const { name } = await stockShelf({ category: 'eBooks', price_cents: 1 });
    const calls = listCalls(page);
    await page.goto('/?category=eBooks&sort=price_asc');
    await expect(page.getByRole('heading', { level: 3 }).first()).toHaveText(name);
    await expect.poll(() => calls).toEqual(['/api/location']);
  });

  test('is not requested again on a product page', async ({ page, stockUp }) => {
    const { id, name } = await stockUp();
    const calls = listCalls(page);
    await page.goto(`/digital-product/${id}`);
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
    expect(calls).not.toContain(`/api/digital-products/${id}`);
    expect(calls).not.toContain('/api/shop');
  });

  test('is not requested again on an information page', async ({ page }) => {
    const calls = listCalls(page);
    await page.goto('/info/faq');
    await expect(page.getByRole('heading', { name: 'Do I need an account?' })).toBeVisible();
    await expect.poll(() => calls).toEqual(['/api/location']);
  });
});

test('the server and the screen give a page the same title', async ({ page, request, stockUp }) => {
  const { id } = await stockUp();
  const paths = [
    '/',
    '/?category=Steam+Keys',
    '/?kind=physical',
    '/?kind=physical&category=Mugs',
    `/digital-product/${id}`,
    '/info/about',
    '/login',
    '/register',
    '/checkout',
    '/claim',
    '/forgot-password',
    '/reset-password',
    '/confirm-email',
    '/undo-email',
    '/find-order',
  ];
  for (const path of paths) {
    const html = await (await request.get(path)).text();
    const title = /<title>(.*?)<\/title>/.exec(html)?.[1] ?? '';
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect([path, await page.title()]).toEqual([path, title]);
  }
});

test('the footer stays outside the viewport until the screen has loaded, so that it does not shift', async ({
  page,
  stockUp,
}) => {
  const { id, name } = await stockUp();
  const arrives = Promise.withResolvers<void>();
  await page.route(/\/assets\/product-screen-.*\.js$/, async (route) => {
    await arrives.promise;
    await route.continue();
  });
  await page.goto(`/digital-product/${id}`, { waitUntil: 'commit' });
  await expect(page.getByRole('main').getByText('Loading')).toBeAttached();
  await expect(page.getByRole('contentinfo')).not.toBeInViewport();
  arrives.resolve();
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();
});

test('the open cart loads the code of the checkout, which then opens without a request for code', async ({
  page,
  stockUp,
}) => {
  await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
  await page.goto(LIGHT_PAGE);
  const loaded = page.waitForEvent('requestfinished', (request) => request.url().includes('/assets/checkout-screen'));
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await loaded;
  const code: string[] = [];
  page.on('request', (request) => request.url().includes('/assets/checkout-screen') && code.push(request.url()));
  await page.getByRole('button', { name: 'Proceed to Checkout' }).click();
  await expect(page.getByRole('heading', { name: 'Checkout', exact: true })).toBeVisible();
  expect(code).toEqual([]);
});

test.describe('in a browser without the scripts', () => {
  test.use({ hasSplash: true });

  test('a page whose scripts do not start, e.g. in an old browser, says so after ten seconds', async ({
    page,
    complaints,
  }) => {
    const script = /\/assets\/index-.*\.js$/;
    complaints.expectBrokenConnection(script);
    await page.route(script, (route) => route.abort('connectionreset'));
    await page.goto('/');
    const advice = page.locator('#splash').getByText('needs a browser from July 2024 or later');
    await expect(advice).toBeHidden();
    const delays = await page.evaluate(() =>
      document.getAnimations().map((animation) => {
        const delay = animation.effect?.getTiming().delay;
        if (delay) animation.finish();
        return delay;
      }),
    );
    expect(delays).toContain(10_000);
    await expect(advice).toBeVisible();
  });
});
