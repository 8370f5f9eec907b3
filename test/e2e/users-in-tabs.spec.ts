import { expect, type Page } from '@playwright/test';
import { makeUser } from '../factories.ts';
import { test } from './fixtures.ts';
import {
  fillCard,
  LIGHT_PAGE,
  leaveInStorage,
  logOut,
  newEmail,
  openCheckout,
  press,
  savedCart,
  seesCardForm,
} from './steps.ts';

/** Another tab of the same browser. */
async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(LIGHT_PAGE);
  return tab;
}

test('a form of the profile closes when another user signs in in another tab', async ({
  page,
  shop,
  customer,
  signedIn,
}) => {
  const other = await makeUser(shop, { name: 'Somebody Else' });
  await signedIn(page, customer);
  await page.goto('/profile');
  await press(page, 'Edit Profile');
  await page.getByLabel('Street').fill('18 Jalan Kenanga');
  await press(page, 'Change Password');
  await page.getByLabel('Current Password', { exact: true }).fill('my password');
  const tab = await page.context().newPage();
  await signedIn(tab, other);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Somebody Else');
  await expect(page.getByLabel('Current Password', { exact: true })).toHaveCount(0);
  await expect(page.getByLabel('Street')).toHaveCount(0);
});

test('a logout in another tab empties the checkout, and the next user finds nothing of the previous one', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
}) => {
  const other = await makeUser(shop, { name: 'Somebody Else' });
  const cart = [{ product: await stockUp() }];
  const [name, number] = [page.getByLabel('Full Name'), page.getByLabel('Card number')];
  const fillIn = async () => {
    await seesCardForm(page);
    await name.fill('Aminah Yusof');
    await fillCard(page);
  };
  await signedIn(page, customer);
  await openCheckout(page, cart);
  await fillIn();
  const tab = await openTab(page);
  await logOut(tab);
  await expect(page.getByRole('heading', { name: 'Your cart is empty' })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.getItem('checkoutContact'))).toBeNull();
  const next = await stockUp();
  // Else the checkout of the other user empties once the account's cart has loaded.
  const kept = { user_id: other.id, product_id: next.id, quantity: 1, added_at: new Date() };
  await shop.db.insertInto('cart_entries').values(kept).execute();
  await leaveInStorage(tab, { guestCart: savedCart([{ product: next }]) });
  await expect(name).toHaveValue('');
  await expect(number).toHaveValue('');

  await signedIn(tab, customer);
  await fillIn();
  await signedIn(tab, other);
  await expect(name).toHaveValue('Somebody Else');
  await expect(number).toHaveValue('');
});

test('the question for the password closes when its user logs out in another tab', async ({
  page,
  shop: { db },
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/updatedetails', 403);
  await signedIn(page, customer);
  const authenticated_at = new Date(Date.now() - 11 * 60_000);
  await db.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', customer.id).execute();
  await page.goto('/profile');
  await press(page, 'Edit Profile');
  await page.getByLabel('Email').fill(newEmail());
  await press(page, 'Save Changes');
  await expect(page.getByRole('dialog')).toBeVisible();
  await logOut(await openTab(page));
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
