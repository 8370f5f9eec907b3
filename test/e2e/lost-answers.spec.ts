import { expect, type Page } from '@playwright/test';
import { v7 as uuidv7 } from 'uuid';
import { orderNumber } from '../../src/shared/format.ts';
import { enableTwoFactor } from '../authenticator.ts';
import { makeParcel, makePhysicalProduct, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { codeIn, mailTo, openLink } from './mails.ts';
import {
  choosePassword,
  fillContact,
  newEmail,
  openCheckout,
  PASSWORD,
  pay,
  press,
  problem,
  productList,
  seesSuccess,
  signIn,
} from './steps.ts';

const toast = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const UNREACHABLE = 'We could not reach the shop. Please check your connection and try again.';

/** The shop does what the next call to `path` asks for, and its answer is lost. */
async function loseAnswer(page: Page, path: string, isMeant = (_body: string) => true): Promise<void> {
  let isLost = false;
  await page.route(path, async (route) => {
    const request = route.request();
    if (isLost || request.method() === 'GET' || !isMeant(request.postData() ?? '')) return route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort('connectionreset');
  });
}

test.beforeEach(({ complaints }) => complaints.expectBrokenConnection(/^\/api\//));

test('a retry after a lost response reports that the parcel is shipped', async ({ page, shop, admin: _ }) => {
  await page.goto(`/admin/orders/${await makeParcel(shop)}`);
  await press(page, 'Mark as shipped');
  const dialog = page.getByRole('dialog', { name: 'Mark as shipped' });
  await dialog.getByLabel('Carrier').fill('DHL');
  await dialog.getByLabel('Tracking number').fill('1234567890');
  await loseAnswer(page, '/api/admin/orders/*/ship');
  await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  // The page behind has been loaded again.
  await expect(page.getByRole('main')).toContainText('Shipped with DHL');
  await dialog.getByRole('button', { name: 'Mark as shipped' }).click();
  await expect(toast(page)).toContainText('The order is marked as shipped');
  await expect(dialog).toBeHidden();
});

test('a retry after a lost response reports the full refund and makes no second one', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await press(page, 'Refund');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('Reason').fill('Bought twice');
  await loseAnswer(page, '/api/admin/orders/*/refund');
  const refund = dialog.getByRole('button', { name: 'Refund $10.60' });
  await refund.click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  await expect(page.getByRole('region', { name: 'Refunds' })).toContainText('$10.60');
  await refund.click();
  await expect(toast(page)).toContainText('$10.60 goes back to the buyer');
  await expect(dialog).toBeHidden();
  expect(await shop.db.selectFrom('refunds').select('id').where('order_id', '=', order).execute()).toHaveLength(1);
});

test('a retry after a lost response reports that the report is answered, and writes no second answer', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const buyer = createShopper(shop.url);
  await buyer.signIn(customer.email, TEST_PASSWORD);
  const ofProduct = shop.db.selectFrom('items').select('id').where('product_id', '=', product.id);
  const { id: item } = await ofProduct.executeTakeFirstOrThrow();
  const written = { problem: 'used', text: 'It was redeemed.', draft: uuidv7(), order, item };
  expect(await buyer.post('/api/problem-reports', written)).toMatchObject({ status: 201 });
  await page.goto(`/admin/orders/${order}`);
  await page.getByRole('region', { name: 'Problem reports' }).getByRole('link', { name: product.name }).click();
  const answer = page.getByLabel('Your answer');
  await answer.fill('Which launcher is it?');
  await loseAnswer(page, '/api/admin/problem-reports/*/answer');
  await press(page, 'Send answer');
  await expect(page.getByRole('region', { name: 'Conversation' }).getByRole('alert')).toHaveText(UNREACHABLE);
  const messages = page.getByRole('list', { name: 'Messages' });
  await expect(messages).toContainText('Which launcher is it?');
  await press(page, 'Send answer');
  await expect(toast(page)).toContainText('The buyer has your answer');
  await expect(answer).toHaveValue('');
  await expect(messages.getByRole('listitem')).toHaveCount(2);
});

test('a deactivated product is shown as inactive after a lost response', async ({ page, stockUp, admin: _ }) => {
  const { name } = await stockUp();
  await page.goto(productList(name, { show: 'all' }));
  await loseAnswer(page, '/api/digital-products/*');
  await press(page, `Deactivate ${name}`);
  await expect(toast(page)).toContainText(UNREACHABLE);
  await expect(page.getByRole('button', { name: `Activate ${name}` })).toBeVisible();
});

test('a retry after a lost response reports that the password is changed', async ({ page, customer, signedIn }) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  await press(page, 'Change Password');
  await page.getByLabel('Current Password', { exact: true }).fill(TEST_PASSWORD);
  await page.getByLabel('New Password', { exact: true }).fill('another battery staple');
  await page.getByLabel('Confirm New Password', { exact: true }).fill('another battery staple');
  await loseAnswer(page, '/api/auth/updatepassword');
  await press(page, 'Update Password');
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(UNREACHABLE);
  await press(page, 'Update Password');
  await expect(page.getByText('Password updated. Your other devices are signed out.')).toBeVisible();
});

test('a login with a lost response says so, and asks for the password and a new code', async ({
  page,
  shop,
  customer,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/login', 401);
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  const authenticator = await enableTwoFactor(shopper);
  await page.goto('/login');
  await loseAnswer(page, '/api/auth/login', (body) => body.includes('twoFactorToken'));
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  const dialog = page.getByRole('dialog', { name: 'Two-factor authentication' });
  await expect(dialog.getByRole('group').getByRole('textbox').first()).toBeFocused();
  await page.keyboard.type(authenticator.nextCode());
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  await dialog.getByRole('button', { name: 'Verify' }).click();
  const advice = 'The answer to your code did not arrive. Please enter your password again, and then a new code.';
  await expect(page.getByRole('alert').filter({ hasText: advice })).toBeVisible();
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
});

test('a retry after a lost response reports that two-factor is disabled', async ({
  page,
  shop,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/2fa/disable', 409);
  await signedIn(page, customer);
  await page.goto('/profile');
  const shopper = createShopper(shop.url);
  const session = await page.evaluate(() => localStorage.getItem('token') ?? '');
  shopper.setToken(session);
  await enableTwoFactor(shopper);
  await page.reload();
  await press(page, 'Disable 2FA');
  const dialog = page.getByRole('dialog', { name: 'Disable two-factor authentication?' });
  await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await loseAnswer(page, '/api/auth/2fa/disable');
  await dialog.getByRole('button', { name: 'Disable 2FA' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  await dialog.getByRole('button', { name: 'Disable 2FA' }).click();
  await expect(page.getByText('Two-factor authentication is off')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Enable 2FA' })).toBeVisible();
});

test('a retry of a password reset after a lost response leads to the login', async ({
  page,
  shop,
  customer,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/resetpassword', 400);
  await createShopper(shop.url).post('/api/auth/forgotpassword', { email: customer.email });
  await openLink(page, await mailTo(shop, { email: customer.email, subject: /new password/ }));
  await choosePassword(page);
  await loseAnswer(page, '/api/auth/resetpassword');
  await press(page, 'Change password');
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(UNREACHABLE);
  await press(page, 'Change password');
  await expect(page.getByText('If you have pressed the button before, your password is changed')).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Sign In' }).click();
  await expect(page).toHaveURL('/login');
});

test('a mailed code whose answer was lost is not called wrong, and a new code opens the order', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/order-lookup/guest/open', 401);
  const email = newEmail();
  const bought = [{ product: await stockUp(), quantity: 1 }];
  const { orderId } = await createShopper(shop.url).buy(bought, { email, password: PASSWORD });
  await page.goto('/find-order');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Order number').fill(orderNumber(orderId));
  await press(page, 'Send the code');
  const code = page.getByRole('group').getByRole('textbox').first();
  await expect(code).toBeFocused();
  const sought = { email, subject: /code for order/ };
  const first = await mailTo(shop, sought);
  await loseAnswer(page, '/api/order-lookup/guest/open');
  await page.keyboard.type(codeIn(first));
  const problem = page.getByRole('main').getByRole('alert').filter({ hasText: /./ });
  await expect(problem).toHaveText(UNREACHABLE);
  await press(page, 'Open the order');
  const advice = 'Your code works once, and the answer to it did not arrive. Please ask for a new code.';
  await expect(problem).toHaveText(advice);
  await press(page, 'Send a new code');
  const second = await mailTo(shop, { ...sought, after: first });
  await expect(problem).toHaveCount(0);
  await code.focus();
  await page.keyboard.type(codeIn(second));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${orderNumber(orderId)}`);
});

test('a retry of a replacement after a lost response says that the first try may have made it', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
  complaints,
}) => {
  complaints.expectFailedRequest(/replace-item$/, 409);
  const product = await stockUp({ items: 3, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await page.getByRole('button', { name: 'Replace faulty item 1' }).click();
  const dialog = page.getByRole('dialog', { name: 'Replace faulty item' });
  await dialog.getByLabel('Reason').fill('It was used already');
  await loseAnswer(page, '/api/admin/orders/*/replace-item');
  await dialog.getByRole('button', { name: 'Replace item' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(UNREACHABLE);
  const items = page.getByRole('list', { name: `Delivered items of ${product.name}` }).getByRole('listitem');
  await expect(items).toHaveCount(2);
  await dialog.getByRole('button', { name: 'Replace item' }).click();
  await expect(dialog.getByRole('alert')).toHaveText(
    'Only a delivered item under warranty can be replaced. ' +
      'Your first try, whose answer was lost, may have made the change: please check.',
  );
  await expect(items).toHaveCount(2);
});

test('new backup codes with a lost response are not taken for a failure that keeps the old ones', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/profile');
  const shopper = createShopper(shop.url);
  shopper.setToken(await page.evaluate(() => localStorage.getItem('token') ?? ''));
  await enableTwoFactor(shopper);
  await page.reload();
  await press(page, 'Regenerate backup codes');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await loseAnswer(page, '/api/auth/2fa/backup-codes');
  await press(page, 'Regenerate');
  await expect(dialog.getByRole('alert')).toContainText('the ones you have may no longer work');
  await press(page, 'Regenerate');
  await expect(dialog.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')).toHaveCount(10);
});

test('Pay after a lost response pays the only key, which the first order holds', async ({ page, stockUp }) => {
  const product = await stockUp({ items: 1 });
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: newEmail() });
  await page.route(
    '/api/digital-orders/guest/create-payment-intent',
    async (route) => {
      const request = route.request();
      // Not route.fetch(), which would store the cookies of the lost response.
      await fetch(request.url(), { method: 'POST', headers: await request.allHeaders(), body: request.postData() });
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await pay(page);
  await expect(problem(page)).toHaveText(UNREACHABLE);
  // The cart knows that the unit is held for this browser.
  await page.reload();
  await choosePassword(page);
  await pay(page);
  await seesSuccess(page, 'Account Created');
});

test('a stock that is saved again after a lost response is not called the change of someone else', async ({
  page,
  shop,
  complaints,
  admin: _,
}) => {
  const id = await makePhysicalProduct(shop, { stock: 10 });
  await page.goto(`/admin/products/${id}`);
  await expect(page.getByLabel('Stock')).toHaveValue('10');
  await page.getByLabel('Stock').fill('30');
  complaints.expectFailedRequest(`/api/admin/products/${id}`, 409);
  await loseAnswer(page, '/api/admin/products/*');
  await press(page, 'Save Changes');
  await expect(problem(page)).toHaveText(UNREACHABLE);
  await press(page, 'Save Changes');
  await expect(problem(page)).toHaveText('Your first try, whose answer was lost, may have saved this product.');
  await press(page, 'Save Changes');
  await expect(toast(page)).toContainText('has been updated');
  const { stock } = await shop.db.selectFrom('products').select('stock').where('id', '=', id).executeTakeFirstOrThrow();
  expect(stock).toBe(30);
});

test('another field that someone else changed after a lost response is called the change of someone else', async ({
  page,
  shop,
  complaints,
  admin: _,
}) => {
  const id = await makePhysicalProduct(shop, { stock: 10 });
  complaints.expectFailedRequest(`/api/admin/products/${id}`, 409);
  await page.goto(`/admin/products/${id}`);
  await page.getByLabel('Stock').fill('30');
  await loseAnswer(page, '/api/admin/products/*');
  await press(page, 'Save Changes');
  await expect(problem(page)).toHaveText(UNREACHABLE);
  await shop.db
    .updateTable('products')
    .set(({ eb }) => ({ description: 'Theirs', version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
  await press(page, 'Save Changes');
  await expect(problem(page)).toHaveText('Someone else changed this product meanwhile.');
});

test('a response that is not the shop’s does not count as success, and keeps what was typed', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(), quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  const note = page.getByLabel('New note');
  await note.fill('The buyer called.');
  for (const json of [null, {}]) {
    await page.route('/api/admin/orders/*/notes', (route) => route.fulfill({ json }), { times: 1 });
    await press(page, 'Add note');
    await expect(page.getByText('The answer was lost.')).toBeVisible();
    await expect(note).toHaveValue('The buyer called.');
  }
  await press(page, 'Add note');
  await expect(page.getByRole('list', { name: 'Notes' })).toContainText('The buyer called.');

  await page.goto('/2fa-setup');
  await press(page, 'Get Started');
  await press(page, 'Continue');
  await page.route('/api/auth/2fa/verify', (route) => route.fulfill({ json: {} }));
  await page.getByRole('group').getByRole('textbox').first().focus();
  await page.keyboard.type('123456');
  await expect(page.getByRole('alert')).toContainText('Verification failed');
});
