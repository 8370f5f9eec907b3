import { expect, type Page } from '@playwright/test';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { type MadeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { test as base } from './fixtures.ts';
import {
  awaitCalls,
  type CartEntry,
  fillCard,
  fillContact,
  LIGHT_PAGE,
  leaveInStorage,
  logOut,
  newEmail,
  pay,
  payButton,
  problem,
  savedCart,
  seesSuccess,
  signIn,
  stored,
} from './steps.ts';

interface Parts {
  /** Returns the cart of the customer's account: the units of each product by its name. */
  inAccount: () => Promise<Record<string, number>>;
  putIntoAccount: (cart: CartEntry[]) => Promise<void>;
}

const test = base.extend<Parts>({
  inAccount: ({ shop, customer }, use) =>
    use(async () => {
      const rows = await shop.db
        .selectFrom('cart_entries')
        .innerJoin('products', 'products.id', 'product_id')
        .select(['name', 'quantity'])
        .where('user_id', '=', customer.id)
        .execute();
      return Object.fromEntries(rows.map(({ name, quantity }) => [name, quantity]));
    }),

  putIntoAccount: ({ shop, customer }, use) =>
    use(async (cart) => {
      const entries = cart.map(({ product, quantity = 1 }) => ({
        user_id: customer.id,
        product_id: product.id,
        quantity,
        added_at: new Date(),
      }));
      await shop.db.insertInto('cart_entries').values(entries).execute();
    }),
});

const cartButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Shopping cart/ });

async function holds(page: Page, items: number): Promise<void> {
  const words = `Shopping cart, ${items} ${items === 1 ? 'item' : 'items'}`;
  await expect(cartButton(page)).toHaveAccessibleName(words);
}

async function logIn(page: Page, { email }: UserRow): Promise<void> {
  await page.goto('/login');
  await signIn(page, { email, password: TEST_PASSWORD });
  await expect(page.getByRole('button', { name: 'Logout' })).toBeVisible();
}

const step = (page: Page, way: 'Increase' | 'Decrease', { name }: MadeProduct) =>
  page.getByRole('dialog').getByRole('button', { name: `${way} quantity of ${name}` });

const remove = (page: Page, { name }: MadeProduct) =>
  page
    .getByRole('dialog')
    .getByRole('button', { name: `Remove ${name}` })
    .click();

test('a sign-in merges both carts with the larger quantity of each product, capped at the stock', async ({
  page,
  customer,
  stockUp,
  inAccount,
  putIntoAccount,
}) => {
  const [here, there, both, scarce] = [
    await stockUp({ items: 5 }),
    await stockUp({ items: 5 }),
    await stockUp({ items: 5 }),
    await stockUp({ items: 2 }),
  ];
  await putIntoAccount([
    { product: there, quantity: 2 },
    { product: both, quantity: 3 },
    { product: scarce, quantity: 4 },
  ]);
  await leaveInStorage(page, {
    guestCart: savedCart([{ product: here }, { product: both, quantity: 2 }, { product: scarce }]),
  });
  await logIn(page, customer);
  await holds(page, 1 + 2 + 3 + 2);
  await expect.poll(inAccount).toEqual({ [here.name]: 1, [there.name]: 2, [both.name]: 3, [scarce.name]: 2 });
});

test('a cart change on one device shows on the other: add, increase, decrease, remove', async ({
  page,
  otherBrowser,
  customer,
  signedIn,
  stockUp,
  inAccount,
}) => {
  const [kept, dropped, added] = [await stockUp({ items: 5 }), await stockUp({ items: 5 }), await stockUp()];
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product: kept, quantity: 2 }, { product: dropped }]) });
  await page.goto(LIGHT_PAGE);
  await expect.poll(inAccount).toEqual({ [kept.name]: 2, [dropped.name]: 1 });
  const other = await otherBrowser();
  await signedIn(other, customer);
  await other.goto(LIGHT_PAGE);
  await holds(other, 3);

  await cartButton(page).click();
  await step(page, 'Increase', kept).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Remove ${dropped.name}` })
    .click();
  await expect.poll(inAccount).toEqual({ [kept.name]: 3 });
  await other.reload();
  await holds(other, 3);

  await cartButton(other).click();
  // The cart from before has three items, too.
  const line = other.getByRole('dialog').getByRole('listitem').filter({ hasText: kept.name });
  await expect(line.getByRole('status')).toHaveText('Quantity 3');
  await step(other, 'Decrease', kept).click();
  await step(other, 'Decrease', kept).click();
  await expect.poll(inAccount).toEqual({ [kept.name]: 1 });
  await other.goto(`/digital-product/${added.id}`);
  await other.getByRole('button', { name: 'Add to Cart' }).click();
  await expect.poll(inAccount).toEqual({ [kept.name]: 1, [added.name]: 1 });
  // What the page sees when its user returns from another window.
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await holds(page, 2);
});

test('rapid quantity changes are merged into fewer calls, and the last quantity is saved', async ({
  page,
  customer,
  signedIn,
  stockUp,
  inAccount,
}) => {
  const product = await stockUp({ items: 20 });
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  await page.goto(LIGHT_PAGE);
  await expect.poll(inAccount).toEqual({ [product.name]: 1 });
  let calls = 0;
  const isPressed = Promise.withResolvers<void>();
  await page.route(`/api/users/cart/${product.id}`, async (route) => {
    calls += 1;
    await isPressed.promise;
    await route.continue();
  });
  await cartButton(page).click();
  for (let press = 0; press < 10; press += 1) await step(page, 'Increase', product).click();
  await holds(page, 11);
  isPressed.resolve();
  await expect.poll(inAccount).toEqual({ [product.name]: 11 });
  expect(calls).toBeLessThan(10);
});

test('concurrent cart changes in two tabs reach both tabs and the account', async ({
  page,
  context,
  customer,
  signedIn,
  stockUp,
  inAccount,
}) => {
  const [one, two] = [await stockUp({ items: 9 }), await stockUp({ items: 9 })];
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product: one }, { product: two }]) });
  const tab = await context.newPage();
  for (const each of [page, tab]) {
    await each.goto(LIGHT_PAGE);
    await cartButton(each).click();
  }
  for (let press = 0; press < 3; press += 1) {
    await step(page, 'Increase', one).click();
    await step(tab, 'Increase', two).click();
  }
  await step(tab, 'Decrease', one).click();
  await remove(page, two);
  await expect.poll(inAccount).toEqual({ [one.name]: 3 });
  for (const each of [page, tab]) await holds(each, 3);
});

test('a line that one tab removes stays removed while another tab waits for the response of the account', async ({
  page,
  context,
  customer,
  signedIn,
  stockUp,
  inAccount,
}) => {
  const [one, two] = [await stockUp(), await stockUp()];
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product: one }, { product: two }]) });
  const maySend = Promise.withResolvers<void>();
  await page.route('/api/users/cart/*', async (route) => {
    await maySend.promise;
    await route.continue();
  });
  await page.goto(LIGHT_PAGE);
  const tab = await context.newPage();
  const [asked, mayHear] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await tab.route('/api/users/cart', async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await mayHear.promise;
    await route.fulfill({ response });
  });
  await tab.goto(LIGHT_PAGE);
  const waiting = () => tab.evaluate(async () => (await navigator.locks.query()).pending?.length);
  await expect.poll(waiting).toBe(1);
  maySend.resolve();
  await asked.promise;
  await cartButton(page).click();
  await remove(page, two);
  await holds(page, 1);
  mayHear.resolve();
  await expect.poll(inAccount).toEqual({ [one.name]: 1 });
  for (const each of [page, tab]) await holds(each, 1);
});

test('a tab with an outdated cart does not restore a line that another tab removed', async ({
  page,
  context,
  customer,
  signedIn,
  stockUp,
  inAccount,
}) => {
  const [one, two] = [await stockUp({ items: 9 }), await stockUp()];
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product: one }, { product: two }]) });
  await page.goto(LIGHT_PAGE);
  await expect.poll(inAccount).toEqual({ [one.name]: 1, [two.name]: 1 });
  await expect.poll(() => stored(page, 'guestCart')).toContain('keptQuantity');
  const tab = await context.newPage();
  await tab.goto(LIGHT_PAGE);
  await holds(tab, 2);
  const asItWas = (await stored(tab, 'guestCart')) ?? '';
  await cartButton(page).click();
  await remove(page, two);
  await expect.poll(inAccount).toEqual({ [one.name]: 1 });
  // Storage changes reach other tabs with a delay, so on a busy machine the other tab may still write its old cart.
  await tab.evaluate((cart) => localStorage.setItem('guestCart', cart), asItWas);
  for (const each of [page, tab]) await holds(each, 1);
  await step(page, 'Increase', one).click();
  await expect.poll(inAccount).toEqual({ [one.name]: 2 });
  for (const each of [page, tab]) await holds(each, 2);
});

test('a logout removes the cart from the browser, and a login restores it', async ({
  page,
  customer,
  stockUp,
  inAccount,
}) => {
  const product = await stockUp({ items: 3 });
  await leaveInStorage(page, { guestCart: savedCart([{ product, quantity: 2 }]) });
  await logIn(page, customer);
  await expect.poll(inAccount).toEqual({ [product.name]: 2 });
  await expect.poll(() => stored(page, 'guestCart')).toContain('keptQuantity');
  await logOut(page);
  await holds(page, 0);
  expect(await inAccount()).toEqual({ [product.name]: 2 });
  await logIn(page, customer);
  await holds(page, 2);
});

test('an ended session keeps the cart in the browser, but another user who signs in does not get it', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
  putIntoAccount,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/me', 401);
  const product = await stockUp();
  await putIntoAccount([{ product }]);
  await signedIn(page, customer);
  await page.goto(LIGHT_PAGE);
  await holds(page, 1);
  await awaitCalls(page);
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', customer.id).execute();
  await page.reload();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign In' })).toBeVisible();
  await holds(page, 1);
  await logIn(page, await makeUser(shop));
  await holds(page, 0);
});

test('a session that ends at Pay keeps the cart, and its owner can buy as a guest', async ({
  page,
  shop,
  customer,
  signedIn,
  stockUp,
  putIntoAccount,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/digital-orders/create-payment-intent', 401);
  await putIntoAccount([{ product: await stockUp() }]);
  await signedIn(page, customer);
  await page.goto(LIGHT_PAGE);
  await holds(page, 1);
  await page.goto('/checkout');
  await fillCard(page);
  await awaitCalls(page);
  await shop.db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', customer.id).execute();
  await payButton(page).click();
  await expect(problem(page)).toHaveText('Your session has ended. Sign in again, or go on as a guest.');
  expect(await stored(page, 'token')).toBeNull();
  await holds(page, 1);
  await fillContact(page, { email: newEmail() });
  await payButton(page).click();
  await seesSuccess(page, 'Account Created');
});

test('a purchase removes the bought lines here and in the account, but no line that another device added', async ({
  page,
  otherBrowser,
  customer,
  signedIn,
  stockUp,
  inAccount,
  putIntoAccount,
}) => {
  const [product, second, added] = [await stockUp(), await stockUp(), await stockUp()];
  await signedIn(page, customer);
  await leaveInStorage(page, { guestCart: savedCart([{ product }, { product: second }]) });
  await page.goto(LIGHT_PAGE);
  await expect.poll(inAccount).toEqual({ [product.name]: 1, [second.name]: 1 });
  const other = await otherBrowser();
  await signedIn(other, customer);
  await other.goto(LIGHT_PAGE);
  await holds(other, 2);

  const isRead = page.waitForResponse('/api/users/cart');
  await page.goto('/checkout');
  await isRead;
  await putIntoAccount([{ product: added }]);
  await pay(page);
  await seesSuccess(page);
  await holds(page, 0);
  await expect.poll(inAccount).toEqual({ [added.name]: 1 });
  await other.reload();
  await holds(other, 1);
});

test('a cart change that failed to sync is sent with the next change, without a message', async ({
  page,
  customer,
  signedIn,
  stockUp,
  inAccount,
  complaints,
}) => {
  complaints.expectBrokenConnection(/^\/api\/users\/cart/);
  const product = await stockUp({ items: 9 });
  await signedIn(page, customer);
  await page.route('/api/users/cart**', (route) => route.abort('connectionreset'));
  await page.route('/api/users/cart/**', (route) => route.abort('connectionreset'));
  await leaveInStorage(page, { guestCart: savedCart([{ product }]) });
  const failed = page.waitForEvent('requestfailed');
  await page.goto(LIGHT_PAGE);
  await failed;
  await cartButton(page).click();
  await step(page, 'Increase', product).click();
  await holds(page, 2);
  expect(await page.getByRole('region', { name: 'Notifications' }).getByRole('listitem').count()).toBe(0);
  expect(await inAccount()).toEqual({});

  await page.unrouteAll();
  await step(page, 'Increase', product).click();
  await expect.poll(inAccount).toEqual({ [product.name]: 3 });
});
