import { expect } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import { writeAudit } from '../../src/server/features/admin/audit-log.ts';
import { orderNumber } from '../../src/shared/format.ts';
import { makeUser } from '../factories.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { productList } from './steps.ts';

test('the audit log shows actor, action, time and IP address, can be searched, and links to the subject', async ({
  page,
  shop,
  signedIn,
  complaints,
}) => {
  const admin = await makeUser(shop, { role: 'admin', email: `boss-${uuidv7()}@example.com` });
  const product = uuidv7();
  const write = (summary: string, at: string, subject: Parameters<typeof writeAudit>[2]['subject']) =>
    shop.db
      .transaction()
      .execute((trx) =>
        writeAudit({ ...shop, clock: { now: () => new Date(at) } }, trx, {
          actor: { userId: admin.id, name: admin.email, ip: '203.0.113.7' },
          action: `${subject.type}.updated`,
          subject,
          summary,
        }),
      );
  await write('Changed "Desk Lamp": stock 3 to 4', '2031-05-01T03:05:00Z', { type: 'physical-product', id: product });
  await write('Changed "<img src=x onerror=alert(1)>"', '2031-05-02T03:05:00Z', { type: 'order', id: product });

  await signedIn(page, admin);
  await page.goto('/admin');
  await page.getByRole('link', { name: 'Audit log' }).click();
  const entries = page.getByRole('article');
  const search = page.getByLabel('Search the audit log');
  await search.fill(admin.email.toUpperCase());
  await expect(entries).toHaveCount(3);
  await expect(page.getByText('3 entries', { exact: true })).toBeVisible();
  await expect(entries.first()).toContainText(`${admin.email} signed in`);
  await expect(entries.nth(1)).toContainText('Changed "<img src=x onerror=alert(1)>"');
  await expect(entries.last()).toContainText('Physical product updated');
  await expect(entries.last()).toContainText(`by ${admin.email}`);
  await expect(entries.last()).toContainText('from 203.0.113.7');
  await expect(entries.last()).toContainText(/1 May 2031, \d\d:05 GMT\S+/);
  await expect(entries.last().getByRole('link', { name: 'View product' })).toHaveAttribute(
    'href',
    `/admin/products/${product}`,
  );
  await looksRightEverywhere(page);

  await page.getByLabel('From', { exact: true }).fill('2031-05-02');
  await expect(entries).toHaveCount(1);
  await expect(page).toHaveURL(/from=2031-05-02/);
  await page.reload();
  await expect(entries).toHaveCount(1);
  await page.getByLabel('To', { exact: true }).fill('2031-05-02');
  await search.fill('nothing like it');
  await expect(page.getByRole('heading', { name: 'No entries found' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/admin/audit-log');
  await expect(entries.first()).toBeVisible();
  await search.fill('onerror');
  complaints.expectFailedRequest(`/api/admin/orders/${product}`, 404);
  await entries
    .first()
    .getByRole('link', { name: `View order #${orderNumber(product)}` })
    .click();
  await expect(page).toHaveURL(`/admin/orders/${product}`);
});

test('a failed load of the audit log shows an error, and a retry loads the entries page by page', async ({
  page,
  shop,
  signedIn,
  complaints,
}) => {
  const admin = await makeUser(shop, { role: 'admin', email: `busy-${uuidv7()}@example.com` });
  await shop.db.transaction().execute(async (trx) => {
    for (let index = 1; index <= 120; index += 1) {
      await writeAudit(shop, trx, {
        actor: { userId: admin.id, name: admin.email, ip: '' },
        action: 'user.updated',
        subject: { type: 'user', id: admin.id },
        summary: `Change ${index}`,
      });
    }
  });
  await signedIn(page, admin);
  complaints.expectFailedRequest('/api/admin/audit-log', 400);
  const address = '**/api/admin/audit-log*';
  const refusal = { success: false, code: 'VALIDATION_FAILED', message: 'The log cannot be read now' };
  await page.route(address, (route) => route.fulfill({ status: 400, json: refusal }));
  await page.goto(`/admin/audit-log?q=${admin.email}`);
  await expect(page.getByRole('alert')).toContainText('Failed to load the audit logThe log cannot be read now');
  await page.unroute(address);
  await page.getByRole('button', { name: 'Try again' }).click();
  const entries = page.getByRole('article');
  await expect(entries).toHaveCount(100);
  const nextPage = '**/api/admin/audit-log*cursor=*';
  await page.route(nextPage, (route) => route.fulfill({ status: 400, json: refusal }));
  complaints.expectFailedRequest('/api/admin/audit-log', 400);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(page.getByRole('alert')).toHaveText('The next entries did not load.');
  await expect(entries).toHaveCount(100);
  await page.unroute(nextPage);
  await page.getByRole('button', { name: 'Load more' }).click();
  await expect(entries).toHaveCount(121);
  await expect(entries.last()).toContainText('Change 1');
  await expect(page.getByRole('button', { name: 'Load more' })).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a product name in Hebrew is isolated in the message about it and in the audit log', async ({
  page,
  admin: _,
  stockUp,
}) => {
  const product = await stockUp({ name: 'משחק 2' });
  const isolatedName = `"\u2068${product.name}\u2069"`;
  await page.goto(productList(product.name));
  await page.getByRole('button', { name: `Deactivate ${product.name}` }).click();
  const message = page.getByRole('region', { name: 'Notifications' });
  await expect(message).toContainText(`${isolatedName} has been deactivated and hidden from store`);
  await page.goto('/admin/audit-log');
  const entry = page.getByRole('list', { name: 'Entries' }).getByRole('article').first();
  await expect(entry.getByText(`Deactivated ${isolatedName}`)).toBeVisible();
});
