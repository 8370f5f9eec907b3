import { expect, type Page, type Response } from '@playwright/test';
import type { AdminStats } from '../../src/shared/admin.ts';
import { trendText } from '../../src/shared/admin.ts';
import type { AdminOrder } from '../../src/shared/admin-orders.ts';
import { orderNumber } from '../../src/shared/format.ts';
import { test } from './fixtures.ts';
import { oldestProductName } from './ledger.ts';
import { looksRightEverywhere } from './looks-right.ts';

const FAILED = 'Failed to load dashboard data';
const RETRY_MS = 2000;
const READ_ONLY = /^The dashboard of this public demo is read-only/;

const FIVE_CALLS = [
  '/api/admin/digital-products',
  '/api/admin/orders',
  '/api/admin/products',
  '/api/admin/stats',
  '/api/admin/users',
];

const loading = (page: Page) => page.getByText('Loading Admin Dashboard...');
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
const isOpen = (page: Page, name: string) => expect(tab(page, name)).toHaveAttribute('aria-selected', 'true');
const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' }).getByRole('listitem');
const pathOf = (sent: { url(): string }) => new URL(sent.url()).pathname;
const tiles = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem');

test('the dashboard makes its five calls in parallel, shows totals with trends, and refreshes', async ({
  page,
  admin: _,
}) => {
  const asked: string[] = [];
  let gate = Promise.withResolvers<void>();
  await page.route(/\/api\/(orders|admin\/[a-z-]+)(\?|$)/, async (route) => {
    asked.push(pathOf(route.request()));
    await gate.promise;
    await route.continue();
  });
  const answered = page.waitForResponse((response) => pathOf(response) === '/api/admin/stats');
  await page.goto('/admin');
  await expect(loading(page)).toBeVisible();
  await expect.poll(() => asked.toSorted()).toEqual(FIVE_CALLS);
  gate.resolve();
  const stats = await statsOf(await answered);

  const { trends } = stats;
  const revenue = stats.totalRevenue.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
  // The demo has sold enough for a revenue in thousands.
  expect(revenue).toMatch(/^\$\d+,\d{3}\.\d\d$/);
  await expect(tiles(page, 'Totals')).toHaveText([
    `Total Revenue${revenue}${trendText(trends.revenue)}`,
    `Total Orders${stats.totalOrders}${trendText(trends.orders)}`,
    `Total Users${stats.totalUsers}${trendText(trends.users)}`,
    `Total Products${stats.totalProducts}${trendText(trends.products)}`,
  ]);
  await expect(page.getByRole('tab')).toHaveText([
    'Overview',
    `Notifications${stats.unreadNotices}`,
    `Physical Products${stats.totalPhysicalProducts}`,
    `Digital Products${stats.totalDigitalProducts}`,
    `Orders${stats.totalOrders}`,
    `Problem Reports${stats.openProblemReports}`,
    `Reviews${stats.pendingReviews}`,
    `Users${stats.totalUsers}`,
  ]);
  await isOpen(page, 'Overview');
  await expect(page.getByRole('heading', { name: 'Dashboard Overview' })).toBeVisible();
  await expect(tiles(page, 'At a glance')).toHaveText([
    `Revenue${revenue}${trendText(trends.revenue)} from last month`,
    `Orders${stats.totalOrders}${stats.pendingOrders} pending`,
    `Products${stats.totalProducts}${stats.lowStockItems} low stock`,
    `Users${stats.totalUsers}${trendText(trends.users)} growth`,
  ]);

  asked.length = 0;
  gate = Promise.withResolvers<void>();
  const refresh = page.getByRole('button', { name: 'Refresh' });
  await refresh.click();
  await expect(refresh).toHaveAttribute('aria-busy', 'true');
  await expect.poll(() => asked).toEqual(expect.arrayContaining(FIVE_CALLS));
  gate.resolve();
  await expect(toasts(page)).toHaveText(['Done: Dashboard refreshed!']);
  await expect(refresh).not.toHaveAttribute('aria-busy');
});

test('the arrow beside a trend goes up or down, and a total that stays the same has none', async ({
  page,
  admin: _,
}) => {
  await page.route('/api/admin/stats', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const trends = { revenue: 0, orders: -3, users: 2, products: null };
    await route.fulfill({ response, json: { ...body, data: { ...body.data, trends } } });
  });
  await page.goto('/admin');
  const shown = { '0.0%': 'minus', '-3.0%': 'trending-down', '+2.0%': 'trending-up', New: 'trending-up' };
  for (const [text, icon] of Object.entries(shown))
    await expect(tiles(page, 'Totals').getByText(text, { exact: true }).locator(`.lucide-${icon}`)).toBeVisible();
});

test('the overview lists the newest orders, the best sellers and the products that are low on stock', async ({
  page,
  admin: _,
}) => {
  const read = page.waitForResponse((response) => pathOf(response) === '/api/admin/stats');
  const listed = page.waitForResponse((response) => pathOf(response) === '/api/admin/orders');
  await page.goto('/admin');
  const stats = await statsOf(await read);
  const card = (name: string) => page.getByRole('region', { name });
  const { data: orders }: { data: AdminOrder[] } = await (await listed).json();
  await expect(card('Recent Orders').getByRole('listitem')).toHaveText(
    orders.slice(0, 5).map(({ _id }) => new RegExp(`#${orderNumber(_id)}`)),
  );
  await expect(card('Recent Orders').getByRole('listitem').first()).toHaveText(
    /^(Digital|Physical)#[0-9A-F]{8}\d+ \w+ \d{4}\$\d+\.\d\d(Processing|Shipped|Delivered|Cancelled)$/,
  );
  await expect(card('System Statistics')).toHaveText(
    `System StatisticsPending Orders${stats.pendingOrders}Active Products${stats.activeProducts}` +
      `Low Stock Items${stats.lowStockItems}Active Users${stats.activeUsers}`,
  );
  await expect(card('Best Sellers').getByRole('listitem')).toHaveCount(5);
  await expect(page.getByText(READ_ONLY)).toBeHidden();

  const span = (days: string) => card('Revenue and Orders').getByRole('button', { name: `${days} days` });
  await expect(span('30')).toHaveAttribute('aria-pressed', 'true');
  await span('7').click();
  await expect(page).toHaveURL('/admin?days=7');
  await expect(card('Best Sellers')).toContainText('Last 7 days');
  await card('Revenue and Orders').getByText('Show as a table').click();
  await expect(card('Revenue and Orders').getByRole('row')).toHaveCount(8);
  const scarce = card('Low Stock').getByRole('listitem').first();
  await expect(scarce).toContainText(/\d left$/);
  // A tablet has no pointer that could show the rest of a name.
  await page.setViewportSize({ width: 1024, height: 768 });
  const isCut = (texts: Element[]) =>
    texts.filter((text) => text.scrollWidth > text.clientWidth).map((text) => text.textContent);
  for (const name of ['Best Sellers', 'Low Stock'])
    expect(await card(name).locator('span').evaluateAll(isCut)).toEqual([]);
  await scarce.getByRole('link').click();
  await expect(page).toHaveURL(/\/admin\?tab=(digital|physical)&q=.+/);
});

test('a best seller links to its product, even if the product is hidden and has a long name', async ({
  page,
  admin: _,
  stockUp,
}) => {
  const { id, name } = await stockUp({ name: `Hidden ${'Best Seller '.repeat(12)}`.trim(), is_active: false });
  await page.route(/\/api\/admin\/sales/, async (route) => {
    const response = await route.fetch();
    const { data, ...body } = await response.json();
    const best = { product: id, kind: 'digital', name, image: '', category: 'Game Keys', units: 3, revenue: 30 };
    await route.fulfill({ response, json: { ...body, data: { ...data, bestSellers: [best] } } });
  });
  await page.goto('/admin');
  await page.getByRole('region', { name: 'Best Sellers' }).getByRole('link').click();
  await expect(page.getByRole('article').filter({ hasText: name })).toBeVisible();
});

test('tabs and dialogs are in the URL: quick actions open them, a reload keeps the tab, and Back leaves it', async ({
  page,
  admin: _,
}) => {
  await page.goto('/admin');
  const action = (name: string) => page.getByRole('region', { name: 'Quick Actions' }).getByRole('button', { name });
  await action('View Orders').click();
  await expect(page).toHaveURL('/admin?tab=orders');
  await isOpen(page, 'Orders');
  await page.reload();
  await isOpen(page, 'Orders');
  await expect(page.getByRole('heading', { name: 'All Orders' })).toBeVisible();
  await page.goBack();
  await isOpen(page, 'Overview');
  await action('Manage Users').click();
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible();
  await expect(page).toHaveURL('/admin?tab=users');
  await page.goBack();
  await action('Generate Report').click();
  await expect(page.getByRole('dialog', { name: 'Generate Report' })).toBeVisible();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL('/admin');
  await expect(action('Generate Report')).toBeFocused();
  await action('Add Product').click();
  await expect(page).toHaveURL('/admin?tab=digital&dialog=add');
  await expect(page.getByRole('dialog')).toBeVisible();
  await isOpen(page, 'Digital Products');
});

/** Presses the button at the moment when the app asks the browser to leave the history entry of a closed dialog. */
async function pressWhileLeaving(page: Page, name: string): Promise<void> {
  await page.evaluate((label) => {
    const go = history.go.bind(history);
    history.go = (steps) => {
      history.go = go;
      go(steps);
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label)?.click();
    };
  }, name);
  await page.keyboard.press('Escape');
}

test('a button that is pressed while a dialog closes still works, and Back returns to the previous page', async ({
  page,
  admin: _,
}) => {
  const report = page.getByRole('dialog', { name: 'Generate Report' });
  const openReport = async () => {
    await page.getByRole('button', { name: 'Generate Report' }).click();
    await expect(report).toBeVisible();
  };
  await page.goto('/admin');
  await openReport();
  await pressWhileLeaving(page, 'Manage Users');
  await expect(page).toHaveURL('/admin?tab=users');
  await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/admin');
  await isOpen(page, 'Overview');

  await openReport();
  await pressWhileLeaving(page, 'Add Product');
  await expect(page).toHaveURL('/admin?tab=digital&dialog=add');
  await expect(page.getByRole('dialog', { name: 'Add Digital Product' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/admin?tab=digital');
  await page.goBack();
  await isOpen(page, 'Overview');

  await openReport();
  await pressWhileLeaving(page, 'Close the Shop');
  await expect(page.getByRole('dialog', { name: 'Close the Shop' })).toBeVisible();
  await expect(page).toHaveURL('/admin?dialog=close');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL('/admin');
});

test('a report that finishes after its dialog was closed does not close the next dialog', async ({
  page,
  admin: _,
}) => {
  const ready = Promise.withResolvers<void>();
  await page.route('**/api/admin/reports/*', async (route) => {
    await ready.promise;
    await route.continue();
  });
  await page.goto('/admin?dialog=report');
  const report = page.getByRole('dialog', { name: 'Generate Report' });
  await report.getByRole('button', { name: 'Generate Report' }).click();
  await report.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Close the Shop' }).click();
  await expect(page).toHaveURL('/admin?dialog=close');
  ready.resolve();
  await expect(toasts(page)).toContainText(['The report is downloaded']);
  await page.getByLabel('Text for buyers').fill('Back at noon');
  await expect(page).toHaveURL('/admin?dialog=close');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page).toHaveURL('/admin');
  await page.getByRole('button', { name: 'Close the Shop' }).click();
  await expect(page.getByLabel('Text for buyers')).toHaveValue('');
});

test('a rate-limited load is retried without a message; a failed load shows an error and can be retried', async ({
  page,
  admin: _,
  complaints,
}) => {
  let answer: { status: number; json?: object } | null = { status: 429 };
  const users = (response: Response) => pathOf(response) === '/api/admin/users';
  complaints.expectFailedRequest('/api/admin/users', 429);
  complaints.expectFailedRequest('/api/admin/users', 503);
  await page.route(/\/api\/admin\/users\?|\/api\/admin\/users$/, (route) =>
    answer ? route.fulfill(answer) : route.continue(),
  );
  await page.clock.install();
  /** Waits for the answers to the first call and to `more` retries, each of which follows a pause. */
  const fails = async (act: () => Promise<unknown>, more: number) => {
    let failed = page.waitForResponse(users);
    await act();
    for (let times = 0; times < more; times += 1) {
      await failed;
      failed = page.waitForResponse(users);
      await page.clock.runFor(RETRY_MS);
    }
    await failed;
  };

  await fails(() => page.goto('/admin'), 3);
  await expect(loading(page)).toBeVisible();
  expect(await toasts(page).count()).toBe(0);
  answer = null;
  await page.clock.runFor(RETRY_MS);
  await isOpen(page, 'Overview');
  expect(await toasts(page).count()).toBe(0);

  answer = { status: 503 };
  await fails(() => page.getByRole('button', { name: 'Refresh' }).click(), 2);
  await expect(toasts(page)).toHaveText([`Error: ${FAILED}`]);
  await fails(() => page.reload(), 2);
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText(FAILED);
  // The parts that could be read are shown.
  await expect(page.getByRole('list', { name: 'Totals' })).toContainText('$');
  answer = { status: 503, json: { success: false, code: 'INTERNAL', message: 'The shop is closed for repairs' } };
  await fails(() => alert.getByRole('button', { name: 'Try again' }).click(), 2);
  await expect(alert).toContainText('The shop is closed for repairs');
  answer = null;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toHaveCount(0);
});

test('a failed search shows an error below the loaded products and can be retried', async ({
  page,
  shop,
  admin: _,
  complaints,
}) => {
  const list = '/api/admin/digital-products';
  complaints.expectFailedRequest(list, 400);
  const name = await oldestProductName(shop);
  await page.route(`${list}?*`, (route) => route.continue({ url: `${route.request().url()}&limit=20` }));
  await page.goto('/admin?tab=digital');
  const cards = page.getByRole('article');
  await expect(cards).toHaveCount(20);
  const searchFor = async (text: string) => {
    const search = (url: URL) => url.pathname === list && url.searchParams.get('q') === text;
    await page.route(search, (route) => route.fulfill({ status: 400, json: {} }), { times: 1 });
    await page.getByLabel('Search products').fill(text);
  };
  const failure = page.getByRole('heading', { name: 'The products did not load' });
  await searchFor('e');
  await expect(failure).toBeVisible();
  await expect(cards).not.toHaveCount(0);
  await searchFor(name);
  await expect(failure).toBeVisible();
  await expect(cards).toHaveCount(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(cards.filter({ hasText: name })).toBeVisible();
  await expect(failure).toHaveCount(0);
});

test('an empty shop shows an empty state in each part of the overview, and a failed part can be retried', async ({
  page,
  admin: _,
  complaints,
}) => {
  const nothing = { success: true, data: [], nextCursor: null, total: 0, hasUncounted: false };
  const days = [{ day: '2026-11-21', revenue: 0, orders: 0 }];
  let sales: { status: number; json?: object } = { status: 404 };
  complaints.expectFailedRequest('/api/admin/sales', 404);
  await page.route(/\/api\/admin\/(orders|low-stock)/, (route) => route.fulfill({ json: nothing }));
  await page.route(/\/api\/admin\/sales/, (route) => route.fulfill(sales));
  await page.goto('/admin');
  const card = (name: string) => page.getByRole('region', { name });
  await expect(card('Recent Orders')).toContainText('No orders yet');
  await expect(card('Low Stock')).toContainText('No active product is low on stock');
  for (const name of ['Revenue and Orders', 'Best Sellers'])
    await expect(card(name)).toContainText('This could not be loaded.');
  sales = { status: 200, json: { success: true, data: { days, bestSellers: [] } } };
  await card('Revenue and Orders').getByRole('button', { name: 'Try again' }).click();
  await expect(card('Revenue and Orders')).toContainText('$0.00 revenue0 orders');
  await expect(card('Best Sellers')).toContainText('Nothing was sold in this period');
});

test('a user who is no longer an administrator is redirected to the home page when the dashboard loads', async ({
  page,
  admin: _,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/admin/stats', 403);
  const json = { success: false, code: 'FORBIDDEN', message: 'Access denied. Administrator privileges required.' };
  await page.route('/api/admin/stats', (route) => route.fulfill({ status: 403, json }));
  await page.goto('/admin');
  await expect(page).toHaveURL('/');
});

const statsOf = async (response: Response): Promise<AdminStats> => (await response.json()).data;

test('the dashboard of a public demo says that it is read-only, and its overview has no accessibility violation', async ({
  page,
  admin: _,
}) => {
  // The page's HTML carries the shop's settings; /api/shop returns the same where it does not.
  await page.route(/\/(admin|api\/shop)$/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace('"publicDemo":false', '"publicDemo":true');
    await route.fulfill({ response: answer, body });
  });
  await page.goto('/admin');
  await expect(page.getByText(READ_ONLY)).toBeVisible();
  const card = (name: string) => page.getByRole('region', { name });
  await expect(card('Recent Orders').getByRole('listitem')).toHaveCount(5);
  await expect(card('Best Sellers').getByRole('listitem')).toHaveCount(5);
  await expect(card('Low Stock').getByRole('listitem').first()).toBeVisible();
  await expect(card('Revenue and Orders').locator('.recharts-bar-rectangle').first()).toBeAttached();
  await looksRightEverywhere(page);
});
