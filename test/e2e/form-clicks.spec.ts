import { expect, type Locator, type Page } from '@playwright/test';
import { enableTwoFactor } from '../authenticator.ts';
import { makeParcel, makeUser, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import {
  fillCard,
  fillContact,
  leaveInStorage,
  newEmail,
  openCheckout,
  payButton,
  press,
  productList,
  signIn,
} from './steps.ts';

/** The time between the press and the release of a mouse button. */
const PRESS_MS = 90;

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name });
const inDialog = (page: Page, name: string | RegExp) =>
  page.locator('dialog[open]').last().getByRole('button', { name, exact: true });
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true }).last();

/** Presses the mouse in the middle of `target` for PRESS_MS, and expects a click. */
async function pressSlowly(page: Page, target: Locator): Promise<void> {
  const clicked = await target.evaluateHandle((element) => {
    const seen = { clicks: 0 };
    element.addEventListener('click', () => seen.clicks++, { capture: true });
    element.scrollIntoView({ block: 'nearest' });
    return seen;
  });
  const { x, y, width, height } = (await target.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  await page.mouse.click(x + width / 2, y + height / 2, { delay: PRESS_MS });
  expect((await clicked.jsonValue()).clicks, `${target} is clicked`).toBe(1);
}

interface Row {
  form: string;
  open?: (page: Page) => Promise<unknown>;
  /** The text in the focused field, which loses the focus by the press. */
  wrong?: [label: string, typed: string];
  press: (page: Page) => Locator;
  /** The field that has the focus after a rejected submit. */
  focus?: string;
  /** Whether the dialog asks before it discards the input. */
  asks?: boolean;
}

async function pressOn(page: Page, { open, wrong, press: target, focus, asks }: Row): Promise<void> {
  await open?.(page);
  if (wrong) {
    const [label, typed] = wrong;
    await field(page, label).fill(typed);
    await field(page, label).focus();
  }
  await pressSlowly(page, target(page));
  if (focus) await expect(field(page, focus)).toBeFocused();
  if (asks) await press(page, 'Discard');
}

test('a slow mouse press counts as a click on every form of a guest', async ({ page, stockUp, customer, shop }) => {
  const shopper = createShopper(shop.url);
  await shopper.signIn(customer.email, TEST_PASSWORD);
  await enableTwoFactor(shopper);
  const at = (path: string) => (tab: Page) => tab.goto(path);
  // The screen from before, which has a field of the same name, stays until the next one is loaded.
  const sees = (title: string) => (tab: Page) => expect(tab.getByRole('heading', { level: 1 })).toHaveText(title);
  const rows: Row[] = [
    { form: 'login', open: at('/login'), wrong: ['Email', 'a@'], press: (tab) => link(tab, 'Forgot password?') },
    {
      form: 'forgotten password',
      open: sees('Forgot password?'),
      wrong: ['Email', 'a@'],
      press: (tab) => link(tab, 'Sign In'),
    },
    {
      form: 'login, sent',
      open: sees('Sign In'),
      wrong: ['Email', 'a@'],
      press: (tab) => tab.getByRole('main').getByRole('button', { name: 'Sign In' }),
      focus: 'Email',
    },
    {
      form: 'code of the login',
      open: (tab) => signIn(tab, { email: customer.email, password: TEST_PASSWORD }),
      wrong: ['Authentication code', '1'],
      press: (tab) => inDialog(tab, 'Use a backup code'),
    },
    { form: 'backup code', wrong: ['Backup code', ''], press: (tab) => inDialog(tab, 'Cancel') },
    {
      form: 'new password',
      open: at('/reset-password?token=x'),
      wrong: ['New Password', '12'],
      press: (tab) => button(tab, 'Change password'),
      focus: 'New Password',
    },
    {
      form: 'claim',
      open: at('/claim?token=x'),
      wrong: ['New Password', '12'],
      press: (tab) => button(tab, 'Set password and sign in'),
      focus: 'New Password',
    },
    {
      form: 'find order',
      open: at('/find-order'),
      wrong: ['Email', 'a@'],
      press: (tab) => button(tab, 'Send the code'),
      focus: 'Email',
    },
    { form: 'find order, left', wrong: ['Order number', '1'], press: (tab) => link(tab, 'Sign In') },
    {
      form: 'code of the order',
      open: async (tab) => {
        await tab.goto('/find-order');
        await field(tab, 'Email').fill(newEmail());
        await field(tab, 'Order number').fill('0123ABCD');
        await press(tab, 'Send the code');
      },
      wrong: ['Code from the mail', '1'],
      press: (tab) => button(tab, 'Back'),
    },
    {
      form: 'checkout',
      open: async (tab) => {
        await openCheckout(tab, [{ product: await stockUp() }]);
        await fillContact(tab, { email: newEmail() });
        await fillCard(tab);
      },
      wrong: ['Security code', '12'],
      press: payButton,
      focus: 'Security code',
    },
    { form: 'checkout, left', wrong: ['Email', 'a@'], press: (tab) => link(tab, 'Sign in') },
  ];
  for (const row of rows) await test.step(row.form, () => pressOn(page, row));
});

test('a slow mouse press counts as a click on every form of a customer', async ({
  page,
  customer,
  signedIn,
  shop,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/2fa/setup', 403);
  await signedIn(page, customer);
  await page.goto('/profile');
  const rows: Row[] = [
    {
      form: 'details',
      open: (tab) => press(tab, 'Edit Profile'),
      wrong: ['Name', ''],
      press: (tab) => button(tab, 'Save Changes'),
      focus: 'Name',
    },
    { form: 'details, left', wrong: ['Email', 'a@'], press: (tab) => button(tab, 'Cancel') },
    {
      form: 'password',
      open: (tab) => press(tab, 'Change Password'),
      wrong: ['New Password', '12'],
      press: (tab) => button(tab, 'Update Password'),
      focus: 'Current Password',
    },
    {
      form: 'verification of two-factor',
      open: async (tab) => {
        await tab.goto('/2fa-setup');
        await press(tab, 'Get Started');
        await press(tab, 'Continue');
      },
      wrong: ['Code from your app', '1'],
      press: (tab) => button(tab, 'Back'),
    },
    {
      form: 'reauthentication',
      open: async (tab) => {
        const authenticated_at = new Date(Date.now() - 11 * 60_000);
        await shop.db.updateTable('sessions').set({ authenticated_at }).where('user_id', '=', customer.id).execute();
        await tab.goto('/2fa-setup');
        await press(tab, 'Get Started');
      },
      press: (tab) => inDialog(tab, 'Confirm'),
      focus: 'Password',
    },
    { form: 'reauthentication, left', wrong: ['Password', ''], press: (tab) => inDialog(tab, 'Cancel') },
    {
      form: 'switching two-factor off',
      open: async (tab) => {
        const shopper = createShopper(shop.url);
        const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
        await enableTwoFactor(shopper);
        await leaveInStorage(tab, { token: body.token ?? '', user: JSON.stringify(body['user']) });
        await tab.goto('/profile');
        await press(tab, 'Disable 2FA');
      },
      press: (tab) => inDialog(tab, 'Disable 2FA'),
      focus: 'Password',
    },
    { form: 'switching two-factor off, left', wrong: ['Password', ''], press: (tab) => inDialog(tab, 'Cancel') },
    {
      form: 'new backup codes',
      open: (tab) => press(tab, 'Regenerate backup codes'),
      press: (tab) => inDialog(tab, 'Regenerate'),
      focus: 'Password',
    },
  ];
  for (const row of rows) await test.step(row.form, () => pressOn(page, row));
});

test('a slow mouse press counts as a click on every form of an administrator', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ items: 3, warranty_days: 30 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);
  const parcel = await makeParcel(shop);
  const other = await makeUser(shop);
  const cancel = (tab: Page) => inDialog(tab, 'Cancel');
  const within = (name: string | RegExp) => (tab: Page) => inDialog(tab, name);
  const opens = (name: string | RegExp, path?: string) => async (tab: Page) => {
    if (path) await tab.goto(path);
    await button(tab, name).first().click();
  };
  const rows: Row[] = [
    {
      form: 'add a product',
      open: opens('Add Digital Product', productList(product.name)),
      wrong: ['Name', ''],
      press: within('Create Product'),
      focus: 'Name',
    },
    { form: 'add a product, left', wrong: ['Price (USD)', '-1'], press: cancel, asks: true },
    {
      form: 'edit a product',
      open: opens(`Edit ${product.name}`),
      wrong: ['Price (USD)', ''],
      press: within('Save Changes'),
      focus: 'Price (USD)',
    },
    { form: 'edit a product, left', wrong: ['Warranty (days)', '-1'], press: cancel, asks: true },
    {
      form: 'upload',
      open: opens(`Stock of ${product.name}`),
      wrong: ['Inventory items', ''],
      press: within('Check items'),
      focus: 'Inventory items',
    },
    {
      form: 'void a key',
      open: async (tab) => {
        await tab.getByRole('tab', { name: 'Items' }).click();
        await tab.getByRole('button', { name: /^Void/ }).first().click();
      },
      wrong: ['Reason', ''],
      press: within('Void item'),
      focus: 'Reason',
    },
    { form: 'void a key, left', wrong: ['Reason', ''], press: cancel },
    {
      form: 'report',
      open: (tab) => tab.goto(productList(product.name, { dialog: 'report' })),
      wrong: ['Last day', '2020-01-01'],
      press: within('Generate Report'),
      focus: 'Last day',
    },
    { form: 'report, left', wrong: ['Last day', '2019-01-01'], press: cancel },
    {
      form: 'add a physical product',
      open: (tab) => tab.goto('/admin/products/new'),
      wrong: ['Price (USD)', '-1'],
      press: (tab) => tab.getByRole('main').getByRole('button', { name: 'Add Product' }),
      focus: 'Name',
    },
    { form: 'add a physical product, left', wrong: ['Stock', '-1'], press: (tab) => link(tab, 'Cancel') },
    {
      form: 'replace a key',
      open: opens(/^Replace faulty item/, `/admin/orders/${order}`),
      wrong: ['Reason', ''],
      press: within('Replace item'),
      focus: 'Reason',
    },
    { form: 'replace a key, left', press: cancel },
    { form: 'refund', open: opens('Refund'), wrong: ['Reason', ''], press: within(/^Refund \$/), focus: 'Reason' },
    { form: 'refund, left', press: cancel },
    {
      form: 'ship',
      open: opens('Mark as shipped', `/admin/orders/${parcel}`),
      wrong: ['Carrier', 'Pos'],
      press: within('Mark as shipped'),
      focus: 'Tracking number',
    },
    { form: 'ship, left', wrong: ['Carrier', ''], press: cancel },
    {
      form: 'cancel an order',
      open: opens('Cancel order'),
      wrong: ['Reason', ''],
      press: within('Cancel order'),
      focus: 'Reason',
    },
    { form: 'cancel an order, left', press: within('Keep order') },
    {
      form: 'block',
      open: opens('Block', `/admin/users/${other.id}`),
      wrong: ['Reason', ''],
      press: within('Block user'),
      focus: 'Reason',
    },
    { form: 'block, left', press: cancel },
    { form: 'role', open: opens('Make administrator'), press: cancel },
  ];
  for (const row of rows) await test.step(row.form, () => pressOn(page, row));
});

/** Expects that a field and its label are fully visible and not under the header. */
async function seesWhole(page: Page, label: string): Promise<void> {
  const bottomOfHeader = await page.getByRole('banner').evaluate((header) => header.getBoundingClientRect().bottom);
  const words = await page.locator('label', { hasText: label }).boundingBox();
  const input = await field(page, label).boundingBox();
  expect(words?.y).toBeGreaterThanOrEqual(bottomOfHeader);
  expect((input?.y ?? 0) + (input?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
}

for (const width of [390, 1440]) {
  test(`a rejected Pay focuses the first invalid field and scrolls it into view at a width of ${width} px`, async ({
    page,
    stockUp,
  }) => {
    await page.setViewportSize({ width, height: 640 });
    await openCheckout(page, [{ product: await stockUp(), quantity: 1 }]);
    await fillContact(page, { email: newEmail() });
    await fillCard(page);
    const isWrong = async (label: string, value: string) => {
      const before = await field(page, label).inputValue();
      await field(page, label).fill(value);
      await pressSlowly(page, payButton(page));
      await expect(field(page, label)).toBeFocused();
      await seesWhole(page, label);
      await field(page, label).fill(before);
    };
    await isWrong('Security code', '12');
    await isWrong('Card number', '4242');
    await isWrong('Full Name', '');
    await isWrong('Email', 'a@');
  });
}

test('the second press of a double click does not hit the next entry of a list', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const name = `Pair ${newEmail()}`;
  const products = [await stockUp({ name: `${name} 1` }), await stockUp({ name: `${name} 2` })];
  await page.goto(productList(name));
  const deactivate = button(page, /^Deactivate/);
  await expect(deactivate).toHaveCount(2);
  await deactivate.first().dblclick();
  await expect(deactivate).toHaveCount(1);
  await expect(page.getByText('has been deactivated and hidden from store')).toHaveCount(1);
  const ids = products.map(({ id }) => id);
  const active = shop.db.selectFrom('products').select('id').where('id', 'in', ids).where('is_active', '=', true);
  expect(await active.execute()).toHaveLength(1);

  await openCheckout(page, [{ product: await stockUp() }, { product: await stockUp() }]);
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Shopping cart/ })
    .click();
  const remove = page.getByRole('dialog').getByRole('button', { name: /^Remove/ });
  await remove.first().dblclick();
  await expect(remove).toHaveCount(1);
});

test('a double click on a button that opens a dialog leaves the dialog open', async ({ page, stockUp, admin: _ }) => {
  await page.goto(productList((await stockUp()).name));
  const add = button(page, 'Add Digital Product');
  const dialog = page.getByRole('dialog', { name: 'Add Digital Product' });
  // The first time, the code of the dialog is loaded.
  await add.click();
  await press(page, 'Cancel');
  await expect(dialog).toBeHidden();
  await add.dblclick({ delay: PRESS_MS });
  await expect(dialog).toBeVisible();
  await dialog.getByLabel('Name').fill('Ember Reach');
  await expect(dialog.getByLabel('Name')).toHaveValue('Ember Reach');
});
