import { expect, type Page } from '@playwright/test';
import { makePhysicalProduct } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

const PHONE = { width: 390, height: 844 };
const main = (page: Page) => page.getByRole('main');
const kinds = (page: Page) => page.getByRole('navigation', { name: 'Kinds of goods' });
const products = (page: Page) => page.getByRole('region', { name: 'Products' });
const card = (page: Page, name: string) => products(page).getByRole('article').filter({ hasText: name });

test('home shows digital goods, and a switch to physical ones that is kept in the URL and by Back', async ({
  page,
}) => {
  await page.setViewportSize(PHONE);
  await page.goto('/');
  await expect(kinds(page).getByRole('link', { name: 'Digital goods' })).toHaveAttribute('aria-current', 'page');
  await expect(card(page, 'Neon Apex Rally')).toBeVisible();
  await expect(card(page, 'First Save Mug')).toHaveCount(0);

  await kinds(page).getByRole('link', { name: 'Physical goods' }).click();
  await expect(page).toHaveURL('/?kind=physical');
  await expect(page).toHaveTitle(/^Physical goods, sent to your door/);
  await expect(card(page, 'First Save Mug')).toContainText('55 available');
  await expect(card(page, 'First Save Mug')).toContainText('4.6 of 5 stars, (9 reviews)');
  await expect(card(page, 'Neon Apex Rally')).toHaveCount(0);

  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('price_asc');
  // Other tests put goods of their own on sale.
  const ofDemo = products(page)
    .getByRole('article')
    .filter({ hasText: /First Save Mug|Harimau TKL/ });
  await expect(ofDemo.first()).toContainText('First Save Mug');
  await page.getByRole('combobox', { name: 'Category' }).selectOption('Keyboards');
  await expect(page).toHaveURL('/?kind=physical&sort=price_asc&category=Keyboards');
  await expect(products(page).getByRole('article')).toHaveCount(1);
  await page.getByRole('searchbox').fill('harimau');
  await expect(page).toHaveURL(/&q=harimau$/);
  await card(page, 'Harimau TKL').getByRole('link').click();
  await expect(page).toHaveURL(/\/product\/[0-9a-f-]{36}$/);
  await main(page).getByRole('link', { name: 'All products' }).click();
  await expect(page).toHaveURL('/?kind=physical&sort=price_asc&category=Keyboards&q=harimau');
  await expect(card(page, 'Harimau TKL')).toBeVisible();

  // The link keeps the search and the sort but not the category.
  await kinds(page).getByRole('link', { name: 'Digital goods' }).click();
  await expect(page).toHaveURL('/?sort=price_asc&q=harimau');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await page.goBack();
  await expect(card(page, 'Harimau TKL')).toBeVisible();
});

test('physical goods embedded in the page are not requested again', async ({ page }) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push(pathname);
  });
  await page.goto('/?kind=physical&category=Mugs&sort=price_desc');
  await expect(card(page, 'First Save Mug')).toHaveCount(1);
  await expect(card(page, 'Harimau TKL')).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Category' })).toHaveValue('Mugs');
  await expect(page).toHaveTitle(/^Mugs/);
  await expect.poll(() => calls).toEqual(['/api/location']);
});

test('a category without physical products shows all of them', async ({ page }) => {
  await page.goto('/?kind=physical&category=Game+Keys');
  await expect(card(page, 'First Save Mug')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Category' })).toHaveValue('');
});

test('a physical product shows brand, rating, stock, weight, dimensions and its pictures', async ({ page, shop }) => {
  const id = await makePhysicalProduct(shop, {
    ...{ name: 'Batik Lamp', description: 'It glows.', brand: 'Kayu', category: 'Lamps', stock: 4 },
    ...{ image: '/demo/covers/batik-desk-mat.svg', more_images: ['/demo/covers/first-save-mug.svg'] },
    ...{ rating_tenths: 45, review_count: 1, discount_type: 'percentage' as const, discount_basis_points: 2500 },
    ...{ weight_grams: 1250, length_mm: 320, width_mm: 150, height_mm: 95 },
  });
  await page.goto(`/product/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Batik Lamp');
  for (const words of ['Lamps', 'It glows.', '4 available', 'Now $15.00', '-25%', '4.5 of 5 stars, (1 review)'])
    await expect(main(page).getByRole('article').first()).toContainText(words);
  for (const [term, value] of Object.entries({ Brand: 'Kayu', Dimensions: '32 × 15 × 9.5 cm', Weight: '1.25 kg' }))
    await expect(main(page).locator('dl > div').filter({ hasText: term })).toHaveText(`${term}${value}`);
  await expect(main(page)).toContainText('Sent to your address');

  await expect(page.getByRole('img', { name: 'Cover of Batik Lamp' })).toBeVisible();
  await page.getByRole('button', { name: 'Picture 2 of 2' }).click();
  const second = page.getByRole('img', { name: 'Picture 2 of Batik Lamp' });
  await expect(second).toHaveAttribute('src', '/demo/covers/first-save-mug.svg');
  await expect(main(page).getByRole('link', { name: 'All products' })).toHaveAttribute('href', '/?kind=physical');
  await looksRightEverywhere(page);
});

test('a product without measurements and reviews shows neither', async ({ page, shop }) => {
  const id = await makePhysicalProduct(shop, { name: 'Plain Stone', brand: '', stock: 0 });
  await page.goto(`/product/${id}`);
  await expect(main(page)).toContainText('Out of stock');
  for (const words of ['Brand', 'Weight', 'Dimensions', 'stars'])
    await expect(main(page).getByRole('article').first()).not.toContainText(words);
  await expect(page.getByRole('list', { name: 'Pictures' })).toHaveCount(0);
});

test('an administrator adds, moves and removes pictures, and the shop shows them in the saved order', async ({
  page,
  shop,
  admin: _,
}) => {
  const covers = ['first-save-mug', 'batik-desk-mat', 'tenuk-plush'].map((name) => `/demo/covers/${name}.svg`);
  const id = await makePhysicalProduct(shop, { name: 'Many Faces', image: String(covers[0]) });
  await page.goto(`/admin/products/${id}`);
  const add = page.getByRole('button', { name: 'Add a picture' });
  await add.click();
  await page.getByLabel('Picture 2', { exact: true }).fill(String(covers[1]));
  await add.click();
  await page.getByLabel('Picture 3', { exact: true }).fill(String(covers[2]));
  await page.getByRole('button', { name: 'Move up: Picture 3' }).click();
  await page.getByRole('button', { name: 'Move up: Picture 2' }).click();
  await page.getByRole('button', { name: 'Remove: Picture 3' }).click();
  await expect(page.getByLabel('Image', { exact: true })).toHaveValue(String(covers[2]));
  await looksRightEverywhere(page, [360]);
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('"Many Faces" has been updated')).toBeVisible();
  const row = await shop.db.selectFrom('products').select(['image', 'more_images']).where('id', '=', id).execute();
  expect(row).toEqual([{ image: covers[2], more_images: [covers[0]] }]);

  await page.goto(`/product/${id}`);
  await expect(page.getByRole('img', { name: 'Cover of Many Faces' })).toHaveAttribute('src', String(covers[2]));
  await expect(page.getByRole('list', { name: 'Pictures' }).getByRole('button')).toHaveCount(2);
});
