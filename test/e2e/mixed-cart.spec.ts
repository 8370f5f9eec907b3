import { devices, expect, type Page } from '@playwright/test';
import { makePhysicalProduct, makeUser } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import type { RealShop } from './real-shop.ts';
import { fillCard, fillContact, newEmail, openItems, readKey, seesSuccess } from './steps.ts';

const { userAgent, deviceScaleFactor, isMobile, hasTouch } = devices['Pixel 7'];

test.use({ viewport: { width: 390, height: 844 }, userAgent, deviceScaleFactor, isMobile, hasTouch });

const main = (page: Page) => page.getByRole('main');
const summary = (page: Page) => main(page).locator('dl').first();
const address = (page: Page) => page.getByRole('group', { name: 'Shipping Address' });

/** Creates a mug of 500 g for $14.00 with a stock of five. */
const makeMug = (shop: RealShop, overrides = {}) =>
  makePhysicalProduct(shop, {
    ...{ name: 'Travel Mug', category: 'Mugs', price_cents: 1400, stock: 5, weight_grams: 500 },
    ...overrides,
  });

async function addToCart(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole('button', { name: 'Add to cart' }).tap();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Added to cart');
}

async function goToCheckout(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Open cart, / }).tap();
  await expect(page.getByRole('dialog')).toContainText('Tax and shipping are added at checkout.');
  await page.getByRole('button', { name: 'Proceed to Checkout' }).tap();
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
}

test('a guest buys a key and a mug on a phone, with address errors, shipping priced before payment, and the key at once', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const game = await stockUp();
  await addToCart(page, `/digital-product/${game.id}`);
  await addToCart(page, `/product/${await makeMug(shop)}`);
  await goToCheckout(page);

  await expect(summary(page)).toHaveText(
    /Subtotal\$24\.00Shipping\$5\.90Tax \(6%\)\$1\.44Digital DeliveryFREETotal\$31\.34/,
  );
  await expect(main(page)).toContainText('Delivered partly at once and partly by post.');
  await expect(main(page)).toContainText('Physical goods worth $100.00 or more are sent free of charge.');
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $31.34' }).tap();
  for (const message of ['Please enter your street', 'Please enter your city', 'Please choose a state of Malaysia'])
    await expect(address(page)).toContainText(message);
  await expect(address(page)).toContainText('Please enter your zip code');
  await looksRightEverywhere(page, [360]);

  // Another country has another shipping price and no list of states.
  await address(page).getByLabel('Country').selectOption('Singapore');
  await expect(summary(page)).toContainText('Shipping$14.90');
  await expect(address(page).getByLabel('State')).toHaveAttribute('maxlength', '100');
  await address(page).getByLabel('Country').selectOption('Malaysia');
  await expect(summary(page)).toContainText('Shipping$5.90');

  await address(page).getByLabel('Street').fill('1 Jalan Kenanga');
  await address(page).getByLabel('City').fill('Ipoh');
  await address(page).getByLabel('State').selectOption('Perak');
  await address(page).getByLabel('Zip Code').fill('ABC');
  complaints.expectFailedRequest('/api/orders/guest/create-payment-intent', 400);
  await page.getByRole('button', { name: 'Pay $31.34' }).tap();
  await expect(address(page)).toContainText('Please enter a zip code of Malaysia');
  await expect(address(page).getByLabel('Zip Code')).toBeFocused();
  await address(page).getByLabel('Zip Code').fill('30000');
  await page.reload();
  await expect(address(page).getByLabel('State')).toHaveValue('Perak');
  await expect(address(page).getByLabel('Street')).toHaveValue('1 Jalan Kenanga');
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $31.34' }).tap();

  await seesSuccess(page);
  await expect(page).toHaveURL('/orders');
  const order = page.getByRole('article');
  await expect(order).toContainText('Processing');
  await expect(order).toContainText('1 Jalan Kenanga, Ipoh, 30000 Perak, Malaysia');
  await expect(order).toContainText('Shipping$5.90');
  await openItems(page);
  expect(await readKey(page)).toBe(game.keys[0]);
});

test('a customer buys on a phone with the profile address and tracks two parcels until delivery', async ({
  page,
  shop,
  customer,
  signedIn,
  otherBrowser,
  complaints,
}) => {
  const street = '18 Jalan Kenanga';
  await shop.db
    .updateTable('users')
    .set({ street, city: 'Johor Bahru', state: 'johor', zip_code: '80000', country: 'Malaysia' })
    .where('id', '=', customer.id)
    .execute();
  await signedIn(page, customer);
  await addToCart(page, `/product/${await makeMug(shop)}`);
  await addToCart(page, `/product/${await makeMug(shop, { name: 'Desk Lamp', price_cents: 2000 })}`);
  await goToCheckout(page);
  await expect(address(page).getByLabel('Street')).toHaveValue(street);
  await expect(address(page).getByLabel('State')).toHaveValue('Johor');
  await expect(main(page)).not.toContainText('Digital Delivery');
  await expect(main(page)).toContainText('Sent by post.');
  await fillCard(page);
  await page.getByRole('button', { name: 'Pay $41.94' }).tap();
  await seesSuccess(page);
  await expect(main(page)).toContainText('We mail you as soon as your parcel is on its way.');
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toContainText('Processing');
  await expect(page.getByRole('link', { name: /^View Items/ })).toHaveCount(0);

  const { id } = await shop.db
    .selectFrom('orders')
    .select('id')
    .where('user_id', '=', customer.id)
    .executeTakeFirstOrThrow();
  const desk = await otherBrowser();
  await desk.setViewportSize({ width: 1280, height: 900 });
  await signedIn(desk, await makeUser(shop, { role: 'admin' }));
  await desk.goto(`/admin/orders/${id}`);
  const dialog = desk.getByRole('dialog');
  const delivery = desk.getByRole('region', { name: 'Delivery', exact: true });
  // The status of the order; the parcels have the same words as labels.
  const status = desk.locator('main span', { hasText: /^(Processing|Shipped|Delivered)$/ }).first();
  const ship = async (tracking: string) => {
    await dialog.getByLabel('Carrier').fill('DHL');
    await dialog.getByLabel('Tracking number').fill(tracking);
    await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
    await expect(dialog).toBeHidden();
  };
  // A tab in which no mail waits, so that it does not reload the order by itself.
  const behind = await desk.context().newPage();
  await behind.goto(`/admin/orders/${id}`);
  await expect(behind.getByRole('region', { name: 'Mails' })).toContainText(/Sent /);
  await desk.getByRole('button', { name: 'Mark as shipped' }).click();
  await dialog.getByLabel('Units of Travel Mug').selectOption('0');
  await looksRightEverywhere(desk, [360]);
  await desk.setViewportSize({ width: 1280, height: 900 });
  await ship('LAMP-1');
  complaints.expectFailedRequest(/\/ship$/, 409);
  await behind.getByRole('button', { name: 'Mark as shipped' }).click();
  await behind.getByLabel('Carrier').fill('DHL');
  await behind.getByLabel('Tracking number').fill('BOTH-1');
  await behind.getByRole('dialog').getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(behind.getByRole('dialog').getByRole('alert')).toHaveText('The order has fewer units left to ship');
  await behind.close();
  await expect(delivery).toContainText('1 × Desk Lamp');
  await expect(status).toHaveText('Processing');
  await delivery.getByRole('button', { name: 'Mark parcel 1 as delivered' }).click();
  await expect(delivery.getByRole('button')).toHaveCount(0);
  await desk.getByRole('button', { name: 'Mark as shipped' }).click();
  await ship('MUG-2');
  await expect(status).toHaveText('Shipped');

  await page.reload();
  const parcels = page.getByRole('list', { name: 'Parcels' }).getByRole('listitem');
  await expect(parcels).toHaveText([
    /^Parcel 1: delivered on .*1 × Desk LampTrack with DHL: LAMP-1/,
    /^Parcel 2: on its way since .*1 × Travel MugTrack with DHL: MUG-2/,
  ]);
  await expect(parcels.last().getByRole('link')).toHaveAttribute('href', /^https:\/\/www\.dhl\.com\/.*MUG-2$/);
  await looksRightEverywhere(page, [360]);

  await delivery.getByRole('button', { name: 'Mark parcel 2 as delivered' }).click();
  await expect(status).toHaveText('Delivered');
  await page.reload();
  await expect(parcels.last()).toContainText('Parcel 2: delivered on');
  await expect(page.getByRole('article')).toContainText('Delivered');
});

test('a cart that exceeds the limit of a country shows a message before payment', async ({
  page,
  shop,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/orders/quote', 409);
  const id = await makeMug(shop, { name: 'Anvil', weight_grams: 90_000, stock: 1 });
  await addToCart(page, `/product/${id}`);
  await goToCheckout(page);
  await expect(summary(page)).toContainText('Shipping$24.90');
  await address(page).getByLabel('Country').selectOption('Germany');
  await expect(main(page).getByRole('alert')).toContainText('This is too much for one delivery to Germany');
  await expect(summary(page)).toContainText('ShippingNot known yet');
  await expect(page.getByRole('button', { name: 'Pay', exact: true })).toBeDisabled();
  await address(page).getByLabel('Country').selectOption('Malaysia');
  await expect(page.getByRole('button', { name: 'Pay $39.74' })).toBeEnabled();
});

test('a state of one country is not kept for a country without a list of states', async ({ page, shop }) => {
  await addToCart(page, `/product/${await makeMug(shop)}`);
  await goToCheckout(page);
  await address(page).getByLabel('State').selectOption('Kelantan');
  await address(page).getByLabel('Country').selectOption('Germany');
  await expect(address(page).getByLabel('State')).toHaveValue('');
  await page.reload();
  await expect(address(page).getByLabel('Country')).toHaveValue('Germany');
  await expect(address(page).getByLabel('State')).toHaveValue('');

  // What is typed there stays.
  await address(page).getByLabel('State').fill('Kelantan');
  await address(page).getByLabel('Country').selectOption('Austria');
  await expect(summary(page)).toContainText('Shipping$24.90');
  await expect(address(page).getByLabel('State')).toHaveValue('Kelantan');
});
