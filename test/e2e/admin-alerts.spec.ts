import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { insertAlert } from '../../src/server/features/admin/alerts.queries.ts';
import { orderNumber } from '../../src/shared/format.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';

test('an alert stays on the overview until an administrator acknowledges it with a reason', async ({
  page,
  shop,
  admin: _,
}) => {
  const subject = `pi_${randomUUID().replaceAll('-', '')}`;
  await insertAlert(shop.db, { kind: 'unknown-payment', subject, order_id: null }, new Date());
  await page.goto('/admin');
  const alert = page.getByRole('listitem').filter({ hasText: subject });
  await expect(alert).toContainText('Payment without an order');
  await looksRightEverywhere(page);

  await alert.getByRole('button', { name: 'Acknowledge: Payment without an order' }).click();
  const dialog = page.getByRole('dialog', { name: 'Acknowledge' });
  await expect(dialog).toContainText(subject);
  await dialog.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(dialog.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByRole('textbox').fill('Refunded by hand');
  await dialog.getByRole('button', { name: 'Acknowledge' }).click();

  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Acknowledged');
  await expect(alert).toHaveCount(0);
  const read = page.waitForResponse('/api/admin/alerts');
  await page.reload();
  await (await read).finished();
  await expect(page.getByRole('heading', { name: 'Dashboard Overview' })).toBeVisible();
  await expect(alert).toHaveCount(0);
});

test('an alert about an order links to it by its number and shows no id', async ({ page, shop, admin, stockUp }) => {
  const order = await buyAsCustomer(shop, admin, [{ product: await stockUp(), quantity: 1 }]);
  await insertAlert(shop.db, { kind: 'dispute-lost', subject: order, order_id: order }, new Date());
  await insertAlert(shop.db, { kind: 'refund-failed', subject: `${randomUUID()}/re_1`, order_id: order }, new Date());
  await page.goto('/admin');
  const number = `#${orderNumber(order)}`;
  const alerts = page
    .getByRole('region', { name: 'Needs attention' })
    .getByRole('listitem')
    .filter({ hasText: number });
  await expect(alerts).toHaveCount(2);
  for (const alert of await alerts.all()) {
    await expect(alert).not.toContainText(/[0-9a-f]{8}-[0-9a-f]{4}/);
    await expect(alert.getByRole('link')).toHaveAttribute('href', `/admin/orders/${order}`);
    await alert.getByRole('button', { name: /^Acknowledge/ }).click();
    await expect(page.getByRole('dialog')).toContainText(`not raised again for order ${number}.`);
    await page.keyboard.press('Escape');
  }
});

test('an alert about an item without an order links to its product by name and shows no id', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const { id, name } = await stockUp();
  const item = await shop.db.selectFrom('items').select('id').where('product_id', '=', id).executeTakeFirstOrThrow();
  await insertAlert(shop.db, { kind: 'unreadable-item', subject: item.id, order_id: null }, new Date());
  await page.goto('/admin');
  const alert = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').filter({ hasText: name });
  await expect(alert).not.toContainText(item.id);
  await alert.getByRole('button', { name: /^Acknowledge/ }).click();
  await expect(page.getByRole('dialog')).toContainText(`not raised again for ${name}.`);
  await page.keyboard.press('Escape');
  await alert.getByRole('link', { name }).click();
  await expect(page.getByRole('listitem').filter({ hasText: name })).toHaveCount(1);
});
