import { randomUUID } from 'node:crypto';
import { expect, type Page } from '@playwright/test';
import { makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere, pageWidth } from './looks-right.ts';
import {
  fillCard,
  fillContact,
  holdBack,
  leaveInStorage,
  newEmail,
  openCheckout,
  openItems,
  payButton,
  press,
  readKey,
  savedCart,
  seesCardForm,
  seesSuccess,
} from './steps.ts';

const fields = JSON.stringify([
  { label: 'Player ID', kind: 'text', required: true, choices: [] },
  { label: 'Server', kind: 'choice', required: true, choices: ['Asia', 'Europe'] },
]);

const dialog = (page: Page) => page.getByRole('dialog');

test('a buyer fills in the required fields, an administrator delivers manually, and the buyer reads the content', async ({
  page,
  shop,
  stockUp,
  otherBrowser,
  signedIn,
}) => {
  const gems = await stockUp({
    items: 0,
    delivery: 'manual',
    platform: 'Android',
    region: 'Asia',
    buyer_fields: fields,
    warranty_days: 30,
  });
  await page.goto(`/digital-product/${gems.id}`);
  await expect(page.getByRole('main')).toContainText('In stock');
  await expect(page.getByRole('main')).toContainText('By a person, after the payment');
  await openCheckout(page, [{ product: { ...gems, keys: ['one'] } }]);
  await seesCardForm(page);
  await expect(page.getByRole('main')).toContainText('Delivered by hand. We email you when it is ready.');
  await payButton(page).click();
  await expect(page.getByText('Please enter your full name')).toBeVisible();
  await expect(page.getByRole('group', { name: gems.name })).toContainText('Please fill in “Player ID”');
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await payButton(page).click();
  const asked = page.getByRole('group', { name: gems.name });
  await expect(asked).toContainText('Please fill in “Player ID”');
  await expect(asked.getByLabel('Player ID')).toBeFocused();
  await expect(asked).toContainText('For Android. Can be activated in: Asia.');
  await asked.getByLabel('Player ID').fill('P-4711');
  await asked.getByLabel('Server').selectOption('Asia');
  await page.reload();
  await expect(asked.getByLabel('Player ID')).toHaveValue('P-4711');
  await expect(asked.getByLabel('Server')).toHaveValue('Asia');
  await fillContact(page, { email: newEmail() });
  await fillCard(page);
  await payButton(page).click();
  await expect(page.getByText('Please check it and confirm')).toBeVisible();
  await expect(page.getByText('Please check it and confirm').locator('svg')).toBeVisible();
  await looksRightEverywhere(page, [390]);
  await page.getByLabel('I have checked this').check();
  const finish = await holdBack(page, '**/api/digital-orders/guest');
  await payButton(page).click();
  await finish.made;
  // The goods have left the cart by now.
  await expect(page.getByRole('button', { name: 'Shopping cart, 0 items' })).toBeVisible();
  await expect(asked.getByLabel('Player ID')).toHaveValue('P-4711');
  await expect(page.getByRole('main')).toContainText('Delivered by hand. We email you when it is ready.');
  finish.letGo();
  await seesSuccess(page, 'We deliver it by hand, and mail you when it is ready.');
  await openItems(page);
  await expect(page.getByRole('main')).toContainText('Delivered by hand. We email you when it is ready.');
  await expect(page.getByRole('main')).toContainText('P-4711');
  await page.goto('/orders');
  const card = page.getByRole('article');
  await expect(card).toContainText('Delivered by hand; we email you when it is ready');
  await expect(card).not.toContainText('ends the right of return');
  await page.goBack();

  const staff = await otherBrowser();
  await signedIn(staff, await makeUser(shop, { role: 'admin' }));
  await staff.goto('/admin?tab=orders&status=Processing');
  const row = staff.getByRole('list', { name: 'Orders' }).getByRole('article').filter({ hasText: gems.name });
  await expect(row).toContainText('1 unit to deliver');
  await row.getByRole('link').click();
  await expect(staff.getByRole('main')).toContainText('P-4711');
  await staff.getByRole('button', { name: /^Deliver / }).click();
  await expect(staff.getByText('Please enter what is delivered')).toBeVisible();
  await looksRightEverywhere(staff, [390]);
  await staff.getByLabel(`What is delivered for ${gems.name}`).fill('GEMS-SENT-TO-P-4711');
  await staff.getByRole('button', { name: /^Deliver / }).click();
  await expect(staff.getByRole('list', { name: `Delivered items of ${gems.name}` })).toContainText('Item 1');
  await expect(dialog(staff)).toHaveCount(0);

  await staff.getByRole('button', { name: 'Replace faulty item 1' }).click();
  const replacement = staff.getByLabel('What is delivered instead');
  await replacement.fill('HALF-TYPED');
  await staff.keyboard.press('Escape');
  await press(staff, 'Keep editing');
  await expect(replacement).toHaveValue('HALF-TYPED');
  await replacement.fill(' ');
  await staff.getByLabel('Reason').fill('Sent to another player');
  await press(staff, 'Replace item');
  await expect(replacement).toHaveAccessibleDescription('Please enter what is delivered');
  await staff.getByRole('button', { name: 'Cancel' }).click();
  await press(staff, 'Discard');
  await expect(dialog(staff)).toHaveCount(0);

  await page.reload();
  expect(await readKey(page)).toBe('GEMS-SENT-TO-P-4711');
  await page.goto('/orders');
  await expect(card).toContainText('Digital delivery');
  await expect(card).toContainText('Opening the items ends the right of return.');
});

test('delivering a unit that another administrator has delivered is refused with a message', async ({
  page,
  shop,
  stockUp,
  customer,
  admin,
  complaints,
}) => {
  const gems = await stockUp({ items: 0, delivery: 'manual' });
  const order = await buyAsCustomer(shop, customer, [{ product: gems, quantity: 1 }]);
  await page.goto(`/admin/orders/${order}`);
  await page.getByLabel(`What is delivered for ${gems.name}`).fill('GEMS-SENT-TWICE');
  const other = createShopper(shop.url);
  await other.signIn(admin.email, TEST_PASSWORD);
  const { id: line } = await shop.db
    .selectFrom('order_lines')
    .select('id')
    .where('order_id', '=', order)
    .executeTakeFirstOrThrow();
  const delivery = { line, unit: 1, content: 'GEMS-SENT-ONCE', draft: randomUUID() };
  expect((await other.post(`/api/admin/orders/${order}/deliver-unit`, delivery)).status).toBe(200);
  complaints.expectFailedRequest(`/api/admin/orders/${order}/deliver-unit`, 409);
  await page.getByRole('button', { name: /^Deliver / }).click();
  await expect(page.getByRole('list', { name: `Delivered items of ${gems.name}` })).toContainText('Item 1');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'This unit is not waiting for delivery',
  );
});

test('Pay is disabled until the required fields have loaded', async ({ page, stockUp, complaints }) => {
  const gems = await stockUp({ items: 0, delivery: 'manual', buyer_fields: fields });
  complaints.expectFailedRequest('/api/digital-products', 400);
  await page.route('/api/digital-products?*', (route) => route.fulfill({ status: 400, json: {} }));
  await openCheckout(page, [{ product: { ...gems, keys: ['one'] } }]);
  await expect(page.getByRole('alert').filter({ hasText: 'What your delivery needs did not load.' })).toBeVisible();
  await expect(payButton(page)).toBeDisabled();
  await looksRightEverywhere(page, [390, 1280]);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByLabel('Player ID')).toBeVisible();
  await expect(payButton(page)).toBeEnabled();
});

test('a confirmation is valid only for the confirmed products and regions', async ({
  page,
  context,
  shop,
  stockUp,
}) => {
  const [asian, european] = [await stockUp({ region: 'Asia' }), await stockUp({ region: 'Europe' })];
  await openCheckout(page, [{ product: asian }]);
  const confirmation = page.getByLabel('I have checked this');
  await confirmation.check();
  const tab = await context.newPage();
  const shows = async (cart: (typeof asian)[], ...regions: string[]) => {
    await leaveInStorage(tab, { guestCart: savedCart(cart.map((product) => ({ product }))) });
    for (const region of regions) await expect(page.getByText(`Can be activated in: ${region}.`)).toBeVisible();
  };
  await shows([asian, european], 'Asia', 'Europe');
  await expect(confirmation).not.toBeChecked();
  await confirmation.check();
  await shows([asian], 'Asia');
  await expect(page.getByText('Can be activated in: Europe.')).toHaveCount(0);
  await expect(confirmation).toBeChecked();
  await shop.db.updateTable('products').set({ region: 'Turkey' }).where('id', '=', european.id).execute();
  // The answers of the catalogue are kept for a second.
  await expect
    .poll(async () => (await page.request.get(`/api/digital-products?ids=${european.id}`)).text())
    .toContain('Turkey');
  await shows([european], 'Turkey');
  await expect(confirmation).not.toBeChecked();
});

test('the choices of a field are offered in the sequence in which they were typed, also if they are numbers', async ({
  page,
  stockUp,
}) => {
  const field = { label: 'Amount', kind: 'choice', required: true, choices: ['Other', '300', '60'] };
  const gems = await stockUp({ items: 0, delivery: 'manual', buyer_fields: JSON.stringify([field]) });
  await openCheckout(page, [{ product: { ...gems, keys: ['one'] } }]);
  const options = page.getByLabel('Amount').getByRole('option');
  await expect(options).toHaveText(['Please choose', 'Other', '300', '60']);
});

test('long words of a field and of its product wrap and do not widen the page on a phone', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const words = { name: 'Unbreakable'.repeat(9), delivery: 'manual' as const, items: 0 };
  const label = 'Inseparable'.repeat(5);
  const field = { label, kind: 'text', required: true, choices: [] };
  const asking = await stockUp({ ...words, buyer_fields: JSON.stringify([field]) });
  const order = await buyAsCustomer(shop, customer, [{ product: await stockUp(words), quantity: 1 }]);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto(`/admin/orders/${order}`);
  await expect(page.getByLabel(`What is delivered for ${words.name}`)).toBeVisible();
  expect(await pageWidth(page)).toBe(360);
  await openCheckout(page, [{ product: { ...asking, keys: ['one'] } }]);
  await seesCardForm(page);
  await payButton(page).click();
  await expect(page.getByText(`Please fill in “${label}”`)).toBeVisible();
  expect(await pageWidth(page)).toBe(360);
});
