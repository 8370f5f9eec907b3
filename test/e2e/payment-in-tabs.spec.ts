import { expect, type Page } from '@playwright/test';
import type { MadeProduct } from '../factories.ts';
import { test } from './fixtures.ts';
import { listPayments } from './ledger.ts';
import { choosePassword, fillContact, newEmail, openCheckout, pay, seesSuccess, stored } from './steps.ts';

const GUEST_ORDER_CALL = '**/api/digital-orders/guest';

/** Keeps the page's call from leaving until it is let go; `made` once the page has made it. */
async function holdBack(page: Page, path: string) {
  const [made, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(path, async (route) => {
    made.resolve();
    await letGo.promise;
    await route.fallback();
  });
  return { made: made.promise, letGo: letGo.resolve };
}

async function addToCart(page: Page, { id, name }: MadeProduct): Promise<void> {
  await page.goto(`/digital-product/${id}`);
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(name);
}

async function unitsInCart(page: Page): Promise<Record<string, number>> {
  const entries: { product: { name: string }; quantity: number }[] = JSON.parse(
    (await stored(page, 'guestCart')) ?? '[]',
  );
  return Object.fromEntries(entries.map(({ product, quantity }) => [product.name, quantity]));
}

test('what is added in another tab during a payment is neither shown as paid nor lost', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const email = newEmail();
  const [paid, later] = [await stockUp({ items: 5 }), await stockUp({ price_cents: 1799 })];
  await openCheckout(page, [{ product: paid }]);
  await fillContact(page, { email });
  const call = await holdBack(page, GUEST_ORDER_CALL);
  await pay(page);
  await call.made;
  const tab = await context.newPage();
  await addToCart(tab, later);
  await addToCart(tab, paid);

  const header = page.getByRole('banner');
  await expect(header.getByRole('button', { name: 'Shopping cart, 3 items' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('1 × $10.00');
  await expect(page.getByRole('main')).toContainText('Total$10.60');
  await expect(page.getByRole('main')).not.toContainText(later.name);
  call.letGo();
  await seesSuccess(page);
  await expect.poll(() => unitsInCart(page)).toEqual({ [later.name]: 1, [paid.name]: 1 });
  await expect(header.getByRole('button', { name: 'Shopping cart, 2 items' })).toBeVisible();
  expect(await listPayments(shop, email)).toMatchObject([{ captured_cents: 1060 }]);
});

test('nor is it lost when the page is loaded anew while it pays', async ({ page, context, stockUp }) => {
  const [paid, later] = [await stockUp(), await stockUp()];
  await openCheckout(page, [{ product: paid }]);
  await fillContact(page, { email: newEmail() });
  const call = await holdBack(page, GUEST_ORDER_CALL);
  await pay(page);
  await call.made;
  await addToCart(await context.newPage(), later);
  await page.reload();
  await choosePassword(page);
  await page.getByRole('button', { name: 'Finish order' }).click();
  await seesSuccess(page);
  await expect.poll(() => unitsInCart(page)).toEqual({ [later.name]: 1 });
});
