import { expect, type Locator, type Page } from '@playwright/test';
import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { enableTwoFactor } from '../authenticator.ts';
import { makeParcel, makeReview, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { CARDS, createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import type { RealShop } from './real-shop.ts';
import {
  awaitCalls,
  fillCard,
  holdBack,
  leaveInStorage,
  logOut,
  newEmail,
  openCheckout,
  payButton,
  press,
  problem,
  productDialog,
  signIn,
} from './steps.ts';

test.beforeEach(({ complaints }) => complaints.expectFailedRequest(/^\/api\//, 401));

interface Interrupted {
  page: Page;
  shop: RealShop;
  user: UserRow;
  /** Sends the typed text. */
  button: string | Locator;
}

/** Ends the sessions of `user`, of which the page learns at its next call. */
async function endSessions(page: Page, { db }: RealShop, user: UserRow): Promise<void> {
  await awaitCalls(page);
  await db.updateTable('sessions').set({ revoked_at: new Date() }).where('user_id', '=', user.id).execute();
}

/** Ends the session of `user` before the button is pressed, and signs in again. */
async function isInterrupted({ page, shop, user, button }: Interrupted): Promise<void> {
  const before = new URL(page.url());
  await endSessions(page, shop, user);
  await (typeof button === 'string' ? press(page, button) : button.click());
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: user.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL(before.pathname + before.search);
}

const keepsText = (field: Locator, text: string) => expect(field).toHaveValue(text);

test('typed profile details survive an ended session and the next login', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await press(page, 'Edit Profile');
  await page.getByLabel('Street').fill('18 Jalan Kenanga');
  await isInterrupted({ page, shop, user: customer, button: 'Save Changes' });
  await keepsText(page.getByLabel('Street'), '18 Jalan Kenanga');
  await press(page, 'Save Changes');
  await expect(page.getByRole('region', { name: 'My Details' })).toContainText('18 Jalan Kenanga');
  await press(page, 'Edit Profile');
  await page.getByLabel('Street').fill('Somewhere else');
  await press(page, 'Cancel');
  await press(page, 'Edit Profile');
  await keepsText(page.getByLabel('Street'), '18 Jalan Kenanga');
});

test('typed checkout details survive a session that ends at Pay, but not a logout', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await openCheckout(page, [{ product: await stockUp() }]);
  const [name, phone] = [page.getByLabel('Full Name'), page.getByLabel('Phone')];
  await name.fill('Aminah Yusof');
  await phone.fill('+60 12-345 6789');
  await fillCard(page);
  await endSessions(page, shop, customer);
  await payButton(page).click();
  await expect(problem(page)).toContainText('Your session has ended.');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Sign In' })).toBeVisible();
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/checkout');
  await keepsText(name, 'Aminah Yusof');
  await keepsText(phone, '+60 12-345 6789');
  await keepsText(page.getByLabel('Email'), customer.email);

  const draft = () => page.evaluate(() => sessionStorage.getItem('checkoutContact'));
  expect(await draft()).toContain('Aminah Yusof');
  await logOut(page);
  await expect.poll(draft).toBeNull();
});

test('a typed problem report and its picture survive an ended session', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  await page.goto(`/order-items/${order}`);
  const report = page.getByRole('button', { name: /^Report a problem/ });
  await report.click();
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  await dialog.getByLabel('What is wrong?').selectOption('It was used already');
  await dialog.getByLabel('What happened?').fill('The launcher says so.');
  const picture = sharp({ create: { width: 40, height: 20, channels: 3, background: '#c33' } }).png();
  const file = { name: 'screen.png', mimeType: 'image/png', buffer: await picture.toBuffer() };
  await dialog.getByLabel('Picture').setInputFiles(file);
  await expect(dialog.getByRole('img', { name: 'The chosen file' })).toBeVisible();
  await isInterrupted({ page, shop, user: customer, button: 'Send the report' });
  await report.click();
  await keepsText(dialog.getByLabel('What happened?'), 'The launcher says so.');
  await expect(dialog.getByRole('img', { name: 'The chosen file' })).toBeVisible();
  await press(page, 'Send the report');
  await expect(page.getByRole('button', { name: 'Enlarge: Picture of the problem' })).toBeVisible();
});

test('a note, a reply and an answer of an administrator survive an ended session', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  const note = page.getByLabel('New note');
  await note.fill('The buyer called.');
  await isInterrupted({ page, shop, user: admin, button: 'Add note' });
  await keepsText(note, 'The buyer called.');
  await press(page, 'Add note');
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('The buyer called.');
  await keepsText(note, '');

  await makeReview(shop, product.id, customer.id);
  await page.goto(`/admin?tab=reviews&q=${encodeURIComponent(customer.email)}`);
  const openReply = page.getByRole('button', { name: /^Reply to/ });
  await openReply.click();
  const reply = page.getByLabel('Reply', { exact: true });
  await reply.fill('Thank you for playing.');
  await isInterrupted({ page, shop, user: admin, button: 'Save reply' });
  await openReply.click();
  await keepsText(reply, 'Thank you for playing.');
  await press(page, 'Save reply');
  await expect(page.getByRole('article', { name: product.name })).toContainText('Thank you for playing.');

  const buyer = createShopper(shop.url);
  await buyer.signIn(customer.email, TEST_PASSWORD);
  const { id: item } = await shop.db
    .selectFrom('items')
    .select('id')
    .where('product_id', '=', product.id)
    .executeTakeFirstOrThrow();
  const written = { problem: 'used', text: 'It was redeemed.', draft: uuidv7() };
  expect(await buyer.post('/api/problem-reports', { ...written, order, item })).toMatchObject({ status: 201 });
  await page.goto('/admin?tab=problem-reports');
  await page.getByRole('list', { name: 'Problem reports' }).getByRole('link', { name: product.name }).click();
  const answer = page.getByLabel('Your answer');
  await answer.fill('Which launcher is it?');
  await isInterrupted({ page, shop, user: admin, button: 'Send answer' });
  await keepsText(answer, 'Which launcher is it?');
  await press(page, 'Send answer');
  await expect(page.getByRole('list', { name: 'Messages' })).toContainText('Which launcher is it?');
  await keepsText(answer, '');
});

test('what is typed on a page is kept when the page is left, until it is saved or cancelled', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const lamp = await stockUp({ kind: 'physical', delivery: null, brand: 'Harimau', stock: 10, items: 0 });
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  const leaveAndReturn = async () => {
    await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
    await expect(page.getByRole('heading', { name: 'Products' })).toBeVisible();
    await page.goBack();
  };
  const [street, price, note] = ['Street', 'Price (USD)', 'New note'].map((label) => page.getByLabel(label)) as [
    Locator,
    Locator,
    Locator,
  ];

  await page.goto('/profile');
  await press(page, 'Edit Profile');
  await street.fill('18 Jalan Kenanga');
  await leaveAndReturn();
  await keepsText(street, '18 Jalan Kenanga');
  await press(page, 'Cancel');
  await leaveAndReturn();
  await press(page, 'Edit Profile');
  await keepsText(street, '');
  await street.fill('20 Jalan Kenanga');
  await press(page, 'Save Changes');
  await leaveAndReturn();
  await expect(page.getByRole('region', { name: 'My Details' })).toContainText('20 Jalan Kenanga');
  await expect(street).toBeHidden();

  await page.goto(`/admin?tab=physical&q=${encodeURIComponent(lamp.name)}`);
  const edit = page.getByRole('link', { name: `Edit ${lamp.name}` });
  const restored = page.getByText('What you typed before is still here, and not saved yet.');
  await edit.click();
  await price.fill('15');
  await page.goBack();
  await shop.db.updateTable('products').set({ stock: 7 }).where('id', '=', lamp.id).execute();
  await edit.click();
  await keepsText(price, '15');
  await expect(restored).toBeVisible();
  await press(page, 'Save Changes');
  await expect(page.getByText(`"${lamp.name}" has been updated`)).toBeVisible();
  const saved = shop.db.selectFrom('products').select(['price_cents', 'stock']).where('id', '=', lamp.id);
  expect(await saved.execute()).toEqual([{ price_cents: 1500, stock: 7 }]);
  await edit.click();
  await keepsText(price, '15.00');
  await expect(restored).toBeHidden();
  await price.fill('16');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await edit.click();
  await keepsText(price, '15.00');

  await page.goto(`/admin/orders/${order}`);
  await note.fill('The buyer called.');
  await leaveAndReturn();
  await keepsText(note, 'The buyer called.');
  const held = await holdBack(page, `/api/admin/orders/${order}/notes`);
  await press(page, 'Add note');
  await held.made;
  await page.getByRole('banner').getByRole('link', { name: 'Kedai' }).click();
  held.letGo();
  await expect(page.getByText('The note is written')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('The buyer called.');
  await keepsText(note, '');
});

test('half-filled dialogs to ship, refund and void survive an ended session', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const dialog = page.getByRole('dialog');
  const inDialog = (name: string) => dialog.getByRole('button', { name, exact: true });
  await page.goto(`/admin/orders/${await makeParcel(shop)}`);
  const ship = page.getByRole('group', { name: 'Actions' }).getByRole('button', { name: 'Mark as shipped' });
  await ship.click();
  await dialog.getByLabel('Carrier').fill('Pos Laju');
  await dialog.getByLabel('Tracking number').fill('EP 123 456 789 MY');
  await isInterrupted({ page, shop, user: admin, button: inDialog('Mark as shipped') });
  await ship.click();
  await keepsText(dialog.getByLabel('Carrier'), 'Pos Laju');
  await keepsText(dialog.getByLabel('Tracking number'), 'EP 123 456 789 MY');

  const product = await stockUp({ items: 3 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 2 }]);
  await page.goto(`/admin/orders/${order}`);
  await press(page, 'Refund');
  await dialog.getByLabel('Some units').check();
  await dialog.getByLabel(`Units of ${product.name}`).selectOption('1');
  await dialog.getByLabel('Reason').fill('One key was used');
  await dialog.getByLabel('Message to the buyer').fill('We are sorry.');
  await isInterrupted({ page, shop, user: admin, button: inDialog('Refund $10.60') });
  await press(page, 'Refund');
  await keepsText(dialog.getByLabel('Reason'), 'One key was used');
  await keepsText(dialog.getByLabel('Message to the buyer'), 'We are sorry.');
  await inDialog('Refund $10.60').click();
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('One key was used');

  await page.goto(productDialog('stock', product));
  const openVoid = async () => {
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('button', { name: /^Void/ }).first().click();
  };
  await openVoid();
  await dialog.getByLabel('Reason').fill('Sent by mistake');
  await isInterrupted({ page, shop, user: admin, button: inDialog('Void item') });
  await openVoid();
  await keepsText(dialog.getByLabel('Reason'), 'Sent by mistake');
});

test('reasons to block, close the shop, settle a refund and move an item survive an ended session', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
}) => {
  const dialog = page.getByRole('dialog');
  const reason = dialog.getByLabel('Reason');
  const keepsReason = async (open: () => Promise<void>, action: string) => {
    await open();
    await reason.fill(`Why: ${action}`);
    await isInterrupted({ page, shop, user: admin, button: dialog.getByRole('button', { name: action, exact: true }) });
    // A dialog that the URL opens is open already.
    if (await reason.isHidden()) await open();
    await keepsText(reason, `Why: ${action}`);
  };
  await page.goto(`/admin/users/${customer.id}`);
  await keepsReason(() => press(page, 'Block'), 'Block user');

  await page.goto('/admin?dialog=close');
  await dialog.getByLabel('Text for buyers').fill('Back on Monday.');
  await keepsReason(() => expect(dialog).toBeVisible(), 'Close the Shop');
  await keepsText(dialog.getByLabel('Text for buyers'), 'Back on Monday.');

  const product = await stockUp({ items: 2 });
  const { orderId } = await createShopper(shop.url).buy(
    [{ product, quantity: 1 }],
    { email: newEmail() },
    CARDS.slowRefund,
  );
  const staff = createShopper(shop.url);
  await staff.signIn(admin.email, TEST_PASSWORD);
  expect(await staff.post(`/api/admin/orders/${orderId}/refund`, { reason: 'Broken' })).toMatchObject({ status: 200 });
  await shop.db.updateTable('refunds').set({ state: 'failed' }).where('order_id', '=', orderId).execute();
  await page.goto(`/admin/orders/${orderId}`);
  await keepsReason(
    () => page.getByRole('button', { name: 'Settled in another way' }).click(),
    'Settled in another way',
  );

  await shop.db
    .updateTable('items')
    .set({ state: 'quarantined' })
    .where('product_id', '=', product.id)
    .where('state', '=', 'available')
    .execute();
  const target = await stockUp({ items: 0 });
  await page.goto(productDialog('stock', product));
  await keepsReason(async () => {
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('button', { name: /^Move/ }).first().click();
    const moving = page.getByRole('dialog', { name: 'Move this item?' });
    await moving.getByLabel('Search products').fill(target.name);
    await moving.getByRole('radio', { name: target.name, exact: true }).check();
  }, 'Move item');
});

test('a typed email and its reason survive an ended session, but the code beside them does not', async ({
  page,
  shop,
  stockUp,
  admin,
}) => {
  const product = await stockUp();
  const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], { email: newEmail() });
  const shopper = createShopper(shop.url);
  await shopper.signIn(admin.email, TEST_PASSWORD);
  const { backupCodes } = await enableTwoFactor(shopper);
  const { pendingToken } = (await shopper.signIn(admin.email, TEST_PASSWORD)).body;
  const { body } = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: backupCodes[1] });
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto(`/admin/orders/${orderId}`);
  const dialog = page.getByRole('dialog', { name: 'Correct email' });
  await press(page, 'Correct email');
  await dialog.getByLabel('Right email').fill('right@example.com');
  await dialog.getByLabel('Reason').fill('The buyer called');
  const code = dialog.getByRole('textbox', { name: 'Authentication code' });
  await code.pressSequentially('123456');
  await endSessions(page, shop, admin);
  await dialog.getByRole('button', { name: 'Correct email' }).click();
  await expect(page).toHaveURL('/login');
  await signIn(page, { email: admin.email, password: TEST_PASSWORD });
  await press(page, 'Use a backup code');
  await page
    .getByRole('dialog')
    .getByRole('textbox')
    .fill(backupCodes[0] ?? '');
  await press(page, 'Verify');
  await expect(page).toHaveURL(`/admin/orders/${orderId}`);
  await press(page, 'Correct email');
  await keepsText(dialog.getByLabel('Right email'), 'right@example.com');
  await keepsText(dialog.getByLabel('Reason'), 'The buyer called');
  await keepsText(code, '');
});
