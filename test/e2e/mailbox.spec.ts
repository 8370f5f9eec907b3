import { expect, type Page } from '@playwright/test';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { beyondTheEdge, faults } from './looks-right.ts';
import { mailTo } from './mails.ts';
import { newEmail } from './steps.ts';

test.use({ viewport: { width: 360, height: 740 } });

async function looksRight(page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect.soft(await beyondTheEdge(page)).toEqual([]);
    expect.soft(await faults(page), `faults of accessibility in ${colorScheme}`).toEqual([]);
  }
}

test('a demo mail can be read in the browser, in both themes and on a phone, and its link works', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  complaints.expectBlockedScripts();
  const email = newEmail();
  await createShopper(shop.url).authorise([{ product: await stockUp(), quantity: 1 }], { email });
  // The page that paid was closed: the webhook finishes the order.
  await mailTo(shop, { email, subject: /is ready/ });

  await page.goto('/demo/mailbox');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mailbox');
  await looksRight(page);
  await page.getByRole('link', { name: email }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Your order \w{8} is ready$/);
  await expect(page.getByText(email)).toBeVisible();
  await looksRight(page);
  const action = page.frameLocator('iframe').getByRole('link', { name: 'Choose a password and view your items' });
  // The content policy allows the mail's inline styles, so the link looks like a button.
  await expect(action).toHaveCSS('display', 'inline-block');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(action).toHaveCSS('background-color', 'rgb(11, 102, 80)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(action).toHaveCSS('background-color', 'rgb(88, 208, 169)');

  await page.getByText('As plain text').click();
  await expect(page.locator('pre')).toContainText('/claim?token=');
  await action.click();
  await expect(page).toHaveURL(/\/claim\?token=/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('the page of a missing mail links to all mail', async ({ page, complaints }) => {
  const path = '/demo/mailbox/0198c0de-0000-7000-8000-000000000001';
  complaints.expectFailedRequest(path, 404);
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such mail');
  await page.getByRole('link', { name: 'All mail' }).click();
  await expect(page).toHaveURL(/\/demo\/mailbox$/);
});
