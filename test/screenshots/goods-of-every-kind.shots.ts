import { expect, type Page } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { test } from '../e2e/fixtures.ts';
import { signIn } from '../e2e/steps.ts';
import { makeUser } from '../factories.ts';
import { shoot } from './shoot.ts';

const WIDTHS = [390, 1440];

async function openOrder(page: Page, containing: string) {
  await page.goto('/orders');
  const order = page.getByRole('article').filter({ hasText: containing });
  await order.getByRole('link', { name: /^Order #/ }).click();
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeVisible();
}

const openItems = async (page: Page) => {
  await page.getByRole('link', { name: 'View Items' }).click();
  await expect(page.getByRole('heading', { name: 'Need Help?' })).toBeVisible();
};

test('the pages of products of each way of delivery', async ({ page }) => {
  const products = { shared: 'Data Analysis with Python', file: 'Nasi Lemak at Dawn', manual: 'Stillwater Meditation' };
  for (const [kind, name] of Object.entries(products)) {
    await page.goto(`/?q=${encodeURIComponent(name)}`);
    await page.getByRole('article').getByRole('link', { name }).click();
    await expect(page.getByRole('button', { name: 'Add to cart' }).first()).toBeVisible();
    await shoot(page, `product-${kind}`, WIDTHS);
  }
});

test('an order that waits for a person, one with a report and a file, one with an account, and a receipt', async ({
  page,
}) => {
  await page.goto('/orders');
  await signIn(page, demoAccounts[0] ?? { email: '', password: '' });
  await expect(page.getByRole('article').first()).toBeVisible();
  await openOrder(page, 'Stillwater');
  await shoot(page, 'order-waiting', WIDTHS);
  await openItems(page);
  await shoot(page, 'order-items-waiting', WIDTHS);
  await openOrder(page, 'Nasi Lemak');
  await shoot(page, 'order-report', WIDTHS);
  await openItems(page);
  await shoot(page, 'order-items-file', WIDTHS);
  await openOrder(page, 'Harbour VPN');
  await openItems(page);
  await page.getByRole('button', { name: 'Show item 1' }).last().click();
  await shoot(page, 'order-items-account', WIDTHS);
  await page.getByRole('button', { name: 'Report a problem with item 1' }).last().click();
  await shoot(page, 'report-form', WIDTHS);
  await openOrder(page, 'Lamplighter');
  await shoot(page, 'order-shipped', WIDTHS);
  await page.getByRole('link', { name: /^Receipt/ }).click();
  await expect(page.getByRole('button', { name: 'Print' })).toBeVisible();
  await shoot(page, 'receipt', WIDTHS);
  await page.emulateMedia({ media: 'print' });
  await shoot(page, 'receipt-print', [1440]);
});

test('what administrators do for each kind', async ({ page, shop, signedIn }) => {
  await signedIn(page, await makeUser(shop, { role: 'admin' }));
  await page.goto('/admin?tab=problem-reports');
  await page.getByRole('article').filter({ hasText: 'Spotify' }).waitFor();
  await shoot(page, 'admin-reports', WIDTHS);
  await page.getByRole('article').filter({ hasText: 'Spotify' }).getByRole('link').click();
  await expect(page.getByRole('button', { name: 'Send answer' })).toBeVisible();
  await shoot(page, 'admin-report', WIDTHS);
  await page.goto('/admin?tab=orders&status=Processing&q=nadia');
  await page.getByRole('article').filter({ hasText: 'Stillwater' }).getByRole('link').click();
  await page.getByRole('button', { name: /^Deliver / }).click();
  await expect(page.getByText('Please enter what is delivered')).toBeVisible();
  await shoot(page, 'admin-order-deliver', WIDTHS);
  for (const [kind, name] of Object.entries({ shared: 'Data Analysis', file: 'Nasi Lemak', unique: 'Harbour VPN' })) {
    await page.goto(`/admin?tab=digital&q=${encodeURIComponent(name)}`);
    await page
      .getByRole('button', { name: /^Stock/ })
      .first()
      .click();
    await expect(page.getByRole('dialog')).toContainText(name);
    if (kind === 'unique') await page.getByText('Add an account').click();
    await shoot(page, `admin-stock-${kind}`, WIDTHS);
  }
});
