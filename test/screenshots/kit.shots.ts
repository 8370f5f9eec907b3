import { expect } from '@playwright/test';
import { testOfKit as test } from '../e2e/dev-server.ts';
import { shoot } from './shoot.ts';

test('the kit, and what opens in it', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Containers' })).toBeVisible({ timeout: 40_000 });
  await shoot(page, 'kit');
  await page.getByRole('button', { name: 'Open dialog' }).click();
  await shoot(page, 'kit-dialog');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Open drawer' }).click();
  await shoot(page, 'kit-drawer');
  await page.keyboard.press('Escape');
});
