import { expect, type Page } from '@playwright/test';
import { makeParcel } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

const cards = (page: Page) => page.getByRole('main').getByRole('article');
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search your orders' });
const status = (page: Page) => page.getByRole('search').getByRole('status');

test('the search finds loaded and unloaded orders by product and number, says how many, and a reload keeps it', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ name: `Lantern ${Date.now()}`, items: 1 });
  const id = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  for (const place of [1, 2, 3]) await makeParcel(shop, { user_id: customer.id, guest: false }, `Mouse ${place}`);
  // Pages of two instead of a hundred.
  await page.route('**/api/*/myorders*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', '2');
    return route.continue({ url: url.href });
  });
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(cards(page).first()).toBeVisible();
  await search(page).fill('mouse 1');
  await expect(cards(page)).toHaveCount(1);
  await expect(cards(page)).toContainText('Mouse 1');
  await expect(status(page)).toHaveText('1 order shown');
  await expect(page).toHaveURL('/orders?q=mouse+1');
  await page.reload();
  await expect(search(page)).toHaveValue('mouse 1');
  await expect(cards(page)).toHaveCount(1);
  await search(page).fill(`#${id.slice(-8)}`);
  await expect(cards(page)).toHaveCount(1);
  await expect(cards(page)).toContainText(product.name);
  await looksRightEverywhere(page);

  await search(page).fill('Nothing of mine');
  await expect(page.getByRole('heading', { name: 'No orders found' })).toBeVisible();
  await expect(page.getByText('No results for "Nothing of mine"')).toBeVisible();
  await expect(status(page)).toHaveText('0 orders shown');
  await looksRightEverywhere(page, [360]);
  await search(page).fill('');
  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('button', { name: 'Show older orders' })).toBeVisible();
});

test('a failed search shows an error, and a list of few orders has no search', async ({
  page,
  shop,
  complaints,
  customer,
  signedIn,
}) => {
  for (const place of [1, 2, 3]) await makeParcel(shop, { user_id: customer.id, guest: false }, `Mouse ${place}`);
  await signedIn(page, customer);
  await page.goto('/orders');
  await expect(cards(page)).toHaveCount(3);
  await expect(search(page)).toHaveCount(0);

  for (const place of [4, 5, 6]) await makeParcel(shop, { user_id: customer.id, guest: false }, `Mouse ${place}`);
  await page.route('**/api/*/myorders*', (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.has('q')) return route.fulfill({ status: 403, json: {} });
    url.searchParams.set('limit', '2');
    return route.continue({ url: url.href });
  });
  await page.reload();
  for (const path of ['/api/orders/myorders', '/api/digital-orders/myorders']) {
    complaints.expectFailedRequest(path, 403);
  }
  await search(page).fill('Mouse 1');
  await expect(page.getByRole('alert')).toContainText('Failed to search your orders');
  await expect(page.getByRole('heading', { name: 'No orders found' })).toHaveCount(0);
  await search(page).fill('Mouse 6');
  await expect(cards(page)).toHaveCount(1);
});
