import { expect, type Locator } from '@playwright/test';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { beyondTheEdge, fitsWithLargeText } from './looks-right.ts';
import { leaveInStorage, press, productList, savedCart } from './steps.ts';

const LARGEST = { price_cents: 9_999_999 };

/** The widths by which the contents of elements are cut off. */
const cutOff = (elements: Locator) =>
  elements.evaluateAll((those) => those.map((one) => one.scrollWidth - one.clientWidth).filter((width) => width > 0));

const widthOf = async (text: Locator) => (await text.boundingBox())?.width ?? 0;

test('the largest price is shown in full on a phone whose text is twice as large', async ({
  page,
  shop,
  stockShelf,
  customer,
  signedIn,
}) => {
  const product = await stockShelf({ ...LARGEST, items: 3, discount_type: 'percentage', discount_basis_points: 1000 });
  const order = await buyAsCustomer(shop, customer, [{ product: { ...product, price: 89_999.99 }, quantity: 2 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await signedIn(page, customer);
  await leaveInStorage(page, { preferredCurrency: 'THB', guestCart: savedCart([{ product }]) });
  const list = `/?q=${encodeURIComponent(product.name)}`;
  await fitsWithLargeText(page, list, product.name);
  expect.soft(await cutOff(page.getByRole('article'))).toEqual([]);
  await fitsWithLargeText(page, `/digital-product/${product.id}`, product.name);
  await fitsWithLargeText(page, '/checkout', product.name);
  await fitsWithLargeText(page, '/orders', product.name);
  await fitsWithLargeText(page, `/orders/${order}`, product.name);
  await fitsWithLargeText(page, `/orders/${order}/receipt`, 'Total (USD)');

  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto(list);
  expect.soft(await cutOff(page.getByRole('article'))).toEqual([]);
});

test('the dashboard shows the largest price beside a name on a phone whose text is twice as large', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ ...LARGEST, name: `Long ${'w'.repeat(75)}` });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await fitsWithLargeText(page, '/admin', 'Revenue and Orders');
  await fitsWithLargeText(page, productList(product.name), product.name);
  expect.soft(await widthOf(page.getByRole('heading', { name: product.name }))).toBeGreaterThan(150);
  await fitsWithLargeText(page, `/admin/orders/${order}`, product.name);
  expect.soft(await widthOf(page.getByText(product.name, { exact: true }))).toBeGreaterThan(150);
  await press(page, 'Refund');
  await page.getByText('Some units').click();
  await expect(page.getByLabel(`Units of ${product.name}`)).toBeVisible();
  expect.soft(await beyondTheEdge(page)).toEqual([]);
});
