import { expect } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { CARDS, createShopper } from '../shopper.ts';
import { test as base } from './fixtures.ts';
import { type RealShop, startRealShop } from './real-shop.ts';
import {
  fillContact,
  LIGHT_PAGE,
  leaveInStorage,
  newEmail,
  openCheckout,
  pay,
  payButton,
  problem,
  savedCart,
  seesSuccess,
} from './steps.ts';

// A shop of its own, because it is closed for every buyer.
const test = base.extend<object, { shop: RealShop }>({
  shop: [
    async ({ browserName: _ }, use) => {
      const shop = await startRealShop();
      await use(shop);
      await shop.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
});

// One worker runs the whole file, because each worker that runs one of its tests must start such a shop.
test.describe.configure({ mode: 'default' });

const TEXT = 'We are counting. Back at noon.';

test('a closed shop shows its text on home, in cart and checkout, and takes no payment until an administrator opens it', async ({
  page,
  admin: _,
  otherBrowser,
  stockUp,
  complaints,
}) => {
  const product = await stockUp();
  const buyer = await otherBrowser();
  await openCheckout(buyer, [{ product }]);
  await fillContact(buyer, { email: newEmail() });

  await page.goto('/admin');
  await page.getByRole('button', { name: 'Close the Shop' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close the shop' });
  await dialog.getByLabel('Text for buyers').fill(TEXT);
  await dialog.getByLabel('Reason').fill('Stocktaking');
  await dialog.getByRole('button', { name: 'Close the shop' }).click();
  const notice = page.getByRole('region', { name: 'The shop is closed' });
  await expect(notice).toContainText('Stocktaking');
  await expect(notice).toContainText(TEXT);

  // The open checkout learns of the closing when the buyer presses Pay.
  complaints.expectFailedRequest('/api/digital-orders/guest/create-payment-intent', 503);
  await pay(buyer);
  await expect(payButton(buyer)).toBeDisabled();
  await expect(buyer.getByRole('status').filter({ hasText: TEXT })).toBeVisible();

  const visitor = await otherBrowser();
  // Home is rendered again a second later at most.
  await expect(async () => {
    await visitor.goto('/');
    await expect(visitor.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(visitor.getByRole('main').getByText(TEXT)).toBeInViewport({ timeout: 100 });
  }).toPass();
  await leaveInStorage(visitor, { guestCart: savedCart([{ product }]) });
  await visitor.goto(LIGHT_PAGE);
  await visitor
    .getByRole('banner')
    .getByRole('button', { name: /^Shopping cart/ })
    .click();
  const drawer = visitor.getByRole('dialog', { name: 'Shopping Cart' });
  await expect(drawer).toContainText(TEXT);
  await expect(drawer.getByRole('button', { name: 'Proceed to Checkout' })).toBeDisabled();

  await notice.getByRole('button', { name: 'Open the shop' }).click();
  const opening = page.getByRole('dialog', { name: 'Open the shop' });
  await opening.getByLabel('Reason').fill('Counted');
  await opening.getByRole('button', { name: 'Open the shop' }).click();
  await expect(notice).toBeHidden();
  // The checkout checks every 15 seconds whether the shop is open.
  await expect(payButton(buyer)).toBeEnabled({ timeout: 30_000 });
  await payButton(buyer).click();
  await seesSuccess(buyer);
});

test('the error of a declined card stays after the shop was closed and opened again', async ({
  page,
  shop,
  stockUp,
  complaints,
}) => {
  const admin = createShopper(shop.url);
  await admin.signIn((await makeUser(shop, { role: 'admin' })).email, TEST_PASSWORD);
  const product = await stockUp();
  await page.clock.install();
  await openCheckout(page, [{ product }]);
  await fillContact(page, { email: newEmail() });
  complaints.expectFailedRequest(/\/confirm$/, 402);
  await pay(page, CARDS.declined);
  await expect(problem(page)).toContainText('Your card was declined.');

  await admin.post('/api/admin/shop/close', { reason: 'Stocktaking', message: TEXT });
  const isClosed = page.getByRole('status').filter({ hasText: TEXT });
  // The cart asks whenever it is opened. The answer is cached for a second.
  await expect(async () => {
    await page
      .getByRole('banner')
      .getByRole('button', { name: /^Shopping cart/ })
      .click();
    await page.getByRole('dialog', { name: 'Shopping Cart' }).getByRole('button', { name: 'Close' }).click();
    await expect(isClosed).toBeVisible({ timeout: 500 });
  }).toPass();
  await admin.post('/api/admin/shop/open', { reason: 'Counted' });
  await expect(async () => {
    await page.clock.runFor(15_000);
    await expect(isClosed).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(problem(page)).toContainText('Your card was declined.');
});
