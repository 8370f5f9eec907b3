import { expect } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { openProviderDesk } from '../faults/provider-desk.ts';
import { CARDS, createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { newEmail } from './steps.ts';

test('an administrator retries a failed refund and settles the next failure in another way', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp({ items: 1 });
  const guest = { email: newEmail() };
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], guest, CARDS.slowRefund);
  const bank = await openProviderDesk(shop.db);
  const order = shop.db.selectFrom('orders').selectAll().where('id', '=', orderId);
  const { payment_intent_id: intentId } = await order.executeTakeFirstOrThrow();
  const refund = shop.db.selectFrom('refunds').select('state').where('order_id', '=', orderId);
  const stateOfRefund = async () => (await refund.executeTakeFirst())?.state;
  const fail = async () => {
    await bank.endRefund(intentId ?? '', { status: 'failed', reason: 'expired_or_canceled_card' });
    // The shop itself would send an event that another process wrote only after 15 seconds.
    const event = (await bank.listEvents(intentId ?? '')).at(-1);
    expect(await bank.deliver(shop.url, event?.payload ?? '')).toBe(200);
    await expect.poll(stateOfRefund).toBe('failed');
    await page.reload();
  };

  await page.goto(`/admin/orders/${orderId}`);
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await expect(dialog.getByRole('radio', { name: 'All that is left ($10.60)' })).toBeFocused();
  await dialog.getByLabel('Reason').fill('It does not work');
  await dialog.getByRole('button', { name: 'Refund $10.60' }).click();
  await expect(dialog).toBeHidden();
  const refunds = page.getByRole('region', { name: 'Refunds' });
  await expect(refunds).toContainText('Under way');

  await fail();
  await expect(refunds).toContainText('Refund failed: Expired or canceled card');
  await looksRightEverywhere(page, [1440, 360]);
  await refunds.getByRole('button', { name: 'Try again' }).click();
  await expect(refunds).toContainText('Under way');
  await expect(refunds.getByRole('button', { name: 'Try again' })).toBeHidden();

  await fail();
  await refunds.getByRole('button', { name: 'Settled in another way' }).click();
  const settling = page.getByRole('dialog', { name: 'Settled in another way' });
  await settling.getByLabel('Reason').fill('Bank transfer of Monday');
  await settling.getByRole('button', { name: 'Settled in another way' }).click();
  await expect(settling).toBeHidden();
  await expect(refunds).toContainText('Given in another way: Bank transfer of Monday');
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Bank transfer of Monday');
  expect(await order.executeTakeFirstOrThrow()).toMatchObject({ state: 'refunded', refunded_cents: 1060 });
});

test('a failed partial refund has no actions, and says why, while a refund of the rest is in progress', async ({
  page,
  shop,
  stockUp,
  admin,
}) => {
  const product = await stockUp({ items: 2 });
  const guest = { email: newEmail() };
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 2 }], guest, CARDS.slowRefund);
  const order = shop.db.selectFrom('orders').selectAll().where('id', '=', orderId);
  const { payment_intent_id: intentId } = await order.executeTakeFirstOrThrow();
  const line = shop.db.selectFrom('order_lines').select('id').where('order_id', '=', orderId);
  const lines = [{ line: (await line.executeTakeFirstOrThrow()).id, quantity: 1 }];
  const staff = createShopper(shop.url);
  await staff.signIn(admin.email, TEST_PASSWORD);
  const refund = (body: object) => staff.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Broken', ...body });
  expect((await refund({ lines })).status).toBe(200);
  const bank = await openProviderDesk(shop.db);
  await bank.endRefund(intentId ?? '', { status: 'failed' });
  expect(await bank.deliver(shop.url, bank.writeEvent('refund.updated', intentId ?? ''))).toBe(200);

  await page.goto(`/admin/orders/${orderId}`);
  const refunds = page.getByRole('region', { name: 'Refunds' });
  const settle = refunds.getByRole('button', { name: 'Settled in another way' });
  await expect(settle).toBeVisible();
  expect((await refund({})).status).toBe(200);
  await page.reload();
  await expect(refunds).toContainText('A refund of the remaining amount is in progress and may include this one');
  await expect(refunds.getByRole('button')).toHaveCount(0);
});

test('an order with two badges has its total beside its number on the overview', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const product = await stockUp();
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: newEmail() });
  const order = shop.db.updateTable('orders').where('id', '=', orderId);
  await order.set({ refunded_cents: 500 }).execute();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/admin');
  const row = page.getByRole('region', { name: 'Recent Orders' }).getByRole('listitem').first();
  await expect(row).toContainText('Partly refunded');
  const number = await row.getByText(`#${orderNumber(orderId)}`).boundingBox();
  const total = await row.getByText('$10.60').boundingBox();
  expect(total?.y).toBeLessThan((number?.y ?? 0) + (number?.height ?? 0));
});
