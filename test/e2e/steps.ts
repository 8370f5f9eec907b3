import { randomUUID } from 'node:crypto';
import { type BrowserContext, expect, type Page, type Route } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { CARDS } from '../shopper.ts';

export const PASSWORD = 'a-password-of-mine';

export const newEmail = (): string => `buyer-${randomUUID().slice(0, 8)}@example.com`;

export interface CartEntry {
  product: MadeProduct;
  quantity?: number;
}

/**
 * A page with the whole frame of the shop, for visitors and customers. A test of the header or the cart starts here and
 * not on home, whose product pictures cost as much again as all the rest.
 */
export const LIGHT_PAGE = '/info/support';

// A file of the shop that opens as a page without scripts.
const BLANK_PAGE = '/robots.txt';

/** Writes browser storage as an earlier visit would have left it. */
export async function leaveInStorage(page: Page, values: Record<string, string>): Promise<void> {
  if (!page.url().endsWith(BLANK_PAGE)) await page.goto(BLANK_PAGE);
  await page.evaluate((entries) => {
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, values);
}

/** Whether the page has not opened a page of the shop yet. */
export const isBeforeTheShop = (page: Page): boolean =>
  !page.url().startsWith('http') || page.url().endsWith(BLANK_PAGE);

export const savedCart = (cart: CartEntry[]): string =>
  JSON.stringify(
    cart.map(({ product, quantity = 1 }) => ({
      product: {
        _id: product.id,
        name: product.name,
        image: '/demo/covers/ember-reach.svg',
        price: product.price,
        stock: product.keys.length,
      },
      quantity,
    })),
  );

/** Opens the checkout with a cart that an earlier visit filled. */
export async function openCheckout(page: Page, cart: CartEntry[]): Promise<void> {
  await leaveInStorage(page, { guestCart: savedCart(cart) });
  await page.goto('/checkout');
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
}

/** Waits for the card form, which is loaded separately from its page. */
export const seesCardForm = (page: Page) => expect(page.getByLabel('Card number')).toBeVisible();

export async function fillContact(
  page: Page,
  { name = 'Aminah Yusof', email }: { name?: string; email: string },
): Promise<void> {
  await page.getByLabel('Full Name').fill(name);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await choosePassword(page);
}

export async function choosePassword(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel(/^(New )?Password$/).fill(password);
  await page.getByLabel(/^Confirm( New)? Password$/).fill(password);
}

export async function fillCard(page: Page, number: string = CARDS.good): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel('Expiry date').fill('12 / 40');
  await page.getByLabel('Security code').fill('123');
}

export const payButton = (page: Page) => page.getByRole('button', { name: /^Pay \$/ });

export async function pay(page: Page, number?: string): Promise<void> {
  await fillCard(page, number);
  await payButton(page).click();
}

/** The path of the dashboard's list of digital products whose names contain `q`. The whole list costs as much as all the rest. */
export const productList = (q: string, more: Record<string, string> = {}): string =>
  `/admin?${new URLSearchParams({ tab: 'digital', q, ...more })}`;

/** The path of a dialog above the list with its product alone. */
export const productDialog = (dialog: 'stock' | 'edit', { id, name }: Pick<MadeProduct, 'id' | 'name'>): string =>
  productList(name, { dialog, product: id });

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** The message about the payment as a whole. */
export const problem = (page: Page) => page.locator('form').getByRole('alert');

/** Expects the success screen with these texts. */
export async function seesSuccess(page: Page, ...texts: string[]): Promise<void> {
  const parts = [page.getByRole('heading', { name: 'Order Successful' }), ...texts.map((text) => page.getByText(text))];
  // The screen is shown for 2 s: waitFor() looks for all parts at once and in every frame, expect() only once a second.
  await Promise.all(parts.map((part) => part.first().waitFor({ timeout: 30_000 })));
}

/** Expects the screen for an order that the shop does not confirm. The page's clock is set forward past all retries. */
export async function seesSafePayment(page: Page): Promise<void> {
  const heading = page.getByRole('heading', { name: 'Your payment is safe' });
  await expect(async () => {
    await page.clock.runFor(8000);
    await expect(heading).toBeVisible({ timeout: 500 });
  }).toPass();
}

/** Goes from the success screen, which redirects by itself, to the delivered items. */
export async function openItems(page: Page): Promise<void> {
  await expect(page).toHaveURL('/orders');
  await page.getByRole('link', { name: /^View Items/ }).click();
  await expect(page.getByRole('heading', { name: /^Order #/ })).toBeVisible();
}

/** Shows the first delivered item and returns its content. */
export async function readKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show item 1' }).click();
  await expect(page.getByRole('button', { name: 'Hide item 1' })).toBeVisible();
  return (await page.getByRole('code').textContent()) ?? '';
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
}

/** Waits for the responses to the page's calls. The shop would refuse them if the session ended before. */
export async function awaitCalls(page: Page): Promise<void> {
  for (let answered = -1; ; ) {
    const calls = (await page.requests()).filter((request) => new URL(request.url()).pathname.startsWith('/api/'));
    if (calls.length === answered) return;
    await Promise.all(calls.map((call) => call.response()));
    answered = calls.length;
  }
}

/** Logs out once the screen has what it asked for: the server would refuse the rest, and the browser complain about that. */
export async function logOut(page: Page): Promise<void> {
  await awaitCalls(page);
  await page.getByRole('button', { name: 'Logout' }).click();
}

export const stored = (page: Page, key: string): Promise<string | null> =>
  page.evaluate((name) => localStorage.getItem(name), key);

/** For page.route(): breaks the connection of a call that writes. */
export const breakSave = (route: Route) =>
  route.request().method() === 'GET' ? route.fallback() : route.abort('connectionreset');

/** Holds a call of the page back until letGo(); `made` resolves once the page has made the call. */
export async function holdBack(page: Page | BrowserContext, path: string) {
  const [made, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(path, async (route) => {
    made.resolve();
    await letGo.promise;
    await route.fallback();
  });
  return { made: made.promise, letGo: letGo.resolve };
}

/** Accepts the browser's own questions, and returns their types as they are asked, e.g. `beforeunload`. */
export function acceptQuestions(page: Page): string[] {
  const asked: string[] = [];
  page.on('dialog', async (question) => {
    asked.push(question.type());
    await question.accept();
  });
  return asked;
}

/** Shows the tab again after a minute; the dashboard then reloads data older than 30 seconds. Needs `page.clock`. */
export async function returnToTab(page: Page): Promise<void> {
  await page.clock.fastForward(60_000);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}
