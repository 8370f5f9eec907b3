import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { makePhysicalProduct } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

const main = (page: Page) => page.getByRole('main');
const notifications = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);

/** Removes the data from a product page's HTML, so that the page must call the shop. */
async function withoutFirstData(page: Page): Promise<void> {
  await page.route('/digital-product/*', async (route) => {
    const response = await route.fetch();
    const html = (await response.text()).replace(/<script type="application\/json"[^>]*>.*?<\/script>/s, '');
    await route.fulfill({ response, body: html });
  });
}

test("a product shows picture, description, price, stock, instructions and warranty, and opens the system's share dialog", async ({
  page,
  stockUp,
}) => {
  const { id, name } = await stockUp({
    items: 4,
    description: 'Race through the night cities of 1986.',
    delivery_instructions: 'Open the launcher and choose "Redeem a code".',
    warranty_days: 30,
  });
  await page.addInitScript(() => {
    const share = (data: ShareData) => {
      document.documentElement.dataset['shared'] = JSON.stringify(data);
      return Promise.reject(new DOMException('closed', 'AbortError'));
    };
    Object.defineProperty(Navigator.prototype, 'share', { value: share, configurable: true });
  });
  await page.goto(`/digital-product/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
  await expect(page).toHaveTitle(new RegExp(name));
  await expect(page.getByRole('img', { name: `Cover of ${name}` })).toBeVisible();
  for (const words of [
    'Race through the night cities of 1986.',
    '$10.00',
    '4 available',
    'Game Keys',
    'Open the launcher and choose "Redeem a code".',
    '30 days from delivery. If it does not work, we replace it.',
  ]) {
    await expect(main(page).getByRole('article').first()).toContainText(words);
  }
  await looksRightEverywhere(page);

  // Closing the system's way changes nothing.
  await page.getByRole('button', { name: 'Share' }).click();
  const url = new URL(`/digital-product/${id}`, page.url()).href;
  await expect(page.locator('html')).toHaveAttribute('data-shared', JSON.stringify({ title: name, url }));
  await expect(page.getByRole('button', { name: 'Share' })).toBeVisible();
});

test('a discount shows the old price struck through and the percentage off', async ({ page, stockUp }) => {
  const { id } = await stockUp({ discount_type: 'percentage', discount_basis_points: 2500 });
  await page.goto(`/digital-product/${id}`);
  const product = main(page).getByRole('article').first();
  await expect(product.locator('s')).toHaveText('$10.00');
  await expect(product).toContainText('Now $7.50');
  await expect(product).toContainText('-25%');
  await expect(page.getByRole('timer')).toBeHidden();
});

test('an offer that lowers no price is not called a sale', async ({ page, stockUp }) => {
  const offers = [{ discount_type: 'percentage', discount_basis_points: 0 }, { flash_price_cents: 1000 }] as const;
  for (const offer of offers) {
    const { id } = await stockUp(offer);
    await page.goto(`/digital-product/${id}`);
    const product = main(page).getByRole('article').first();
    await expect(product).toContainText('$10.00');
    await expect(product).not.toContainText(/sale/i);
  }
});

test('a flash sale shows a countdown in seconds and the units left, and ends by itself', async ({ page, stockUp }) => {
  const { id } = await stockUp({
    items: 9,
    flash_price_cents: 600,
    flash_ends_at: inMinutes(60),
    flash_units_limit: 8,
    flash_units_taken: 5,
  });
  await page.clock.install();
  await page.goto(`/digital-product/${id}`);
  await expect(main(page)).toContainText('Now $6.00');
  await expect(main(page)).toContainText('3 left at this price');
  await expect(page.getByRole('timer')).toHaveText(/^ends in 00:59:[0-5]\d$/);
  const before = await page.getByRole('timer').textContent();
  await page.clock.runFor(2000);
  await expect(page.getByRole('timer')).not.toHaveText(before ?? '');

  await page.clock.fastForward('59:30');
  await page.clock.runFor(60_000);
  await expect(page.getByRole('timer')).toBeHidden();
  await expect(main(page)).toContainText('$10.00');
  await expect(main(page)).not.toContainText('$6.00');
});

test('an offer that begins while the page is open is shown after the next load of the product', async ({
  page,
  shop,
  stockUp,
}) => {
  const { id } = await stockUp();
  await page.clock.install();
  await page.goto(`/digital-product/${id}`);
  await expect(main(page)).toContainText('$10.00');
  const offer = { discount_type: 'percentage', discount_basis_points: 2500, discount_starts_at: new Date() } as const;
  await shop.db.updateTable('products').set(offer).where('id', '=', id).execute();
  await page.clock.runFor(31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(main(page)).toContainText('Now $7.50');
});

test('a flash sale with too few units left charges the regular price for all units, and the total shows it', async ({
  page,
  stockUp,
}) => {
  const { id, name } = await stockUp({ items: 9, flash_price_cents: 600, flash_units_limit: 2 });
  await page.goto(`/digital-product/${id}`);
  const more = page.getByRole('button', { name: `Increase quantity of ${name}` });
  await more.click();
  await expect(main(page)).toContainText('2 × $6.00 = $12.00');
  await more.click();
  await expect(main(page)).toContainText('3 × $10.00 = $30.00');
});

test('the quantity is limited to the stock, and the page shows the available number', async ({ page, stockUp }) => {
  const { id, name } = await stockUp({ items: 2 });
  await page.goto(`/digital-product/${id}`);
  const more = page.getByRole('button', { name: `Increase quantity of ${name}` });
  await more.click();
  await more.click();
  await expect(main(page).getByRole('alert')).toHaveText('Only 2 items available');
  await expect(main(page)).toContainText('2 × $10.00 = $20.00');

  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(notifications(page)).toContainText('Added to cart');
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(notifications(page)).toContainText('Only 2 items available');
  await expect(page.getByRole('banner').getByRole('button', { name: /^Shopping cart, 2 items$/ })).toBeVisible();
});

test('adding more than a reduced stock is refused with "Not enough stock available"', async ({
  page,
  shop,
  stockUp,
}) => {
  const { id, name } = await stockUp({ items: 3 });
  await page.clock.install();
  await page.goto(`/digital-product/${id}`);
  const more = page.getByRole('button', { name: `Increase quantity of ${name}` });
  await more.click();
  await more.click();
  const others = shop.db.selectFrom('items').select('id').where('product_id', '=', id).limit(2);
  await shop.db.deleteFrom('items').where('id', 'in', others).execute();

  // Returning to the tab after half a minute reloads the product.
  await page.clock.runFor(31_000);
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await expect(main(page).getByRole('article').first()).toContainText('1 available');
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(notifications(page)).toContainText('Not enough stock available');
});

test('a sold-out product is marked and cannot be added', async ({ page, stockUp }) => {
  const { id } = await stockUp({ items: 0, name: 'A Game With Quite a Long Name: The Definitive Edition' });
  await page.goto(`/digital-product/${id}`);
  const product = main(page).getByRole('article').first();
  await expect(product.getByRole('button', { name: 'Out of stock' })).toBeDisabled();
  await expect(product).toContainText('Sold out for now.');
  await expect(product.getByRole('button', { name: 'Add to cart' })).toBeHidden();
  await looksRightEverywhere(page);
});

test('the page lists the four most popular other products of the category', async ({ page, shop, stockShelf }) => {
  const category = 'Game Accounts';
  const product = await stockShelf({ category });
  const others: { id: string; sold: number }[] = [];
  for (const sold of [8005, 8004, 8003, 8002, 8001]) {
    const { id } = await stockShelf({ category, name: `Sold ${sold} times` });
    others.push({ id, sold });
  }
  const related = page.getByRole('region', { name: 'More in Game Accounts' });
  // Now and then the shop counts the sales itself, and finds none of these products.
  await expect(async () => {
    for (const { id, sold } of [...others, { id: product.id, sold: 9000 }]) {
      await shop.db.updateTable('products').set({ sold_count: sold }).where('id', '=', id).execute();
    }
    await page.goto(`/digital-product/${product.id}`);
    await expect(related.getByRole('heading', { level: 3 })).toHaveText(
      ['Sold 8005 times', 'Sold 8004 times', 'Sold 8003 times', 'Sold 8002 times'],
      { timeout: 3_000 },
    );
  }).toPass();

  await related.getByRole('link', { name: 'See all' }).click();
  await expect(page).toHaveURL('/?category=Game+Accounts');
  await expect(page.getByRole('combobox', { name: 'Category' })).toHaveValue('Game Accounts');
});

test('Back leads to the list as it was left, even after another product', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto('/?sort=price_asc');
  await expect(page.locator('#splash')).toHaveCount(0);
  const card = page.getByRole('article').filter({ hasText: 'Steam Keys' }).last().getByRole('link');
  await card.scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => window.scrollY);
  expect(place).toBeGreaterThan(500);

  await card.click();
  await page
    .getByRole('region', { name: /^More in/ })
    .getByRole('article')
    .first()
    .getByRole('link')
    .click();
  await expect(page.getByRole('link', { name: 'All products' }).first()).toHaveAttribute('href', '/?sort=price_asc');
  await page.getByRole('main').getByRole('link', { name: 'All products' }).click();
  await expect(page).toHaveURL('/?sort=price_asc');
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(place);
});

test('sharing copies the URL with 2 s of feedback if the system has no share dialog', async ({
  page,
  context,
  stockUp,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { id } = await stockUp();
  await page.clock.install();
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'share'));
  await page.goto(`/digital-product/${id}?from=a-mail`);
  await page.clock.pauseAt(inMinutes(1));
  await page.getByRole('button', { name: 'Share' }).click();
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    new URL(`/digital-product/${id}`, page.url()).href,
  );
  await page.clock.runFor(1900);
  await expect(page.getByRole('button', { name: 'Link copied' })).toBeVisible();
  await page.clock.runFor(200);
  await expect(page.getByRole('button', { name: 'Share' })).toBeVisible();
});

test('a missing product shows a not-found page, for a valid and an invalid id', async ({ page, complaints }) => {
  for (const id of ['a-nice-game', randomUUID()]) {
    complaints.expectFailedRequest(`/digital-product/${id}`, 404);
    complaints.expectFailedRequest(`/api/digital-products/${id}`, id === 'a-nice-game' ? 400 : 404);
    await page.goto(`/digital-product/${id}`);
    await expect(page.getByRole('heading', { name: 'Product not found' })).toBeVisible();
    await expect(page).toHaveTitle(/^Product not found · /);
  }
  await looksRightEverywhere(page);
  await page.getByRole('link', { name: 'Browse products' }).click();
  await expect(page).toHaveURL('/');
});

test('a loading product shows a placeholder, and a failed load can be retried', async ({
  page,
  stockUp,
  complaints,
}) => {
  const { id, name } = await stockUp();
  await withoutFirstData(page);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const path = `/api/digital-products/${id}`;
  await page.route(path, async (route) => {
    await answered;
    await route.fulfill({ status: 403, json: {} });
  });
  complaints.expectFailedRequest(path, 403);
  await page.goto(`/digital-product/${id}`);
  await expect(main(page).getByRole('status')).toHaveText('Loading the product');
  answer();
  await expect(page.getByRole('heading', { name: 'This product did not load' })).toBeVisible();
  await page.unroute(path);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name })).toBeVisible();
});

test('on a phone "Add to cart" stays visible, and the floating cart button covers no control', async ({
  page,
  stockUp,
}) => {
  const { id } = await stockUp({ items: 3, description: 'A long story. '.repeat(60) });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/digital-product/${id}`);
  const add = page.getByRole('button', { name: 'Add to cart' });
  await expect(add).toBeInViewport({ ratio: 1 });
  await add.click();
  const floating = page.getByRole('button', { name: 'Open cart, 1 item' });
  await expect(floating).toBeVisible();

  /** Returns what can be clicked and is partly under the floating button, at any scroll position. */
  const covered = () =>
    floating.evaluate((button) => {
      const names = new Set<string>();
      for (let top = 0; top <= document.documentElement.scrollHeight; top += 20) {
        window.scrollTo(0, top);
        const { left, right, top: upper, bottom } = button.getBoundingClientRect();
        for (const x of [left + 8, (left + right) / 2, right - 8]) {
          for (const y of [upper + 8, (upper + bottom) / 2, bottom - 8]) {
            const below = document.elementsFromPoint(x, y).find((element) => !button.contains(element));
            const pressed = below?.closest('a, button');
            if (pressed) names.add(pressed.textContent ?? '');
          }
        }
      }
      return [...names];
    });
  expect(await covered()).toEqual([]);
  await expect(add).toBeInViewport({ ratio: 1 });
});

test('a phone held sideways shows the product down to its lower edge, and "Add to cart" scrolls with the page', async ({
  page,
  stockUp,
}) => {
  const { id } = await stockUp({ items: 3 });
  await page.setViewportSize({ width: 667, height: 375 });
  await page.goto(`/digital-product/${id}`);
  const add = page.getByRole('button', { name: 'Add to cart' });
  await expect(add).toBeAttached();
  await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
  const top = async () => (await add.boundingBox())?.y ?? 0;
  const before = await top();
  await page.mouse.move(300, 200);
  await page.mouse.wheel(0, 60);
  await expect.poll(top).toBe(before - 60);
  await add.click();
  await expect(page.getByRole('button', { name: 'Open cart, 1 item' })).toBeVisible();
});

test('a product that is described from right to left is shown so, on its page and in the cart', async ({
  page,
  stockUp,
}) => {
  const [name, description, instructions] = ['مفتاح Quest (PC)', 'مفتاح واحد.', 'أدخل المفتاح.'];
  const { id } = await stockUp({ name, description, delivery_instructions: instructions });
  await page.goto(`/digital-product/${id}`);
  for (const text of [name, description, instructions]) {
    await expect(main(page).getByText(text, { exact: true })).toHaveCSS('direction', 'rtl');
  }
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByRole('button', { name: 'Shopping cart, 1 item' }).click();
  await expect(page.getByRole('dialog').getByRole('link', { name })).toHaveCSS('direction', 'rtl');
});

test('long words of a product wrap and do not widen the page on a phone', async ({ page, shop, stockUp }) => {
  const word = 'Unbreakable'.repeat(9);
  await page.setViewportSize({ width: 360, height: 800 });
  const digital = await stockUp({
    name: word,
    description: word,
    platform: word.slice(0, 60),
    delivery_instructions: word,
  });
  const physical = await makePhysicalProduct(shop, { category: word.slice(0, 60), brand: word.slice(0, 60) });
  for (const path of [`/digital-product/${digital.id}`, `/product/${physical}`]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const rights = await main(page)
      .getByRole('article')
      .first()
      .locator('h1, p, dd')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right));
    expect(Math.max(...rights)).toBeLessThanOrEqual(360);
  }
});

test('a product with a long description can be bought without scrolling', async ({ page, stockUp }) => {
  const { id } = await stockUp({ description: 'A long story.\n'.repeat(200) });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/digital-product/${id}`);
  await expect(page.getByRole('button', { name: 'Add to cart' })).toBeInViewport();
});
