import { expect, type Page } from '@playwright/test';
import { MAX_CART_LINES, MAX_UNITS_PER_LINE } from '../../src/shared/cart-rules.ts';
import { test } from './fixtures.ts';
import { LIGHT_PAGE, leaveInStorage, openCheckout, savedCart, stored } from './steps.ts';

const cartButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Shopping cart/ });
const addToCart = (page: Page) => page.getByRole('button', { name: 'Add to cart' });

test('saved cart entries without a product id are dropped, the others kept', async ({ page, stockUp }) => {
  const [product, other] = [await stockUp({ items: 3 }), await stockUp()];
  const entries = [
    { product: { name: 'Nameless', price: 5, stock: 9 }, quantity: 1 },
    { product: null, quantity: 1 },
    'nonsense',
    { product: { id: other.id, name: other.name, price: 10, stock: 1 }, quantity: 1 },
    ...JSON.parse(savedCart([{ product, quantity: 2 }])),
  ];
  await leaveInStorage(page, { guestCart: JSON.stringify(entries) });
  await page.goto(LIGHT_PAGE);
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 3 items');
  await cartButton(page).click();
  const lines = page.getByRole('dialog').getByRole('listitem');
  await expect(lines).toContainText([other.name, product.name]);
  await expect(lines).toHaveCount(2);
});

test('a stored cart is cut to the largest order, whose delivery details load at the checkout', async ({
  page,
  stockUp,
}) => {
  const products = await Promise.all(Array.from({ length: MAX_CART_LINES + 5 }, () => stockUp()));
  const fields = JSON.stringify([{ label: 'Player ID', kind: 'text', required: true, choices: [] }]);
  const gems = await stockUp({ items: 0, delivery: 'manual', buyer_fields: fields });
  await openCheckout(page, [{ product: gems, quantity: 500 }, ...products.map((product) => ({ product }))]);
  await expect(page.getByLabel('Player ID')).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName(
    `Shopping cart, ${MAX_CART_LINES - 1 + MAX_UNITS_PER_LINE} items`,
  );
});

test('malformed stored values do not break the shop', async ({ page, stockUp }) => {
  await leaveInStorage(page, { guestCart: '{"broken', user: 'not json', theme: 'neon', preferredCurrency: 'XXX' });
  const product = await stockUp();
  await page.goto(`/digital-product/${product.id}`);
  await expect(page.getByRole('heading', { name: product.name })).toBeVisible();
  await expect(page.getByRole('main')).toContainText('$10.00');
  await expect(page.locator('html')).not.toHaveClass(/dark/);
  await addToCart(page).click();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
  expect(JSON.parse((await stored(page, 'guestCart')) ?? '')).toMatchObject([
    { product: { _id: product.id, name: product.name, price: 10, stock: 1 }, quantity: 1 },
  ]);
});

test('theme and currency are stored as plain values and survive a reload', async ({ page, stockUp }) => {
  const product = await stockUp();
  await page.goto(`/digital-product/${product.id}`);
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await page.getByRole('button', { name: 'Currency: USD' }).click();
  await page.getByRole('button', { name: /MYR/ }).click();
  await expect(page.getByRole('main')).toContainText('RM47.20');
  expect(await stored(page, 'theme')).toBe('dark');
  expect(await stored(page, 'preferredCurrency')).toBe('MYR');

  await page.reload();
  await expect(page.locator('html')).toHaveClass(/dark/);
  await expect(page.getByRole('main')).toContainText('RM47.20');
  await expect(page.getByRole('main')).toContainText('Payment is always in USD.');
  await page.getByRole('button', { name: 'Switch to light theme' }).click();
  await expect(page.locator('html')).not.toHaveClass(/dark/);
  expect(await stored(page, 'theme')).toBe('light');
});

test('a cart change in one tab is stored and shows in the other tab', async ({ page, context, stockUp }) => {
  const product = await stockUp({ items: 5 });
  const other = await context.newPage();
  await page.goto(LIGHT_PAGE);
  await other.goto(`/digital-product/${product.id}`);
  await addToCart(other).click();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');

  await cartButton(page).click();
  const cart = page.getByRole('dialog');
  await cart.getByRole('button', { name: `Increase quantity of ${product.name}` }).click();
  await expect(cartButton(other)).toHaveAccessibleName('Shopping cart, 2 items');
  await cart.getByRole('button', { name: `Remove ${product.name}` }).click();
  await expect(cart).toContainText('Your cart is empty');
  await expect(cartButton(other)).toHaveAccessibleName('Shopping cart, 0 items');
});

test('a cart line cannot exceed the stock and cannot be decreased below one', async ({ page, stockUp }) => {
  const product = await stockUp({ items: 1 });
  await page.goto(`/digital-product/${product.id}`);
  await addToCart(page).click();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
  await addToCart(page).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Only 1 items available');

  await cartButton(page).click();
  const cart = page.getByRole('dialog');
  await cart.getByRole('button', { name: `Increase quantity of ${product.name}` }).click();
  await expect(cart.getByRole('alert')).toHaveText('Only 1 items available');

  const fewer = cart.getByRole('button', { name: `Decrease quantity of ${product.name}` });
  await expect(fewer).toBeDisabled();
  await fewer.press('Enter');
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
});

test('going back from the checkout keeps the cart', async ({ page, stockUp }) => {
  const product = await stockUp();
  await page.goto(`/digital-product/${product.id}`);
  await addToCart(page).click();
  await cartButton(page).click();
  await page.getByRole('button', { name: 'Proceed to Checkout' }).click();
  await expect(page).toHaveURL('/checkout');
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('heading', { name: product.name })).toBeVisible();
  await expect(cartButton(page)).toHaveAccessibleName('Shopping cart, 1 item');
});

test('the checkout of an empty cart says "Your cart is empty"', async ({ page }) => {
  await page.goto('/checkout');
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible();
  await page.getByRole('link', { name: 'Start Shopping' }).click();
  await expect(page).toHaveURL('/');
});

test('the display currency changes the shown prices but never the charged amount', async ({ page, stockUp }) => {
  await leaveInStorage(page, { preferredCurrency: 'JPY' });
  await openCheckout(page, [{ product: await stockUp() }]);
  await expect(page.getByRole('main')).toContainText('¥1,585');
  await expect(page.getByRole('main')).toContainText('your card is charged $10.60');
  await expect(page.getByRole('button', { name: 'Pay $10.60' })).toBeVisible();
});

test('an unknown path redirects to the home page', async ({ page, complaints }) => {
  for (const path of ['/nowhere/at/all?really=yes', '/index.html']) {
    complaints.expectFailedRequest(path.replace(/\?.*/, ''), 404);
    await page.goto(path);
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
  }
});
