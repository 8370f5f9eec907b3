import { expect, type Locator, type Page } from '@playwright/test';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';

// A file that exists, so that the console has no error, but is no picture.
const NO_PICTURE = '/robots.txt';

/** Expects the icon of Game Keys in the place of a product's picture. */
async function showsIcon(place: Locator): Promise<void> {
  // A picture below the window is not loaded yet.
  await place.scrollIntoViewIfNeeded();
  await expect(place.locator('.bg-accent-soft > .lucide-key-round').first()).toBeVisible();
}

test('a picture that fails to load shows its category icon wherever shoppers see the product', async ({
  page,
  shop,
  customer,
  stockShelf,
  signedIn,
}) => {
  const product = await stockShelf({ items: 3, image: NO_PICTURE, category: 'Game Keys' });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  const main = page.getByRole('main');

  await page.goto(`/?q=${encodeURIComponent(product.name)}`);
  await showsIcon(main.getByRole('article'));
  await page.goto(`/digital-product/${product.id}`);
  await showsIcon(main.getByRole('article').first());
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await showsIcon(page.getByRole('region', { name: 'Notifications' }));
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  const cart = page.getByRole('dialog', { name: /^Shopping Cart/ });
  await showsIcon(cart);
  await cart.getByRole('button', { name: 'Proceed to Checkout' }).click();
  await expect(page).toHaveURL('/checkout');
  await showsIcon(main);
  await page.goto('/orders');
  await showsIcon(main.getByRole('article'));
  await page.goto(`/order-items/${orderId}`);
  await showsIcon(main);
});

test('a picture that fails to load shows its category icon wherever administrators see the product', async ({
  page,
  shop,
  customer,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 1, image: NO_PICTURE, category: 'Game Keys' });
  const orderId = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const main = page.getByRole('main');
  const entryOf = (where: Page | Locator, name: string) =>
    where.getByRole('listitem').filter({ hasText: name }).first();

  await page.goto(`/admin?tab=digital&q=${encodeURIComponent(product.name)}`);
  await showsIcon(main.getByRole('article').filter({ hasText: product.name }));
  await page.goto(`/admin?tab=orders&q=${encodeURIComponent(customer.email)}`);
  await showsIcon(entryOf(main, product.name));
  await page.goto(`/admin/orders/${orderId}`);
  await showsIcon(main);
  await page.goto('/admin');
  const low = page.getByRole('region', { name: 'Low Stock' });
  await low.getByRole('button', { name: /^Show all/ }).click();
  await showsIcon(entryOf(low, product.name));
});
