import { type BrowserContext, test as base, expect, type Page, type Route } from '@playwright/test';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { type Complaints, collectComplaints } from './complaints.ts';
import { type RealShop, startRealShop } from './real-shop.ts';
import { isBeforeTheShop, leaveInStorage } from './steps.ts';

// Playwright asks for a stack at every call, and maps it by source maps. Node runs these files as they are written.
Reflect.deleteProperty(Error, 'prepareStackTrace');

type StockUp = (overrides?: Parameters<typeof makeProduct>[1]) => Promise<MadeProduct>;

export interface TestFixtures {
  complaints: Complaints;
  /** Whether the products of earlier tests are hidden. */
  hasShortLists: boolean;
  /** A product of this test alone; $10.00 and one key in stock unless said otherwise. */
  stockUp: StockUp;
  /** The same for a test that looks for it in a list, which may take a second. */
  stockShelf: StockUp;
  /** A customer of this test alone, with the password TEST_PASSWORD. */
  customer: UserRow;
  /** An administrator of this test alone, as whom its `page` is signed in. */
  admin: UserRow;
  /** Signs a page in as such a customer, as an earlier visit would have. */
  signedIn: (page: Page, user: UserRow) => Promise<void>;
  /** A page in a browser that has never been here before, which shares nothing with the test's `page`. */
  otherBrowser: () => Promise<Page>;
  /** Whether the page stays covered for its first second; a test about the page itself need not wait for that. */
  hasSplash: boolean;
}

/** Hides the splash, so that a test need not wait for the page behind it. */
async function liftSplash(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('#splash { display: none }');
    document.adoptedStyleSheets.push(sheet);
  });
}

const PROBE = '/favicon.svg?is-intercepted';

/**
 * Chromium confirms an interception before its page applies it, so the first request after a new route may bypass the
 * route. Each route of a loaded page is ready once a request of the page itself was intercepted.
 */
function awaitInterception(page: Page): void {
  const route = page.route.bind(page);
  page.route = async (...args) => {
    const disposable = await route(...args);
    if (isBeforeTheShop(page)) return disposable;
    const answer = (probe: Route) => probe.fulfill({ status: 204 });
    await route(`**${PROBE}`, answer);
    await expect
      .poll(() => page.evaluate(async (path) => (await fetch(path)).status, PROBE), { intervals: [20] })
      .toBe(204);
    await page.unroute(`**${PROBE}`, answer);
    return disposable;
  };
}

/**
 * A closed modal is removed from the browser's history a moment later, and this traversal would cancel a page.goto() that
 * has just begun.
 */
function awaitTraversal(page: Page): void {
  const goto = page.goto.bind(page);
  page.goto = async (...args) => {
    if (isBeforeTheShop(page)) return goto(...args);
    await page.waitForFunction(
      () => (window.history.state?.modals ?? 0) === document.querySelectorAll('dialog[open]').length,
    );
    return goto(...args);
  };
}

/** The catalogue's answers are kept for a second: a page made of an older one would not have the product. */
async function isListed(url: string, id: string): Promise<boolean> {
  for (const sort of ['featured', 'newest']) {
    const answer = await fetch(`${url}/api/digital-products?sort=${sort}`);
    const { data, nextCursor } = (await answer.json()) as { data: { _id: string }[]; nextCursor: string | null };
    if (nextCursor === null && !data.some(({ _id }) => _id === id)) return false;
  }
  return true;
}

/** Hides the products of earlier tests: every list with them would be drawn with a hundred cards and not with forty. */
const hideEarlierProducts = ({ db, startedAt }: RealShop) =>
  db
    .updateTable('products')
    .set({ is_active: false })
    .where('is_active', '=', true)
    .where('created_at', '>=', startedAt)
    .execute();

export const test = base.extend<TestFixtures, { shop: RealShop }>({
  shop: [
    async ({ browserName: _ }, use) => {
      const shop = await startRealShop();
      await use(shop);
      await shop.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],

  baseURL: ({ shop }, use) => use(shop.url),

  hasShortLists: [
    async ({ shop }, use) => {
      await hideEarlierProducts(shop);
      await use(true);
    },
    { auto: true },
  ],

  complaints: [
    async ({ browserName: _ }, use) => {
      const complaints = collectComplaints();
      await use(complaints);
      expect(complaints.unexpected()).toEqual([]);
    },
    { auto: true },
  ],

  hasSplash: [false, { option: true }],

  context: async ({ context, complaints, hasSplash }, use) => {
    complaints.watch(context);
    if (!hasSplash) await liftSplash(context);
    await use(context);
  },

  page: async ({ page }, use) => {
    awaitInterception(page);
    awaitTraversal(page);
    await use(page);
  },

  stockUp: ({ shop }, use) =>
    use((overrides) => makeProduct(shop, { image: '/demo/covers/ember-reach.svg', ...overrides })),

  stockShelf: ({ shop, stockUp }, use) =>
    use(async (overrides) => {
      const product = await stockUp(overrides);
      await expect.poll(() => isListed(shop.url, product.id), { intervals: [100] }).toBe(true);
      return product;
    }),

  customer: async ({ shop }, use) => use(await makeUser(shop)),

  signedIn: ({ shop }, use) =>
    use(async (page, { email }) => {
      const { body } = await createShopper(shop.url).signIn(email, TEST_PASSWORD);
      await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
    }),

  admin: async ({ shop, page, signedIn }, use) => {
    const admin = await makeUser(shop, { role: 'admin', name: 'The Admin' });
    await signedIn(page, admin);
    await use(admin);
  },

  otherBrowser: async ({ browser, shop, complaints, hasSplash }, use) => {
    const opened: BrowserContext[] = [];
    await use(async () => {
      const context = await browser.newContext({ baseURL: shop.url });
      opened.push(context);
      complaints.watch(context);
      if (!hasSplash) await liftSplash(context);
      return context.newPage();
    });
    for (const context of opened) await context.close();
  },
});
