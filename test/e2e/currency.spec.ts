import { expect, type Page } from '@playwright/test';
import { currencies, currencyCodes } from '../../src/shared/currency.ts';
import { test } from './fixtures.ts';
import { LIGHT_PAGE, leaveInStorage, stored } from './steps.ts';

// IP addresses, by the countries to which the registries assigned them.
const from = { malaysia: '175.136.0.1', japan: '133.1.1.1', germany: '85.214.132.117', india: '49.32.0.1' };

/** Sets the header that the proxy in front of the shop would set. */
const visitFrom = (page: Page, address: string) => page.setExtraHTTPHeaders({ 'x-forwarded-for': address });

const trigger = (page: Page) => page.getByRole('button', { name: /^Currency:/ });
const preference = (page: Page) => stored(page, 'preferredCurrency');
const priceOnPage = (page: Page, id: string) => page.locator('main').getByText(id).first();

test('a first visit shows prices in the currency of the country, and saves that currency', async ({
  page,
  stockUp,
}) => {
  const { id } = await stockUp();
  for (const [country, code, price] of [
    ['malaysia', 'MYR', 'RM47.20'],
    ['japan', 'JPY', '¥1,495'],
    ['germany', 'EUR', '€9.20'],
    ['india', 'USD', '$10.00'],
  ] as const) {
    await test.step(`from ${country} in ${code}`, async () => {
      await visitFrom(page, from[country]);
      await page.goto(`/digital-product/${id}`);
      await expect(trigger(page)).toHaveText(code);
      await expect(priceOnPage(page, price)).toBeVisible();
      await expect.poll(() => preference(page)).toBe(code);
      await page.evaluate(() => localStorage.clear());
    });
  }
});

test('a saved currency overrides the country, and an unknown saved currency is ignored', async ({ page }) => {
  await leaveInStorage(page, { preferredCurrency: 'GBP' });
  await visitFrom(page, from.malaysia);
  await page.goto(LIGHT_PAGE);
  await trigger(page).click();
  await expect(page.getByText('Detected: Malaysia')).toBeVisible();
  await expect(trigger(page)).toHaveText('GBP');
  expect(await preference(page)).toBe('GBP');

  await leaveInStorage(page, { preferredCurrency: 'XYZ' });
  await page.goto(LIGHT_PAGE);
  await expect(trigger(page)).toHaveText('MYR');
});

test('without a known country the saved currency is used, or US dollars', async ({ page, complaints }) => {
  const located = page.waitForResponse('/api/location');
  await page.goto(LIGHT_PAGE);
  await (await located).finished();
  await expect(trigger(page)).toHaveText('USD');
  expect(await preference(page)).toBeNull();

  complaints.expectBrokenConnection('/api/location');
  await page.route('/api/location', (route) => route.abort('connectionreset'));
  await leaveInStorage(page, { preferredCurrency: 'THB' });
  const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/location'));
  await page.goto(LIGHT_PAGE);
  await failed;
  await expect(trigger(page)).toHaveText('THB');
  await trigger(page).click();
  await expect(page.getByRole('heading', { name: 'Select Currency' })).toBeVisible();
  await expect(page.getByText('Detected')).toHaveCount(0);
});

test('the menu lists each currency with symbol and rate, marks the selected one and names the charged currency', async ({
  page,
  stockUp,
}) => {
  const { id } = await stockUp();
  await visitFrom(page, from.malaysia);
  await page.goto(`/digital-product/${id}`);
  await expect(trigger(page)).toHaveText('MYR');
  await trigger(page).click();

  const options = page.getByRole('button').filter({ hasText: /^\S+[A-Z]{3}[\d.]+$/ });
  await expect(options).toHaveText(
    currencyCodes.map((code) => `${currencies[code].symbol}${code}${currencies[code].rate}`),
  );
  await expect(page.locator('[aria-current]').filter({ visible: true })).toHaveText('RMMYR4.72');
  await expect(page.getByText('Prices are converted from USD. Payment is in USD.')).toBeVisible();

  await page.getByRole('button', { name: 'GBP' }).click();
  await expect(trigger(page)).toBeFocused();
  await expect(priceOnPage(page, '£7.90')).toBeVisible();
  expect(await preference(page)).toBe('GBP');
});

test('a sold-out product, too, says that payment is in USD when its price is in another currency', async ({
  page,
  stockUp,
}) => {
  const { id } = await stockUp({ items: 0, price_cents: 1000 });
  await leaveInStorage(page, { preferredCurrency: 'MYR' });
  await page.goto(`/digital-product/${id}`);
  const product = page.getByRole('article').first();
  await expect(product).toContainText('RM47.20');
  await expect(product).toContainText('Payment is always in USD.');
});
