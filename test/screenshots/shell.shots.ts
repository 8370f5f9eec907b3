import { expect } from '@playwright/test';
import { test } from '../e2e/fixtures.ts';
import { leaveInStorage, savedCart } from '../e2e/steps.ts';
import { THEMES, WIDTHS } from './pictures.ts';
import { shoot, shootAtOnce } from './shoot.ts';

test('the cart, filled and empty', async ({ page, stockUp }) => {
  const product = await stockUp({ name: 'A Game With Quite a Long Name: The Definitive Edition' });
  await leaveInStorage(page, {
    guestCart: savedCart([{ product }, { product: await stockUp({ items: 3 }), quantity: 3 }]),
    preferredCurrency: 'MYR',
  });
  await page.goto('/register');
  await page.getByRole('button', { name: 'Shopping cart, 4 items' }).click();
  const cart = page.getByRole('dialog');
  await cart.getByRole('button', { name: `Increase quantity of ${product.name}` }).click();
  await expect(cart.getByRole('alert')).toBeVisible();
  await shoot(page, 'cart');
  const remove = cart.getByRole('button', { name: /^Remove/ });
  await remove.first().click();
  await remove.click();
  await shoot(page, 'cart-empty');
});

test('the menu of currencies', async ({ page }) => {
  await page.route('/api/location', (route) =>
    route.fulfill({
      json: { success: true, country_code: 'MY', country_name: 'Malaysia', ip: '203.0.113.7', city: 'Ipoh' },
    }),
  );
  await page.goto('/register');
  for (const width of [390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByRole('button', { name: /^Currency/ }).click();
    await expect(page.getByRole('heading', { name: 'Select Currency' })).toBeVisible();
    await shoot(page, 'shell-currencies', [width]);
    await page.keyboard.press('Escape');
  }
});

test('the menu of a phone, for a visitor and for a customer', async ({ page, customer, signedIn }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  await page.goto('/register');
  await menu.click();
  await shoot(page, 'shell-menu-visitor', [390]);
  await signedIn(page, customer);
  await page.goto('/register');
  await menu.click();
  await shoot(page, 'shell-menu-customer', [390]);
});

test('the information pages', async ({ page }) => {
  for (const slug of ['about', 'faq', 'contact']) {
    await page.goto(`/info/${slug}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await shoot(page, `info-${slug}`);
  }
});

test('a screen whose code cannot be loaded', async ({ page, complaints }) => {
  complaints.expectBrokenConnection(/register-screen/);
  await page.route('**/assets/register-screen-*.js', (route) => route.abort('connectionreset'));
  await page.goto('/register');
  await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
  await shoot(page, 'shell-screen-failed');
});

test('a page that broke', async ({ page }) => {
  await page.goto('/register');
  await page.evaluate(() => {
    document.getElementById('root')?.remove();
    document.getElementById('failure')?.removeAttribute('hidden');
  });
  for (const theme of THEMES) {
    // The page no longer applies the theme by itself.
    await page.evaluate((dark) => document.documentElement.classList.toggle('dark', dark), theme === 'dark');
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 780 });
      await shootAtOnce(page, 'shell-page-failed', theme);
    }
  }
});
