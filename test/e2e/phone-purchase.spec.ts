import { devices, expect, type Locator, type Page } from '@playwright/test';
import { makePhysicalProduct, makeUser } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import {
  fillCard,
  fillContact,
  LIGHT_PAGE,
  leaveInStorage,
  newEmail,
  openItems,
  productDialog,
  readKey,
  savedCart,
  seesSuccess,
} from './steps.ts';

const { userAgent, deviceScaleFactor, isMobile, hasTouch } = devices['Pixel 7'];

test.use({ viewport: { width: 390, height: 844 }, userAgent, deviceScaleFactor, isMobile, hasTouch });

test('a guest on a phone in the dark theme sees prices in ringgit and pays in dollars', async ({
  page,
  stockShelf,
}) => {
  const product = await stockShelf({ name: 'Pocket Harbour', price_cents: 1999 });
  await page.goto('/');
  await page.getByRole('button', { name: 'Currency: USD' }).tap();
  await page.getByRole('button', { name: /MYR/ }).tap();
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  await menu.tap();
  await page.getByRole('button', { name: 'Dark theme' }).tap();
  await expect(page.locator('html')).toHaveClass(/dark/);
  await menu.tap();

  await page.getByRole('searchbox').fill('pocket harb');
  const card = page.getByRole('article');
  await expect(card).toHaveCount(1);
  await expect(card).toContainText('RM94.35');
  const add = card.getByRole('button', { name: `Add ${product.name} to cart` });
  // Two quick taps do not zoom the page, which Safari does otherwise.
  await expect(add).toHaveCSS('touch-action', 'manipulation');
  await add.tap();
  await page.getByRole('button', { name: 'Open cart, 1 item' }).tap();
  const cart = page.getByRole('dialog', { name: 'Shopping Cart (1 item)' });
  await expect(cart).toContainText('Total:RM94.35 MYR');
  await expect(cart).toContainText('Payment is in USD.');
  await cart.getByRole('button', { name: 'Proceed to Checkout' }).tap();

  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await expect(page.getByRole('main')).toContainText('TotalRM100.02');
  await expect(page.getByRole('main')).toContainText('your card is charged $21.19');
  await page.getByRole('button', { name: 'Pay $21.19' }).tap();

  await seesSuccess(page);
  await expect(page.locator('html')).toHaveClass(/dark/);
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toContainText('RM100.02');
  await expect(page.getByRole('article')).toContainText('Charged in USD$21.19');
  await openItems(page);
  expect(await readKey(page)).toBe(product.keys[0]);
  // No step has made the page wider than the phone.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('the cart scrolls as a whole on a phone held sideways', async ({ page, stockUp }) => {
  const products = [await stockUp(), await stockUp(), await stockUp()];
  await page.setViewportSize({ width: 667, height: 375 });
  await leaveInStorage(page, { guestCart: savedCart(products.map((product) => ({ product }))) });
  await page.goto(LIGHT_PAGE);
  await page
    .getByRole('button', { name: /^Open cart/ })
    .first()
    .click();
  const cart = page.getByRole('dialog', { name: /Shopping Cart/ });
  await expect(cart.getByRole('button', { name: `Remove ${products[1]?.name}` })).toBeInViewport();
  const checkout = cart.getByRole('button', { name: 'Proceed to Checkout' });
  await expect(checkout).not.toBeInViewport();
  await checkout.click();
  await expect(page).toHaveURL('/checkout');
});

test('an order is opened by a target of 44 px, and items are typed in letters that Safari does not zoom to', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto('/orders');
  const number = page.getByRole('link', { name: /^Order #/ });
  expect(await number.evaluate((link) => link.getBoundingClientRect().height)).toBeGreaterThanOrEqual(44);

  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto(productDialog('stock', product));
  await expect(page.getByLabel('Inventory items')).toHaveCSS('font-size', '16px');
});

/** Drags a finger over most of an element, and waits until that has scrolled. */
async function swipeLeft(page: Page, over: Locator): Promise<void> {
  const box = await over.boundingBox();
  if (box === null) throw new Error('The element is not visible');
  const at = (part: number) => [{ x: box.x + box.width * part, y: box.y + box.height / 2 }];
  const scroll = await over.evaluateHandle((element) => ({
    ended: new Promise((resolve) => element.addEventListener('scrollend', resolve, { once: true })),
  }));
  const input = await page.context().newCDPSession(page);
  await input.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0.9) });
  for (let part = 0.85; part > 0.1; part -= 0.05) {
    await input.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(part) });
  }
  await input.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await scroll.evaluate(({ ended }) => ended.then(() => undefined));
}

test("a swipe over a product's picture shows the next picture, and so do its thumbnails and the arrow keys", async ({
  page,
  shop,
}) => {
  const id = await makePhysicalProduct(shop, {
    name: 'Two Faces',
    image: '/demo/covers/first-save-mug.svg',
    more_images: ['/demo/covers/batik-desk-mat.svg'],
  });
  await page.goto(`/product/${id}`);
  const pictures = page.getByRole('group', { name: 'Pictures of Two Faces' });
  const chosen = (place: number) =>
    expect(page.getByRole('button', { name: `Picture ${place} of 2`, pressed: true })).toBeVisible();
  const shows = (name: string) => expect(page.getByRole('img', { name })).toBeInViewport({ ratio: 0.9 });
  await shows('Cover of Two Faces');

  await swipeLeft(page, pictures);
  await chosen(2);
  await shows('Picture 2 of Two Faces');
  await page.getByRole('button', { name: 'Picture 1 of 2' }).tap();
  await shows('Cover of Two Faces');
  await pictures.press('ArrowRight');
  await chosen(2);
  await shows('Picture 2 of Two Faces');
});
