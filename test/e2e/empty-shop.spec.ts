import { expect, type Page } from '@playwright/test';
import { makeProduct } from '../factories.ts';
import { test as base } from './fixtures.ts';
import { beyondTheEdge, looksRightEverywhere, overlaps } from './looks-right.ts';
import { type RealShop, startRealShop } from './real-shop.ts';
import { LIGHT_PAGE, newEmail, press } from './steps.ts';

// As long as it may be, and first a word that no header of a phone has room for.
const STORE_NAME = 'DigitalMarketplaceOfKualaLumpur for games and software alike';

// The shop as its owner finds it after the first start.
const test = base.extend<object, { shop: RealShop }>({
  shop: [
    async ({ browserName: _ }, use) => {
      const shop = await startRealShop({ DEMO: 'off', STORE_NAME });
      await use(shop);
      await shop.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

// One worker runs the whole file, because each worker that runs one of its tests must start such a shop.
test.describe.configure({ mode: 'default' });

const steps = (page: Page) => page.getByRole('region', { name: 'First steps' });
const openingSoon = (page: Page) => page.getByRole('heading', { name: 'Opening soon' });

test('an empty shop says that it opens soon, and shows the administrator the first steps', async ({
  page,
  shop,
  admin: _,
  otherBrowser,
}) => {
  const visitor = await otherBrowser();
  await visitor.goto('/');
  await expect(openingSoon(visitor)).toBeVisible();
  await expect(visitor.getByLabel('Search products')).toHaveCount(0);
  await expect(visitor.getByRole('link', { name: 'Dashboard' })).toHaveCount(0);
  await looksRightEverywhere(visitor, [1440, 360]);

  await page.goto('/');
  await expect(openingSoon(page)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Go to the dashboard' })).toHaveAttribute('href', '/admin');
  const account = page.getByRole('banner').getByRole('navigation', { name: 'Your account' });
  await account.getByRole('link', { name: 'Dashboard' }).click();
  await expect(steps(page).getByRole('listitem')).toHaveText([
    /^Add a product/,
    /^Put items in its stock/,
    /^Take real cards.*test cards only/,
    /^Protect your account.*Set up 2FA$/,
  ]);
  await looksRightEverywhere(page, [1440, 360]);
  await steps(page).getByRole('button', { name: 'Add Digital Product' }).click();
  await expect(page.getByRole('dialog', { name: 'Add Digital Product' })).toBeVisible();

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/');
  await press(page, 'Menu');
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Dashboard' }).click();
  await expect(steps(page)).toBeVisible();

  await makeProduct(shop, { items: 0, image: '/favicon.svg' });
  await page.reload();
  await expect(steps(page).getByRole('listitem').first()).toHaveText(/^Add a product \(done\)/);
  await expect(steps(page)).not.toContainText('Visitors see “Opening soon”');
  await steps(page).getByRole('button', { name: 'View products' }).click();
  await expect(page).toHaveURL(/tab=digital/);
  await makeProduct(shop, { image: '/favicon.svg' });
  await page.goto('/admin');
  await expect(page.getByRole('region', { name: 'Quick Actions' })).toBeVisible();
  await expect(steps(page)).toHaveCount(0);
});

test('the dashboard counts one product in the singular', async ({ page, shop, admin: _ }) => {
  await makeProduct(shop, { image: '/favicon.svg' });
  await page.goto('/admin?tab=digital');
  await expect(page.getByText(/^Showing 1 active product \(/)).toBeVisible();
});

test('the dashboard draws the first sale, and says that best sellers are not counted yet', async ({
  page,
  admin: _,
}) => {
  const data = { days: [{ day: '2026-11-21', revenue: 10, orders: 1 }], bestSellers: [] };
  await page.route(/\/api\/admin\/sales/, (route) => route.fulfill({ json: { success: true, data } }));
  await page.goto('/admin');
  await expect(page.getByRole('region', { name: 'Best Sellers' })).toContainText(
    'No sales counted yet. They are counted every few minutes.',
  );
  // A line of the grid for each label of the revenue.
  await expect(page.locator('.recharts-cartesian-grid-horizontal line')).toHaveCount(5);
});

test('a shop without demo data offers no demo accounts', async ({ page }) => {
  await page.goto('/login');
  await expect(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
  await expect(page.getByText('Demo accounts')).toHaveCount(0);
  await page.goto('/forgot-password');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible();
  await expect(page.getByText('This demo sends no real mail')).toHaveCount(0);
});

test('a long shop name is truncated in the header, whose controls stay on the screen and do not overlap', async ({
  page,
}) => {
  await page.goto(LIGHT_PAGE);
  const header = page.getByRole('banner');
  const name = header.getByText(STORE_NAME);
  const parts = header.locator('a, button, [role=note]').filter({ visible: true });
  await expect(header.getByRole('note')).toBeVisible();
  for (const width of [320, 390, 640, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await beyondTheEdge(page), `${width} wide`).toEqual([]);
    const lineHeight = await name.evaluate((element) => Number.parseFloat(getComputedStyle(element).lineHeight));
    expect((await name.boundingBox())?.height, `${width} wide`).toBeLessThan(2 * lineHeight);
    expect(await overlaps(parts), `${width} wide`).toEqual([]);
  }
});
