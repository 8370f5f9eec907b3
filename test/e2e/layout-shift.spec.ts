import { expect, type Page } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import type { DeliveredItems } from '../../src/shared/orders.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { holdBack, LIGHT_PAGE, leaveInStorage, savedCart } from './steps.ts';

// Pages load as every visitor sees them, with the splash.
test.use({ hasSplash: true });

/** Records the shifts that the browser reports for the Cumulative Layout Shift. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Reflect.set(window, 'shifts', shifts);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources = [] } = entry as PerformanceEntry & {
          value: number;
          sources?: { node: Element | null }[];
        };
        const moved = sources.map(({ node }) => `${node?.nodeName} "${node?.textContent?.slice(0, 30)}"`);
        shifts.push(`${value.toFixed(4)}: ${moved.join(', ')}`);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

const shiftsOf = (page: Page) => page.evaluate(() => Reflect.get(window, 'shifts') as string[]);

/** Delays the pictures, the typeface, the screens and the calls, each by another time. */
async function arriveLate(page: Page): Promise<void> {
  const late = (pattern: RegExp, delayMs: number) =>
    page.route(pattern, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await route.continue();
    });
  await late(/\/demo\/covers\//, 300);
  await late(/\.woff2$/, 1500);
  await late(/-screen-[^/]*\.js$/, 500);
  await late(/\/api\//, 700);
}

async function hasSettled(page: Page): Promise<void> {
  await expect(page.locator('#splash')).toHaveCount(0);
  await page.waitForLoadState('networkidle');
  await page.evaluate(() => document.fonts.ready);
}

for (const [device, viewport] of [
  ['a phone', { width: 360, height: 780 }],
  ['a tablet', { width: 820, height: 1180 }],
  ['a desk', { width: 1440, height: 900 }],
] as const) {
  test(`nothing on home moves while it loads, on ${device}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await watchShifts(page);
    await arriveLate(page);
    await page.goto('/');
    await expect(page.getByRole('article').first()).toBeVisible();
    await hasSettled(page);
    expect(await shiftsOf(page)).toEqual([]);
  });

  test(`nothing on the screens of one form moves while they load, on ${device}`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await watchShifts(page);
    await arriveLate(page);
    for (const path of ['/login', '/register', '/claim', '/forgot-password', '/find-order']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await hasSettled(page);
      expect([path, ...(await shiftsOf(page))]).toEqual([path]);
    }
  });

  test(`nothing on a customer's own screens moves while they load, on ${device}`, async ({
    page,
    shop,
    customer,
    signedIn,
    stockUp,
  }) => {
    await page.setViewportSize(viewport);
    const bought = await stockUp({ items: 2, warranty_days: 30 });
    const order = await buyAsCustomer(shop, customer, [{ product: bought, quantity: 2 }]);
    const buyer = createShopper(shop.url);
    await buyer.signIn(customer.email, TEST_PASSWORD);
    const { body } = await buyer.get(`/api/digital-orders/${order}/items`);
    const { items } = body.data as unknown as DeliveredItems;
    const report = { order, item: items[0]?.items[0]?.id, problem: 'used', text: 'It is used.', draft: uuidv7() };
    expect((await buyer.post('/api/problem-reports', report)).status).toBe(201);
    await signedIn(page, customer);
    await leaveInStorage(page, { guestCart: savedCart([{ product: await stockUp() }]) });
    await watchShifts(page);
    await arriveLate(page);
    const ofOrder = [`/orders/${order}`, `/order-items/${order}`];
    for (const path of ['/checkout', '/orders', ...ofOrder, '/profile', '/2fa-setup']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await hasSettled(page);
      expect([path, ...(await shiftsOf(page))]).toEqual([path]);
    }
  });
}

test('the controls above a list of the dashboard stay in their places while it loads', async ({
  page,
  shop,
  customer,
  stockUp,
  admin: _,
}) => {
  // Makes an unread notification.
  await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 844 });
    for (const [tab, path, count] of [
      ['problem-reports', 'problem-reports', /^\d+ not closed$/],
      ['notifications', 'notices', /^\d+ in the last 90 days$/],
    ] as const) {
      const list = await holdBack(page, `**/api/admin/${path}*`);
      await page.goto(`/admin?tab=${tab}`);
      const controls = [page.getByRole('combobox', { name: 'Show' }), page.getByRole('searchbox')];
      const places = () => Promise.all(controls.map((control) => control.boundingBox()));
      await list.made;
      const before = await places();
      list.letGo();
      await expect(page.getByText(count)).toBeVisible();
      expect([width, tab, ...(await places())]).toEqual([width, tab, ...before]);
    }
  }
});

test('the measurement detects an element that moves', async ({ page }) => {
  await watchShifts(page);
  await page.goto(LIGHT_PAGE);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await hasSettled(page);
  await page.evaluate(async () => {
    // Only what has been painted can move.
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
    const bar = document.createElement('p');
    bar.style.height = '200px';
    document.getElementById('content')?.prepend(bar);
  });
  await expect.poll(() => shiftsOf(page)).not.toEqual([]);
});

test('a closing drawer stays in place in a browser that takes it out of the top layer at once, as Safari does', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('dialog { transition-property: opacity, translate, display !important }');
    document.adoptedStyleSheets.push(sheet);
  });
  await page.setViewportSize({ width: 390, height: 600 });
  await page.goto(LIGHT_PAGE);
  await hasSettled(page);
  await page.evaluate(() => window.scrollTo(0, 100));
  // click() would scroll to the button.
  await page.getByRole('button', { name: 'Shopping cart, 0 items' }).dispatchEvent('click');
  const drawer = page.getByRole('dialog', { name: 'Shopping Cart' });
  await expect(drawer).toBeVisible();
  const closing = await drawer.evaluate(async (dialog) => {
    for (const opening of dialog.getAnimations()) opening.finish();
    dialog.querySelector<HTMLElement>('[aria-label="Close"]')?.click();
    for (const animation of dialog.getAnimations()) animation.pause();
    // It leaves the top layer with the next frame.
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
    const { top } = dialog.getBoundingClientRect();
    const { scrollWidth } = document.documentElement;
    return { scrollY: window.scrollY, isShown: dialog.checkVisibility(), top, scrollWidth };
  });
  expect(closing).toEqual({ scrollY: 100, isShown: true, top: 0, scrollWidth: 390 });
});
