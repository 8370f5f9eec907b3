import { expect, type Locator, type Page } from '@playwright/test';
import { test } from './fixtures.ts';
import { newEmail, PASSWORD } from './steps.ts';

const MOST_STOPS = 80;

/** Presses Tab until the element has the focus, as a user without a mouse does. Every stop must show the focus. */
async function tabTo(page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press(key);
    expect(await unseenFocus(page)).toBeNull();
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`${MOST_STOPS} stops did not lead to ${wanted}`);
}

/** Returns the element that has the focus without a ring around it; null if it has a ring. */
function unseenFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused === document.documentElement) return null;
    const { outlineStyle, outlineWidth } = getComputedStyle(focused);
    const hasRing = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
    return hasRing ? null : focused.outerHTML.slice(0, 200);
  });
}

test('a guest buys and reads a key with the keyboard alone', async ({ page, stockShelf }) => {
  const product = await stockShelf({ name: 'Keyboard Quest Saga' });
  await page.goto('/');
  await expect(page.locator('#splash')).toHaveCount(0);

  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('searchbox', { name: 'Search products' }));
  await page.keyboard.type('keyboard quest');
  await expect(page.getByRole('status').filter({ hasText: /^1 product$/ })).toBeVisible();
  await tabTo(page, page.getByRole('link', { name: product.name }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: product.name, level: 1 })).toBeVisible();

  await tabTo(page, page.getByRole('button', { name: 'Add to cart' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Added to cart');
  const cartButton = page.getByRole('banner').getByRole('button', { name: 'Shopping cart, 1 item' });
  await tabTo(page, cartButton, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveAttribute('open');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(cartButton).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Proceed to Checkout' }));
  await page.keyboard.press('Enter');

  const answers: [label: string, text: string][] = [
    ['Full Name', 'Aminah Yusof'],
    ['Email', newEmail()],
    ['Password', PASSWORD],
    ['Confirm Password', PASSWORD],
    ['Card number', '4242424242424242'],
    ['Expiry date', '1240'],
    ['Security code', '123'],
  ];
  await expect(page.getByRole('heading', { name: 'Checkout' })).toBeVisible();
  for (const [label, text] of answers) {
    await tabTo(page, page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  }
  await tabTo(page, page.getByRole('button', { name: 'Pay $10.60' }));
  await page.keyboard.press('Enter');
  // The heading is shown for 2 s, and expect() would look only once a second.
  await page.locator('h1:focus', { hasText: 'Order Successful' }).waitFor();

  await expect(page).toHaveURL('/orders');
  await expect(page.getByRole('article')).toHaveCount(1);
  await tabTo(page, page.getByRole('link', { name: /^View Items/ }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Show item 1' })).toBeVisible();
  await tabTo(page, page.getByRole('button', { name: 'Show item 1' }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('code')).toHaveText(product.keys[0] ?? '');
});

test('submitting an empty form by keyboard moves the focus to the first invalid field', async ({ page, stockUp }) => {
  const { id } = await stockUp();
  await page.goto(`/digital-product/${id}`);
  await page.getByRole('button', { name: 'Add to cart' }).press('Enter');
  await page.goto('/checkout');
  const pay = page.getByRole('button', { name: /^Pay/ });
  await expect(pay).toBeEnabled();
  await pay.press('Enter');
  await expect(page.getByLabel('Full Name')).toBeFocused();
  await expect(page.getByLabel('Full Name')).toHaveAccessibleDescription('Please enter your full name');
});

/** Whether the middles of all edges of the focused element are on the screen, with no other element on top. */
const isFocusInSight = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement ?? document.body;
    const { left, right, top, bottom } = focused.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const middles: [number, number][] = [
      [left + 1, y],
      [right - 1, y],
      [x, top + 1],
      [x, bottom - 1],
    ];
    return middles.every((point) => focused.contains(document.elementFromPoint(...point)));
  });

test('a menu of the header closes when Tab leaves it, and covers no element that gets the focus', async ({ page }) => {
  // A window of 1280 x 1024 at a zoom of 400 %.
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto('/login');
  const email = page.getByLabel('Email');
  const currencies = page.getByRole('heading', { name: 'Select Currency' });
  await page.getByRole('button', { name: 'Currency: USD' }).press('Enter');
  await expect(currencies).toBeVisible();
  await tabTo(page, email);
  await expect(currencies).toBeHidden();
  expect(await isFocusInSight(page)).toBe(true);

  // In Firefox, Shift+Tab goes from the first currency to the panel itself, because it scrolls.
  const panel = page.locator('[popover=auto]');
  await panel.evaluate((element: HTMLElement) => {
    element.tabIndex = 0;
  });
  await page.getByRole('button', { name: 'Currency: USD' }).press('Enter');
  await panel.getByRole('button').first().focus();
  await panel.focus();
  await expect(panel).toBeFocused();
  await expect(currencies).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(currencies).toBeHidden();

  const toggle = page.getByRole('button', { name: 'Menu', exact: true });
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await toggle.press('Enter');
  await tabTo(page, menu.getByRole('link', { name: 'Sign In' }));
  await tabTo(page, email);
  await expect(menu).toBeHidden();
  expect(await isFocusInSight(page)).toBe(true);
});

test('a product beside the screen of a phone scrolls into sight when it gets the focus', async ({
  page,
  stockShelf,
}) => {
  const category = 'eBooks';
  const { id } = await stockShelf({ category });
  for (let place = 1; place <= 3; place++) await stockShelf({ category });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`/digital-product/${id}`);
  const related = page.getByRole('region', { name: 'More in eBooks' }).getByRole('listitem');
  await related.first().getByRole('link').focus();
  for (const control of [related.nth(1).getByRole('link'), related.nth(1).getByRole('button')]) {
    await tabTo(page, control);
    await expect.poll(() => isFocusInSight(page)).toBe(true);
  }
});
