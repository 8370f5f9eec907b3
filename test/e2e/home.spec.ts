import { expect, type Page } from '@playwright/test';
import { HOUR_MS } from '../../src/shared/durations.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { awaitCalls } from './steps.ts';

const cards = (page: Page) => page.getByRole('region', { name: 'Products' }).getByRole('article');
const cardOf = (page: Page, name: string) =>
  cards(page).filter({ has: page.getByRole('heading', { name, exact: true }) });
const searchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search products' });
const category = (page: Page) => page.getByRole('combobox', { name: 'Category' });
const sort = (page: Page) => page.getByRole('combobox', { name: 'Sort by' });
// The splash has the role `status` as well.
const found = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /product/ });

test('the home page shows the hero text and the products', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Digital goods, delivered the moment you pay');
  await expect(page).toHaveTitle(/Kedai/);
  await expect(cards(page).first()).toBeVisible();
  await looksRightEverywhere(page);
});

test('a card shows image, category icon, stock, name, description, price, Add, a flash-sale countdown and "Out of stock"', async ({
  page,
  stockShelf,
}) => {
  const shelf = `Shelf of ${Date.now()}`;
  const { name } = await stockShelf({
    name: `${shelf} discount`,
    items: 3,
    category: 'VPN',
    description: 'Two years of it, for five devices.',
    discount_type: 'fixed',
    discount_cents: 250,
  });
  const flash_ends_at = new Date(Date.now() + 30 * 60_000);
  const onSale = await stockShelf({ name: `${shelf} flash sale`, flash_price_cents: 500, flash_ends_at });
  const soldOut = await stockShelf({ name: `${shelf} sold out`, items: 0 });
  await page.goto(`/?q=${encodeURIComponent(shelf)}`);
  const card = cardOf(page, name);
  await expect(card.locator('img')).toHaveAttribute('src', '/demo/covers/ember-reach.svg');
  await expect(card.locator('p', { hasText: /^VPN$/ }).locator('svg')).toBeVisible();
  await expect(card).toContainText('3 available');
  await expect(card.getByRole('heading', { name })).toBeVisible();
  await expect(card).toContainText('Two years of it, for five devices.');
  await expect(card).toContainText('Now $7.50');
  await expect(card.locator('s')).toHaveText('$10.00');
  await expect(card).toContainText('-25%');
  await expect(card.getByRole('button', { name: `Add ${name} to cart` })).toHaveText('Add');

  await expect(cardOf(page, onSale.name)).toContainText(/Flash sale-50%· ends in (29|30):\d\d/);
  await expect(cardOf(page, soldOut.name)).toContainText('Out of stock');
  await expect(page.getByRole('button', { name: `Add ${soldOut.name} to cart` })).toBeDisabled();
});

test('a card with an offer is drawn anew when its time left changes, not every second', async ({
  page,
  stockShelf,
}) => {
  // React reports to this hook whenever it has drawn a part of the page.
  await page.addInitScript(() => {
    const hook = { supportsFiber: true, drawn: 0, inject: () => 1, onCommitFiberRoot: () => (hook.drawn += 1) };
    Object.assign(window, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
  });
  const drawn = () => page.evaluate<number>('__REACT_DEVTOOLS_GLOBAL_HOOK__.drawn');
  const flash_ends_at = new Date(Date.now() + 49.5 * HOUR_MS);
  const { name } = await stockShelf({ flash_price_cents: 500, flash_ends_at });
  await page.clock.install();
  await page.goto(`/?q=${encodeURIComponent(name)}`);
  await expect(cardOf(page, name)).toContainText('ends in 2d 1h');
  await awaitCalls(page);
  const before = await drawn();
  expect(before).toBeGreaterThan(0);
  await page.clock.runFor(10_000);
  expect((await drawn()) - before).toBeLessThan(10);
  await page.clock.fastForward(HOUR_MS);
  await expect(cardOf(page, name)).toContainText('ends in 2d 0h');
});

test('a click on a card opens the product page, and Add puts one unit into the cart without leaving the list', async ({
  page,
  stockShelf,
}) => {
  const { id, name } = await stockShelf({ items: 2 });
  await page.goto(`/?q=${encodeURIComponent(name)}`);
  await page.getByRole('button', { name: `Add ${name} to cart` }).click();
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Added to cart');
  await expect(page.getByRole('button', { name: 'Shopping cart, 1 item' })).toBeVisible();
  await expect(page).toHaveURL(/\?q=/);
  await cardOf(page, name).click({ position: { x: 60, y: 60 } });
  await expect(page).toHaveURL(`/digital-product/${id}`);
});

test('the search filters by part of the name, ignoring case, at every keystroke, and no match leads back to all', async ({
  page,
  stockShelf,
}) => {
  const { name } = await stockShelf({ name: 'Quokka Island Rangers' });
  await page.goto('/');
  await expect(cards(page).first()).toBeVisible();
  await searchBox(page).pressSequentially('oKKa isl');
  await expect(found(page)).toHaveText('1 product');
  await expect(cards(page)).toHaveCount(1);
  await expect(cardOf(page, name)).toBeVisible();
  await expect(page).toHaveURL('/?q=oKKa+isl');
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(cardOf(page, 'Neon Apex Rally')).toBeVisible();
  await expect(page).toHaveURL('/');

  await searchBox(page).fill('no such thing');
  await expect(page.getByRole('heading', { name: 'No products found' })).toBeVisible();
  await expect(found(page)).toHaveText('0 products');
  await looksRightEverywhere(page);
  await page.getByRole('button', { name: 'Show all products' }).click();
  await expect(cards(page).first()).toBeVisible();
  await expect(searchBox(page)).toHaveValue('');
});

test('the category filter lists categories with icon and total stock, and filters the list', async ({
  page,
  stockShelf,
}) => {
  const { name } = await stockShelf({ category: 'Premium Accounts', items: 7 });
  const option = category(page).locator('option', { hasText: 'Premium Accounts' });
  // The catalogue's answers are cached for a second, and the page is made of the older one.
  await expect(async () => {
    await page.goto('/');
    const { data } = await (await page.request.get('/api/digital-products/categories/list')).json();
    const { totalStock } = data.find((entry: { name: string }) => entry.name === 'Premium Accounts');
    expect(totalStock).toBeGreaterThanOrEqual(7);
    await expect(option).toHaveText(`Premium Accounts (${totalStock})`, { timeout: 1_000 });
  }).toPass();
  await expect(category(page).locator('option').first()).toHaveText('All Categories');
  await expect(option.locator('svg')).toBeAttached();
  // The demo has an eBook without a limit.
  await expect(category(page).locator('option', { hasText: 'eBooks' })).toHaveText('eBooks');

  await category(page).selectOption('Premium Accounts');
  await expect(page).toHaveURL('/?category=Premium+Accounts');
  await expect(cardOf(page, name)).toBeVisible();
  await expect(cardOf(page, 'Neon Apex Rally')).toBeHidden();
  await category(page).selectOption('All Categories');
  await expect(page).toHaveURL('/');
  await expect(cardOf(page, 'Neon Apex Rally')).toBeVisible();
});

test('the list offers five sort orders, and sorts prices by the charged price', async ({ page, stockShelf }) => {
  const shelf = 'Music/Movies';
  const tag = 'Sorted Album';
  await stockShelf({ category: shelf, name: `${tag} B`, price_cents: 900 });
  await stockShelf({ category: shelf, name: `${tag} C`, price_cents: 1900 });
  const offer = { discount_type: 'fixed', discount_cents: 2500 } as const;
  await stockShelf({ category: shelf, name: `${tag} A`, price_cents: 3000, ...offer });
  await page.goto(`/?q=${encodeURIComponent(tag)}`);
  await expect(sort(page)).toHaveValue('featured');
  const values = await sort(page)
    .locator('option')
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  expect(values).toEqual(['featured', 'price_asc', 'price_desc', 'newest', 'popular']);

  const names = cards(page).getByRole('heading');
  await sort(page).selectOption('price_asc');
  await expect(names).toHaveText([`${tag} A`, `${tag} B`, `${tag} C`]);
  await sort(page).selectOption('price_desc');
  await expect(names).toHaveText([`${tag} C`, `${tag} B`, `${tag} A`]);
  await sort(page).selectOption('newest');
  await expect(names).toHaveText([`${tag} A`, `${tag} C`, `${tag} B`]);
});

test('search, category and sort order are in the URL, survive a reload, and follow Back', async ({ page }) => {
  await page.goto('/');
  await category(page).selectOption('Game Keys');
  await sort(page).selectOption('price_desc');
  await searchBox(page).fill('ember');
  await expect(page).toHaveURL('/?category=Game+Keys&sort=price_desc&q=ember');
  await page.reload();
  await expect(searchBox(page)).toHaveValue('ember');
  await expect(category(page)).toHaveValue('Game Keys');
  await expect(sort(page)).toHaveValue('price_desc');
  await expect(found(page)).toHaveText('1 product');

  await page.goBack();
  await expect(page).toHaveURL('/?category=Game+Keys');
  await expect(category(page)).toHaveValue('Game Keys');
  await expect(sort(page)).toHaveValue('featured');
  await expect(searchBox(page)).toHaveValue('');
});

test('Back restores a search even if a product was opened before the typing paused', async ({ page, stockShelf }) => {
  // The newest product, because only the loaded part of the list is filtered while somebody types.
  const { name } = await stockShelf({ items: 1 });
  await page.goto('/?sort=newest');
  await expect(cardOf(page, name)).toBeVisible();
  await searchBox(page).evaluate(async (box: HTMLInputElement, typed) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(box, typed);
    box.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => setTimeout(resolve));
    const link = document.querySelector<HTMLAnchorElement>('article a[href]');
    if (link === null) throw new Error(`No card for ${typed}`);
    link.click();
  }, name);
  await expect(page.getByRole('main').getByRole('link', { name: 'All products' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(`/?${new URLSearchParams({ sort: 'newest', q: name })}`);
  await expect(searchBox(page)).toHaveValue(name);
});

test('the list shows skeletons while loading; a load failure shows in place, without a toast, and can be retried', async ({
  page,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/digital-products', 403);
  complaints.expectFailedRequest('/api/digital-products/categories/list', 403);
  // Opens home from another screen, so that it makes calls: only the first screen's HTML carries the list.
  await page.goto('/register');
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  await page.route('/api/digital-products?**', async (route) => {
    await asked;
    await route.fulfill({ status: 403, json: {} });
  });
  await page.route('/api/digital-products/categories/list', (route) => route.fulfill({ status: 403, json: {} }));
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Loading products' })).toBeAttached();
  await expect(page.getByText('No products found')).toBeHidden();
  answer();
  await expect(page.getByRole('heading', { name: 'The products did not load' })).toBeVisible();
  await expect(found(page)).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Notifications' })).toHaveText('');
  await expect(category(page).locator('option')).toHaveText(['All Categories']);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(cardOf(page, 'Neon Apex Rally')).toBeVisible();
});

test('a long name takes four lines of a card at most', async ({ page, stockShelf }) => {
  const { name } = await stockShelf({ name: `Card ${Date.now()} ${'MMMMMMMM '.repeat(18)}`.trim() });
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/?q=${encodeURIComponent(name)}`);
  const heading = cardOf(page, name).getByRole('heading');
  const lineHeight = (element: Element) => Number.parseFloat(getComputedStyle(element).lineHeight);
  const height = (await heading.boundingBox())?.height ?? 0;
  expect(height / (await heading.evaluate(lineHeight))).toBeLessThanOrEqual(4.1);
});
