import { expect, type Page } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { fillCard, fillContact, newEmail } from '../e2e/steps.ts';
import { makePhysicalProduct, makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

const cover = (name: string) => `/demo/covers/${name}.svg`;
const lamp = {
  ...{ name: 'Lamplighter Figure, 18 cm', brand: 'Lamplight Studio', category: 'Figures', price_cents: 5400, stock: 7 },
  description: 'Hand-painted, with a lantern that glows in the dark. It stands on its own base.',
  ...{ image: cover('lamplighter-figure'), more_images: [cover('hollow-lantern'), cover('first-save-mug')] },
  ...{ rating_tenths: 49, review_count: 61, discount_type: 'percentage' as const, discount_basis_points: 2000 },
  ...{ weight_grams: 520, length_mm: 140, width_mm: 120, height_mm: 220 },
};

async function addToCart(page: Page, path: string) {
  await page.goto(path);
  await page.getByRole('button', { name: 'Add to cart' }).click();
}

test('home with physical goods', async ({ page }) => {
  await page.goto('/?kind=physical');
  await expect(page.getByRole('article').first()).toBeVisible();
  await shoot(page, 'home-physical');
  await page.goto('/?kind=physical&q=no+such+thing');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await shoot(page, 'home-physical-nothing-found');
});

test('a physical product, and the form of its pictures', async ({ page, shop, signedIn }) => {
  const id = await makePhysicalProduct(shop, lamp);
  await page.goto(`/product/${id}`);
  await page.getByRole('button', { name: 'Picture 2 of 3' }).click();
  await shoot(page, 'product-physical');
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto(`/admin/products/${id}`);
  await expect(page.getByLabel('Picture 3', { exact: true })).toBeVisible();
  await shoot(page, 'admin-product-pictures');
});

test('a mixed cart at the checkout, and its order with two parcels', async ({
  page,
  shop,
  stockUp,
  otherBrowser,
  signedIn,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await addToCart(page, `/digital-product/${(await stockUp()).id}`);
  await addToCart(page, `/product/${await makePhysicalProduct(shop, lamp)}`);
  await addToCart(
    page,
    `/product/${await makePhysicalProduct(shop, { name: 'Travel Mug', image: cover('first-save-mug') })}`,
  );
  await page.goto('/checkout');
  await expect(page.getByRole('button', { name: /^Pay \$/ })).toBeEnabled();
  await shoot(page, 'checkout-shipped');
  await page.getByRole('button', { name: /^Pay \$/ }).click();
  await expect(page.getByText('Please enter your street')).toBeVisible();
  await shoot(page, 'checkout-shipped-all-wrong');
  const address = page.getByRole('group', { name: 'Shipping Address' });
  await address.getByLabel('Street').fill('18 Jalan Kenanga');
  await address.getByLabel('City').fill('Ipoh');
  await address.getByLabel('State').selectOption('Perak');
  await address.getByLabel('Zip Code').fill('30000');
  const email = newEmail();
  await fillContact(page, { email });
  await fillCard(page);
  await page.getByRole('button', { name: /^Pay \$/ }).click();
  await expect(page).toHaveURL('/orders');

  const { id } = await shop.db
    .selectFrom('orders')
    .select('id')
    .where('contact_email', '=', email)
    .executeTakeFirstOrThrow();
  const desk = await otherBrowser();
  await signedIn(desk, await makeUser(shop, { role: 'admin' }));
  await desk.goto(`/admin/orders/${id}`);
  for (const [place, tracking] of ['LX123456789MY', 'EM987654321MY'].entries()) {
    await desk.getByRole('button', { name: 'Mark as shipped' }).click();
    const dialog = desk.getByRole('dialog');
    await dialog.getByLabel('Carrier').fill('Pos Laju');
    await dialog.getByLabel('Tracking number').fill(tracking);
    if (place === 0) {
      await dialog.getByLabel('Units of Travel Mug').selectOption('0');
      await shoot(desk, 'admin-order-ship');
    }
    await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
    await expect(dialog).toBeHidden();
  }
  await desk.getByRole('button', { name: 'Mark parcel 1 as delivered' }).click();
  await expect(desk.getByRole('button', { name: 'Mark parcel 1 as delivered' })).toBeHidden();
  await shoot(desk, 'admin-order-parcels');
  await page.reload();
  await expect(page.getByRole('list', { name: 'Parcels' })).toBeVisible();
  await shoot(page, 'orders-parcels');
});
