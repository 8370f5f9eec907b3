import { expect, type Page } from '@playwright/test';
import { orderNumber } from '../../src/shared/format.ts';
import type { MadeProduct } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test as base } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { codeIn, mailTo } from './mails.ts';
import { newEmail, PASSWORD, readKey } from './steps.ts';

interface Bought {
  email: string;
  number: string;
  product: MadeProduct;
}

const test = base.extend<{ bought: Bought }>({
  /** A guest's paid order; its buyer is not signed in here. */
  bought: async ({ shop, stockUp }, use) => {
    const email = newEmail();
    const product = await stockUp({ warranty_days: 30, delivery_instructions: 'Open the launcher.' });
    const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 1 }], { email, password: PASSWORD });
    await use({ email, number: orderNumber(orderId), product });
  },
});

const main = (page: Page) => page.getByRole('main');
const digits = (page: Page) => main(page).getByRole('group').getByRole('textbox');
const subject = /code for order/;

async function ask(page: Page, { email, number }: Pick<Bought, 'email' | 'number'>) {
  await page.goto('/find-order');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Order number').fill(number);
  await page.getByRole('button', { name: 'Send the code' }).click();
  await expect(page.getByRole('heading', { name: 'Enter the code' })).toBeVisible();
  await expect(digits(page).first()).toBeFocused();
  await expect(main(page)).toContainText('Opening the items ends the right of return.');
}

test('a buyer opens an order with a mailed code instead of a password, and the browser stores nothing of it', async ({
  page,
  context,
  shop,
  bought,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const [key = ''] = bought.product.keys;
  await ask(page, { ...bought, number: `#${bought.number.toLowerCase()}` });
  const open = page.getByRole('button', { name: 'Open the order' });
  await expect(open).toBeDisabled();
  const mail = await mailTo(shop, { email: bought.email, subject });
  await page.evaluate((code) => navigator.clipboard.writeText(code), codeIn(mail));
  await page.keyboard.press('ControlOrMeta+v');

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${bought.number}`);
  await expect(main(page)).toBeFocused();
  await expect(page).not.toHaveTitle(new RegExp(bought.number));
  for (const words of [
    'Keep these items to yourself.',
    bought.product.name,
    'Open the launcher.',
    'Warranty: 30 days',
    'Need Help?',
  ]) {
    await expect(main(page)).toContainText(words);
  }
  await expect(page.getByRole('code')).not.toHaveText(key);
  expect(await readKey(page)).toBe(key);
  await page.getByRole('button', { name: 'Copy item 1' }).click();
  await expect(page.getByRole('button', { name: 'Copied item 1' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

  await looksRightEverywhere(page);

  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  for (const secret of [key, bought.email, bought.number]) expect(kept).not.toContain(secret);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Find my order' })).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue('');
});

test('an order opened by a code is closed when its page is left, even if Back restores that page', async ({
  page,
  shop,
  bought,
}) => {
  await ask(page, bought);
  await page.keyboard.type(codeIn(await mailTo(shop, { email: bought.email, subject })));
  const key = await readKey(page);
  const kept = await page.evaluate(() => {
    window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }));
    return document.body.textContent;
  });
  for (const secret of [key, bought.number, bought.product.name]) expect(kept).not.toContain(secret);
  await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
  await expect(page.getByRole('heading', { name: 'Find my order' })).toBeVisible();
  await expect(page.getByLabel('Email')).toHaveValue('');
});

test('an unknown order gets the same response as an existing one, and no code opens it', async ({
  page,
  bought,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/order-lookup/guest/open', 401);
  const said = async ({ email, number }: Pick<Bought, 'email' | 'number'>) => {
    await ask(page, { email, number });
    return ((await main(page).textContent()) ?? '').replace(email, 'ADDRESS');
  };
  const known = await said(bought);
  expect(known).toContain('If there is an order with this number and address, a mail with a 6-digit code');
  for (const [email, number] of [
    [newEmail(), bought.number],
    [bought.email, 'FFFFFFFF'],
  ] as const) {
    expect(await said({ email, number })).toBe(known);
    await page.keyboard.type('000000');
    await expect(main(page).getByRole('alert')).toHaveText('This code is wrong or no longer valid');
    await expect(digits(page).first()).toBeFocused();
    await expect(digits(page).first()).toHaveValue('');
  }
});

test('a new code invalidates the first one, and Back keeps the typed values', async ({
  page,
  shop,
  bought,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/order-lookup/guest/open', 401);
  await ask(page, bought);
  const first = await mailTo(shop, { email: bought.email, subject });
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await expect(main(page).getByRole('status')).toContainText('A new code is on its way');
  const second = await mailTo(shop, { email: bought.email, subject, after: first });
  await digits(page).first().focus();
  await page.keyboard.type(codeIn(first));
  await expect(main(page).getByRole('alert')).toHaveText('This code is wrong or no longer valid');
  await looksRightEverywhere(page);

  await page.getByRole('button', { name: 'Back' }).click();
  await expect(page.getByLabel('Email')).toHaveValue(bought.email);
  await expect(page.getByLabel('Order number')).toHaveValue(bought.number);
  await page.getByRole('button', { name: 'Send the code' }).click();
  const third = await mailTo(shop, { email: bought.email, subject, after: second });
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type(codeIn(third));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${bought.number}`);
  await page.getByRole('button', { name: 'Find another order' }).click();
  await expect(page.getByLabel('Email')).toHaveValue('');
});

test('Back leads from a receipt to the opened order, without another code', async ({ page, shop, bought }) => {
  const receipts = shop.db
    .selectFrom('receipts')
    .innerJoin('orders', 'orders.id', 'receipts.order_id')
    .select('number')
    .where('contact_email', '=', bought.email);
  await expect.poll(async () => (await receipts.execute()).length).toBe(1);
  await ask(page, bought);
  await page.keyboard.type(codeIn(await mailTo(shop, { email: bought.email, subject })));
  const [order, receipt] = [`Order #${bought.number}`, 'Receipt'];
  const title = page.getByRole('heading', { level: 1 });
  await expect(title).toHaveText(order);
  for (const goBack of [() => page.goBack(), () => page.getByRole('button', { name: 'Back to the order' }).click()]) {
    await page.getByRole('button', { name: /^Receipt/ }).click();
    await expect(title).toHaveText(receipt);
    await expect(main(page)).toBeFocused();
    await goBack();
    await expect(title).toHaveText(order);
    await expect(main(page)).toBeFocused();
  }
});

test('a refunded order shows its state and no items to open', async ({ page, shop, bought }) => {
  await shop.db.updateTable('orders').set({ state: 'refunded' }).where('contact_email', '=', bought.email).execute();
  await ask(page, bought);
  await page.keyboard.type(codeIn(await mailTo(shop, { email: bought.email, subject })));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Order #${bought.number}`);
  await expect(main(page)).toContainText('Cancelled');
  await expect(page.getByRole('link', { name: /^View Items/ })).toHaveCount(0);
  await expect(main(page)).toContainText('Refunded');
  await expect(main(page)).toContainText('This order was refunded, so its items are no longer shown.');
  await looksRightEverywhere(page);
});

test('the form shows an error at each missing or invalid field, and links to the login', async ({ page }) => {
  await page.goto('/find-order');
  const send = page.getByRole('button', { name: 'Send the code' });
  await send.click();
  await expect(page.getByText('Please enter your email')).toBeVisible();
  await expect(page.getByText('Please enter your order number')).toBeVisible();
  await looksRightEverywhere(page);
  await page.getByLabel('Email').fill('nobody@');
  await page.getByLabel('Order number').fill('12345');
  await send.click();
  await expect(page.getByText('Please enter a valid email address')).toBeVisible();
  await expect(page.getByText('An order number has 8 characters')).toBeVisible();
  await main(page).getByRole('link', { name: 'Sign In' }).click();
  await expect(page).toHaveURL('/login');
});
