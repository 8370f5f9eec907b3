import { expect } from '@playwright/test';
import { infoLinks } from '../../src/shared/pages.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

test('the footer describes the shop, shows its contact details, and links to every information page without a reload', async ({
  page,
}) => {
  await page.goto('/');
  const footer = page.getByRole('contentinfo');
  await expect(footer).toContainText(/secure digital marketplace, with instant delivery and secure payments/);
  await expect(footer).toContainText('Kuala Lumpur');
  await expect(footer.getByRole('link', { name: /^\+60/ })).toHaveAttribute('href', /^tel:\+60\d+$/);
  await expect(footer.getByRole('link', { name: /@/ })).toHaveAttribute('href', /^mailto:\S+@\S+$/);
  await page.evaluate(() => document.body.setAttribute('data-loaded-once', ''));
  for (const { slug, label } of infoLinks) {
    await footer.getByRole('link', { name: label, exact: true }).click();
    await expect(page).toHaveURL(`/info/${slug}`);
    await expect(
      page.getByRole('navigation', { name: 'Information' }).getByRole('link', { name: label }),
    ).toHaveAttribute('aria-current', 'page');
    const heading = page.getByRole('article').getByRole('heading', { level: 1 });
    await expect(heading).toBeVisible();
    await expect(page).toHaveTitle(`${await heading.textContent()} · Kedai`);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    if (!['faq', 'privacy', 'contact', 'refunds'].includes(slug)) continue;
    await looksRightEverywhere(page);
    await page.setViewportSize({ width: 1280, height: 720 });
  }
  await expect(page.locator('body')).toHaveAttribute('data-loaded-once');
});

test('links in an information page open without a reload, and only its text is printed', async ({ page }) => {
  await page.goto('/info/support');
  await page.evaluate(() => document.body.setAttribute('data-loaded-once', ''));
  await page.getByRole('article').getByRole('link', { name: 'FAQ' }).click();
  await expect(page.getByRole('heading', { name: 'Frequently asked questions' })).toBeVisible();
  await expect(page.locator('body')).toHaveAttribute('data-loaded-once');

  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('article')).toBeVisible();
});

test('an information page that does not exist redirects to the home page', async ({ page, complaints }) => {
  complaints.expectFailedRequest('/info/nothing-here', 404);
  complaints.expectFailedRequest('/api/info-pages/nothing-here', 404);
  await page.goto('/info/nothing-here');
  await expect(page).toHaveURL('/');
});
