import { randomUUID } from 'node:crypto';
import { type BrowserContext, expect, type Page } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { CARDS } from '../shopper.ts';

export const PASSWORD = 'a-password-of-mine';

export const newEmail = (): string => `buyer-${randomUUID().slice(0, 8)}@example.com`;

export interface CartEntry {
  product: MadeProduct;
  quantity?: number;
}

/**
 * Has the whole frame of the shop, for visitors and customers alike. A test that is about the header or the cart, not about
 * what home lists, starts here: home draws a picture for each of its products, which costs as much again as all the rest.
 */
export const LIGHT_PAGE = '/info/support';

/** Writes browser storage as an earlier visit would have left it. */
export async function leaveInStorage(page: Page, values: Record<string, string>): Promise<void> {
  // A page of this origin that runs nothing of the shop, and whose icon the browser need not look for.
  const blank = { contentType: 'text/html', body: '<link rel="icon" href="data:,">' };
  await page.route('/left-behind', (route) => route.fulfill(blank));
  await page.goto('/left-behind');
  await page.evaluate((entries) => {
    for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
  }, values);
  await page.unroute('/left-behind');
}

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

/** The card form is loaded apart from its page. */
export const seesCardForm = (page: Page) => expect(page.getByLabel('Card number')).toBeVisible();

export async function fillContact(
  page: Page,
  { name = 'Aminah Yusof', email }: { name?: string; email: string },
): Promise<void> {
  await page.getByLabel('Full Name').fill(name);
  await page.getByLabel('Email').fill(email);
  await choosePassword(page);
}

export async function choosePassword(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel(/^(New )?Password$/).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
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

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** What the shop says about the payment as a whole. */
export const problem = (page: Page) => page.locator('form').getByRole('alert');

/** Sees the success screen, and these texts on it. */
export async function seesSuccess(page: Page, ...texts: string[]): Promise<void> {
  const parts = [page.getByRole('heading', { name: 'Order Successful' }), ...texts.map((text) => page.getByText(text))];
  // It stands for 2 s: all are looked for at the same time, and at every frame, where expect() looks once a second.
  await Promise.all(parts.map((part) => part.first().waitFor({ timeout: 30_000 })));
}

/** From the success screen, which leads on by itself, to the delivered items. */
export async function openItems(page: Page): Promise<void> {
  await expect(page).toHaveURL('/orders');
  await page.getByRole('link', { name: /^View Items/ }).click();
  await expect(page.getByRole('heading', { name: /^Order #/ })).toBeVisible();
}

/** Shows the first delivered item and answers it. */
export async function readKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Show item 1' }).click();
  await expect(page.getByRole('button', { name: 'Hide item 1' })).toBeVisible();
  return (await page.getByRole('code').textContent()) ?? '';
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click();
}

export const stored = (page: Page, key: string): Promise<string | null> =>
  page.evaluate((name) => localStorage.getItem(name), key);

/** Keeps the page's call from leaving until it is let go; `made` once the page has made it. */
export async function holdBack(page: Page | BrowserContext, path: string) {
  const [made, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(path, async (route) => {
    made.resolve();
    await letGo.promise;
    await route.fallback();
  });
  return { made: made.promise, letGo: letGo.resolve };
}
