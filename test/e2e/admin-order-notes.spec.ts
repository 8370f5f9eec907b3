import { randomUUID } from 'node:crypto';
import { expect, type Route } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { leaveInStorage } from './steps.ts';

test('an administrator adds a note to an order, and the note shows its author', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  const notes = page.getByRole('region', { name: 'Notes' });
  await expect(notes).toContainText('No notes yet.');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await expect(notes.getByLabel('New note')).toHaveAccessibleDescription(/Please write a note/);
  await notes.getByLabel('New note').fill('The buyer called.\nWe call back on Monday.');
  await notes.getByRole('button', { name: 'Add note' }).click();
  const written = notes.getByRole('list', { name: 'Notes' }).getByRole('listitem');
  await expect(written).toContainText('The buyer called.');
  await expect(written).toContainText(admin.email);
  await expect(notes.getByLabel('New note')).toHaveValue('');
  await looksRightEverywhere(page, [1440, 360]);
});

test('a refund of an amount leaves the key with the buyer', async ({ page, shop, stockUp, customer, admin: _ }) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('An amount').check();
  await dialog.getByLabel('Reason').fill('A slow answer');
  const amount = dialog.getByLabel('Amount (USD)');
  await amount.fill('10.60');
  await dialog.getByRole('button', { name: 'Refund $10.60' }).click();
  await expect(amount).toHaveAccessibleDescription(/Please enter less than the \$10\.60 that is left/);
  await looksRightEverywhere(page, [360]);
  await amount.fill('2.50');
  await dialog.getByRole('button', { name: 'Refund $2.50' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('$2.50');
  await expect(page.getByRole('region', { name: 'Items' })).toContainText('Sold');
  const { refunded_cents, state } = await shop.db
    .selectFrom('orders')
    .selectAll()
    .where('id', '=', order)
    .executeTakeFirstOrThrow();
  expect({ refunded_cents, state }).toEqual({ refunded_cents: 250, state: 'fulfilled' });
});

test('a changed refund or note after a lost response shows what the first try did instead of success', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
  complaints,
}) => {
  const product = await stockUp({ items: 1 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const path = (action: string) => `/api/admin/orders/${order}/${action}`;
  /** The shop carries out the next call, and the page gets `answer` instead of the response. */
  const loseResponse = (action: string, answer: (route: Route) => Promise<void>) => {
    const lost = async (route: Route) => {
      await route.fetch();
      await answer(route);
    };
    return page.route(path(action), lost, { times: 1 });
  };
  await page.goto(`/admin/orders/${order}`);

  complaints.expectFailedRequest(path('refund'), 504);
  complaints.expectFailedRequest(path('refund'), 409);
  await loseResponse('refund', (route) => route.fulfill({ status: 504, body: 'Gateway Timeout' }));
  await page.getByRole('button', { name: 'Refund' }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('An amount').check();
  await dialog.getByLabel('Reason').fill('A slow answer');
  await dialog.getByLabel('Amount (USD)').fill('2.00');
  await dialog.getByRole('button', { name: 'Refund $2.00' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The answer was lost');
  await expect(dialog).toContainText('All that is left ($8.60)');
  await dialog.getByLabel('Amount (USD)').fill('3.00');
  await dialog.getByRole('button', { name: 'Refund $3.00' }).click();
  await expect(dialog.getByRole('alert')).toContainText('An earlier try has refunded $2.00 already');
  // Whoever has read that and presses again wants another refund.
  await dialog.getByRole('button', { name: 'Refund $3.00' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('region', { name: 'Refunds' }).getByRole('listitem')).toContainText(['$2.00', '$3.00']);

  complaints.expectBrokenConnection(path('notes'));
  complaints.expectFailedRequest(path('notes'), 409);
  await loseResponse('notes', (route) => route.abort('connectionreset'));
  const notes = page.getByRole('region', { name: 'Notes' });
  const note = notes.getByLabel('New note');
  await note.fill('He called');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await expect(notes.getByRole('list')).toContainText('He called');
  await note.fill('She called');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await expect(notes.getByRole('alert')).toContainText('An earlier try has written a note already');
  await expect(note).toHaveValue('She called');
  await notes.getByRole('button', { name: 'Add note' }).click();
  await expect(note).toHaveValue('');
  await expect(notes.getByRole('listitem')).toContainText(['She called', 'He called']);
});

test('an administrator corrects a mistyped email with a 2FA code', async ({
  page,
  shop,
  stockUp,
  admin,
  complaints,
}) => {
  const product = await stockUp({ items: 1 });
  const [wrong, right] = [`wrong-${randomUUID()}@example.com`, `right-${randomUUID()}@example.com`];
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: wrong });
  const shopper = createShopper(shop.url);
  await shopper.signIn(admin.email, TEST_PASSWORD);
  const app = await enableTwoFactor(shopper);
  const { pendingToken } = (await shopper.signIn(admin.email, TEST_PASSWORD)).body;
  const { body } = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: app.backupCodes[0] });
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });

  await page.goto(`/admin/orders/${orderId}`);
  await page.getByRole('button', { name: 'Correct email' }).click();
  const dialog = page.getByRole('dialog', { name: 'Correct email' });
  await expect(dialog).toContainText(wrong);
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(dialog.getByLabel('Right email')).toHaveAccessibleDescription('Please enter an email address');
  await dialog.getByLabel('Right email').fill(right);
  await dialog.getByLabel('Reason').fill('The buyer called');
  complaints.expectFailedRequest(/\/correct-email$/, 401);
  const code = dialog.getByRole('textbox', { name: 'Authentication code' });
  await code.pressSequentially('000000');
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Invalid 2FA code');
  await looksRightEverywhere(page, [1440, 360]);
  await code.pressSequentially(app.nextCode());
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(dialog).toBeHidden();
  const customer = page.getByRole('region', { name: 'Customer' });
  await expect(customer).toContainText(right);
  await expect(customer).toContainText('Items open');
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText(`from ${wrong} to ${right}`);
});
