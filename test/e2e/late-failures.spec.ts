import { expect, type Locator, type Page } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { mailTo, openLink } from './mails.ts';
import { choosePassword, holdBack, leaveInStorage, press, productList } from './steps.ts';

const REFUSED = 409;

interface LeftForm {
  path: string;
  send: Locator;
  leave: Locator;
  /** What is gone once the form is left. */
  form: Locator;
}

/** Sends a form, and leaves it before the shop refuses the call to `path`. */
async function leaveBeforeRefusal(page: Page, { path, send, leave, form }: LeftForm): Promise<void> {
  await page.route(path, (route) => route.fulfill({ status: REFUSED, json: {} }));
  const call = await holdBack(page, path);
  await send.click();
  await call.made;
  await leave.click();
  await expect(form).toHaveCount(0);
  call.letGo();
}

function closeBeforeRefusal(page: Page, { path, action }: { path: string; action: string }): Promise<void> {
  const form = page.locator('dialog[open]');
  const button = (name: string, exact = false) => form.getByRole('button', { name, exact });
  return leaveBeforeRefusal(page, { path, send: button(action), leave: button('Close', true), form });
}

const toasts = (page: Page) => page.getByRole('region', { name: 'Notifications' });

test('a failure after the dialog was closed is shown to the customer', async ({
  page,
  shop,
  stockUp,
  customer,
  complaints,
}) => {
  const product = await stockUp();
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const shopper = createShopper(shop.url);
  const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
  await enableTwoFactor(shopper);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  const review = { stars: 5, title: 'Good', text: 'It works' };
  expect((await shopper.send('PUT', `/api/my-reviews/${product.id}`, review)).status).toBe(200);

  const rows = [
    { screen: `/orders/${order}`, opens: 'Cancel order', path: `/api/orders/mine/${order}/cancel` },
    { screen: `/review/${product.id}`, opens: 'Delete review', path: `/api/my-reviews/${product.id}` },
    { screen: '/profile', opens: 'Disable 2FA', path: '/api/auth/2fa/disable' },
  ];
  const messages = ['The order could not be cancelled', 'Your review could not be deleted', 'Failed to disable 2FA'];
  for (const [place, { screen, opens, path }] of rows.entries()) {
    complaints.expectFailedRequest(path, REFUSED);
    await page.goto(screen);
    await press(page, opens);
    if (opens === 'Disable 2FA') await page.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await closeBeforeRefusal(page, { path, action: opens });
    await expect(toasts(page)).toContainText(messages[place] ?? '');
  }
});

test('a report that fails after its dialog was closed is shown to the administrator', async ({
  page,
  complaints,
  admin: _,
}) => {
  complaints.expectFailedRequest('/api/admin/reports/orders', REFUSED);
  await page.goto(productList('no product', { dialog: 'report' }));
  await closeBeforeRefusal(page, { path: '/api/admin/reports/orders?*', action: 'Generate Report' });
  await expect(toasts(page)).toContainText('The report could not be made');
});

test('a failure after a form of the profile or of a review was left is shown to the customer', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  complaints,
}) => {
  const product = await stockUp();
  await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  await signedIn(page, customer);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const failsAfter = async (path: string, action: { send: string; leave: Locator }, message: string) => {
    complaints.expectFailedRequest(path, REFUSED);
    const send = button(action.send);
    await leaveBeforeRefusal(page, { path, send, leave: action.leave, form: send });
    await expect(toasts(page)).toContainText(message);
  };

  await page.goto('/profile');
  await press(page, 'Edit Profile');
  await page.getByLabel('Street').fill('18 Jalan Kenanga');
  const details = { send: 'Save Changes', leave: button('Cancel') };
  await failsAfter('/api/auth/updatedetails', details, 'Failed to update profile');

  await press(page, 'Change Password');
  await page.getByLabel('Current Password', { exact: true }).fill(TEST_PASSWORD);
  await choosePassword(page);
  const password = { send: 'Update Password', leave: button('Change Password') };
  await failsAfter('/api/auth/updatepassword', password, 'Failed to update password');

  await page.goto(`/review/${product.id}`);
  await page.getByRole('radio', { name: '5 stars' }).press('Space');
  await page.getByLabel('Review', { exact: true }).fill('It works');
  const review = { send: 'Send review', leave: page.getByRole('link', { name: 'My Orders' }).first() };
  await failsAfter(`/api/my-reviews/${product.id}`, review, 'Your review could not be saved');
});

test('a screen that was left does not come back when its call is answered', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  const answered = (path: string) => page.waitForResponse((response) => response.url().endsWith(path));
  /** Sends a form, opens another screen, and lets the answer come. */
  async function leave(path: string, button: string, link: Locator) {
    const call = await holdBack(page, path);
    await press(page, button);
    await call.made;
    await link.click();
    const answer = answered(path);
    call.letGo();
    await answer;
  }
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await leave('/api/auth/2fa/setup', 'Get Started', page.getByRole('link', { name: 'Not now' }));
  await expect(page.getByRole('heading', { name: 'My Details' })).toBeVisible();
  // A later call, which is answered after the screen has handled the first answer.
  await page.evaluate(async () => (await fetch('/api/shop')).json());
  await expect(page).toHaveURL('/profile');

  await createShopper(shop.url).post('/api/auth/forgotpassword', { email: customer.email });
  await openLink(page, await mailTo(shop, { email: customer.email, subject: /new password/ }));
  await choosePassword(page);
  await leave('/api/auth/resetpassword', 'Change password', page.getByRole('banner').getByRole('link').first());
  await expect(toasts(page)).toContainText('Your password is changed');
  await expect(page).toHaveURL('/');
});

test('a screen that was left does not come back while the code of the next one loads', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  const next = await holdBack(page, '/assets/profile-screen-*.js');
  const call = await holdBack(page, '/api/auth/2fa/setup');
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await press(page, 'Get Started');
  await call.made;
  await page.getByRole('link', { name: 'Not now' }).click();
  await next.made;
  const answer = page.waitForResponse((response) => response.url().endsWith('/api/auth/2fa/setup'));
  call.letGo();
  await answer;
  // A later call, which is answered after the screen has handled the first answer.
  await page.evaluate(async () => (await fetch('/api/shop')).json());
  next.letGo();
  await expect(page.getByRole('heading', { name: 'My Details' })).toBeVisible();
  await expect(page).toHaveURL(`${shop.url}/profile`);
});
