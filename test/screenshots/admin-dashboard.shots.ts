import { expect } from '@playwright/test';
import { demoAccounts } from '../../src/server/demo/make-demo-data.ts';
import { test } from '../e2e/fixtures.ts';
import { leaveInStorage } from '../e2e/steps.ts';
import { createShopper } from '../shopper.ts';
import { shoot } from './shoot.ts';

test('the dashboard', async ({ page, shop }) => {
  const [, { email, password } = { email: '', password: '' }] = demoAccounts;
  const { body } = await createShopper(shop.url).signIn(email, password);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto('/admin');
  await expect(page.getByRole('region', { name: 'Low Stock' }).getByRole('link').first()).toBeVisible();
  await expect(page.locator('.recharts-surface').first()).toBeVisible();
  await shoot(page, 'admin-overview');
});
