import { randomUUID } from 'node:crypto';
import { expect, type Page, type Route } from '@playwright/test';
import type { UserRow } from '../../src/server/platform/database/tables.ts';
import { type Authenticator, enableTwoFactor } from '../authenticator.ts';
import { type MadeProduct, TEST_PASSWORD } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { breakSave, holdBack, leaveInStorage, press, productDialog, productList, returnToTab } from './steps.ts';

const newKeys = (count: number) => Array.from({ length: count }, () => `KEY-${randomUUID()}`);
const stock = (page: Page) => page.getByRole('dialog', { name: 'Manage Inventory' });
const openStock = (page: Page, product: MadeProduct) => page.goto(productDialog('stock', product));
const field = (page: Page) => stock(page).getByLabel('Inventory items');
const seesCounts = async (page: Page, counts: string[]) =>
  expect(stock(page).locator('dl').first().getByRole('definition')).toHaveText(counts);
const items = (page: Page) => stock(page).getByRole('list', { name: 'Items' }).getByRole('listitem');
const hasNoContentYet = (page: Page) => expect(stock(page)).toContainText('There is no content yet');
const textFile = (name: string, lines: string[]) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(lines.join('\r\n')),
});

test('a save of content that another administrator changed meanwhile is refused, and keeps the typed content', async ({
  page,
  shop,
  admin,
  stockUp,
  complaints,
}) => {
  complaints.expectFailedRequest(/\/content$/, 409);
  const product = await stockUp({ items: 0, delivery: 'shared' });
  const other = createShopper(shop.url);
  await other.signIn(admin.email, TEST_PASSWORD);
  await page.clock.install();
  await openStock(page, product);
  await expect(page.getByRole('textbox', { name: 'Content' })).toBeFocused();
  await hasNoContentYet(page);
  await page.getByRole('textbox', { name: 'Content' }).fill('https://example.com/mine');
  await other.send('PUT', `/api/digital-products/${product.id}/content`, { content: 'https://example.com/theirs' });
  await returnToTab(page);
  await expect(stock(page)).toContainText('Version 1, since');
  await press(page, 'Save content');
  await expect(page.getByRole('alert')).toContainText('The content was changed meanwhile, and version 1 is on sale');
  await expect(page.getByRole('textbox', { name: 'New content' })).toHaveValue('https://example.com/mine');
  await press(page, 'Save content');
  await expect(stock(page)).toContainText('Version 2, since');
});

test('content can be typed only once the version that it replaces is known', async ({ page, admin: _, stockUp }) => {
  const product = await stockUp({ items: 0, delivery: 'shared' });
  const version = await holdBack(page, `/api/digital-products/${product.id}/content`);
  await openStock(page, product);
  await version.made;
  await expect(stock(page)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save content' })).toHaveCount(0);
  version.letGo();
  await hasNoContentYet(page);
  await expect(page.getByRole('textbox', { name: 'Content' })).toBeFocused();
});

test('a retried save of content reports a conflict with another save, and success if the first try arrived', async ({
  page,
  shop,
  admin,
  stockUp,
  complaints,
}) => {
  complaints.expectBrokenConnection(/\/content$/);
  complaints.expectFailedRequest(/\/content$/, 409);
  const product = await stockUp({ items: 0, delivery: 'shared' });
  const path = `/api/digital-products/${product.id}/content`;
  const other = createShopper(shop.url);
  await other.signIn(admin.email, TEST_PASSWORD);
  await openStock(page, product);
  await hasNoContentYet(page);
  await page.getByRole('textbox', { name: 'Content' }).fill('https://example.com/mine');
  let isDone = false;
  const cutOff = async (route: Route) => {
    if (isDone && route.request().method() !== 'GET') await route.fetch();
    await breakSave(route);
  };
  await page.route(path, cutOff);
  await other.send('PUT', path, { content: 'https://example.com/theirs' });
  await press(page, 'Save content');
  await expect(stock(page)).toContainText('Version 1, since');
  await page.unroute(path, cutOff);
  await press(page, 'Save content');
  await expect(page.getByRole('alert')).toContainText('The content was changed meanwhile, and version 1 is on sale');

  isDone = true;
  await page.route(path, cutOff);
  await press(page, 'Save content');
  await expect(stock(page)).toContainText('Version 2, since');
  await page.unroute(path, cutOff);
  await press(page, 'Save content');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('The content is saved');
  await expect(stock(page)).toContainText('Version 2, since');

  await page.getByRole('textbox', { name: 'New content' }).fill('https://example.com/next');
  await other.send('PUT', path, { content: 'https://example.com/later' });
  await page.route(path, breakSave, { times: 1 });
  await press(page, 'Save content');
  await expect(stock(page)).toContainText('Version 3, since');
  await press(page, 'Save content');
  await expect(page.getByRole('alert')).toContainText('version 3 is on sale');
});

test('pasted and uploaded keys are checked first, and only the new ones are added', async ({
  page,
  shop,
  stockUp,
  admin: _,
}) => {
  const other = await stockUp({ items: 1 });
  const product = await stockUp({ items: 2 });
  const countItems = async () =>
    (await shop.db.selectFrom('items').select('id').where('product_id', '=', product.id).execute()).length;
  await page.goto(productList(product.name));
  const opener = page.getByRole('button', { name: `Stock of ${product.name}`, exact: true });
  await opener.click();
  await seesCounts(page, ['2', '2', '0']);
  await expect(stock(page).getByLabel('Inventory items')).toBeFocused();

  await press(page, 'Check items');
  await expect(field(page)).toHaveAccessibleDescription(/Please add at least one item/);
  await field(page).fill(`ok\n${'x'.repeat(4_001)}`);
  await press(page, 'Check items');
  await expect(field(page)).toHaveAccessibleDescription(/Line 2 is longer than 4,000 characters/);

  const [one = '', two = '', three = ''] = newKeys(3);
  await field(page).fill(`${one}\n\n  ${one} \n${other.keys[0]}`);
  const file = stock(page).getByLabel('File of items');
  await file.setInputFiles({ name: 'x.txt', mimeType: 'text/plain', buffer: Buffer.from([0x4b, 0xff, 0x45]) });
  await expect(field(page)).toHaveAccessibleDescription(/Please save it as text in UTF-8/);
  await file.setInputFiles(textFile('\u202esyek.txt', ['x']));
  await expect(stock(page).getByText('syek.txt, 1 line', { exact: true })).toBeVisible();
  await file.setInputFiles(textFile('keys.csv', [`"${two}"`, `"a ""quoted"", ${three}"`, '']));
  await expect(stock(page).getByText('keys.csv, 2 lines')).toBeVisible();
  await press(page, 'Check items');
  await expect(stock(page).getByRole('heading', { name: 'Ready to add' })).toBeFocused();
  await expect(stock(page).locator('dl').last().getByRole('definition')).toHaveText(['3', '1', '1', '1']);
  expect(await countItems()).toBe(2);

  await press(page, 'Add 3 items');
  await expect(page.getByText('3 items added')).toBeVisible();
  await seesCounts(page, ['5', '5', '0']);
  await expect(items(page)).toHaveCount(5);
  await expect(items(page).first()).toContainText(`a "q••••••••${three.slice(-4)}`);
  expect(await page.content()).not.toContain(one);

  await stock(page).getByRole('tab', { name: 'Add', exact: true }).click();
  await field(page).fill(one);
  await press(page, 'Check items');
  await expect(stock(page).getByRole('heading', { name: 'Nothing new to add' })).toBeVisible();
  await expect(stock(page).getByRole('button', { name: /^Add \d/ })).toHaveCount(0);
  await press(page, 'Back');
  await expect(field(page)).toHaveValue(one);
  await page.keyboard.press('Escape');
  await press(page, 'Discard');
  await expect(stock(page)).toHaveCount(0);
  await expect(opener).toBeFocused();
  await expect(page.getByRole('article').filter({ hasText: product.name })).toContainText('Total5');
});

test('a large upload goes in batches: a failed batch is retried, and added items stay when the dialog is closed', async ({
  page,
  stockUp,
  complaints,
  admin: _,
}) => {
  const product = await stockUp({ items: 0 });
  const file = textFile('keys.txt', newKeys(5_500));
  const path = `/api/digital-products/${product.id}/inventory`;
  const choose = async () => {
    await stock(page).getByLabel('File of items').setInputFiles(file);
    await press(page, 'Check items');
    await expect(stock(page).getByRole('heading', { name: 'Ready to add' })).toBeVisible();
  };
  /** Fails the second part once: before it reaches the shop, or after the shop has taken it. */
  const failSecond = (when: 'before' | 'after') => {
    let calls = 0;
    return page.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      calls += 1;
      if (calls !== 2) return route.fallback();
      if (when === 'after') await route.fetch();
      return route.fulfill({ status: 500, json: {} });
    });
  };
  complaints.expectFailedRequest(path, 500);

  await openStock(page, product);
  await choose();
  await failSecond('before');
  await press(page, 'Add 5,500 items');
  await expect(stock(page).getByRole('alert')).toHaveText('Failed to add inventory');
  await expect(stock(page).getByRole('progressbar')).toHaveJSProperty('value', 5_000);
  await expect(stock(page)).toContainText('5,000 of 5,500 sent');
  await stock(page).getByRole('button', { name: 'Close' }).click();
  await press(page, 'Discard');
  await expect(page.getByRole('article').filter({ hasText: product.name })).toContainText('Total5,000');
  await page.unroute(path);

  await openStock(page, product);
  await choose();
  await failSecond('after');
  await press(page, 'Add 500 items');
  await expect(stock(page).getByRole('alert')).toHaveText('Failed to add inventory');
  await press(page, 'Try again');
  await expect(page.getByText('All items added')).toBeVisible();
  await seesCounts(page, ['5,500', '5,500', '0']);
  await expect(items(page)).toHaveCount(50);
  await press(page, 'Show more');
  await expect(items(page)).toHaveCount(100);
});

test('items are listed masked; voiding one needs a reason, and revealing one needs a reason and a code, on record', async ({
  page,
  shop,
  stockUp,
  customer,
  complaints,
  admin,
}) => {
  const product = await stockUp({ items: 3 });
  const order = await buyAsCustomer(shop, customer, [{ product, quantity: 1 }]);

  await openStock(page, product);
  await stock(page).getByRole('tab', { name: 'Items' }).click();
  await expect(items(page)).toHaveCount(3);
  const sold = items(page).filter({ hasText: 'Sold' });
  await expect(sold.getByRole('link', { name: /^Order #/ })).toHaveAttribute('href', `/admin/orders/${order}`);
  await expect(sold.getByRole('button', { name: /^Void/ })).toHaveCount(0);

  const voiding = page.getByRole('dialog', { name: 'Void this item?' });
  await items(page).first().getByRole('button', { name: /^Void/ }).click();
  await voiding.getByRole('button', { name: 'Void item' }).click();
  await expect(voiding.getByLabel('Reason')).toHaveAccessibleDescription('Please give a reason');
  await voiding.getByLabel('Reason').fill('Leaked on a forum');
  await voiding.getByRole('button', { name: 'Void item' }).click();
  await expect(voiding).toBeHidden();
  await expect(items(page).first()).toContainText('Voided');
  await expect(items(page).first()).toContainText('Leaked on a forum');
  await seesCounts(page, ['2', '1', '1']);
  await stock(page).getByLabel('Show').selectOption('Available');
  await expect(items(page)).toHaveCount(1);

  // An item is revealed with a code, so two-factor is needed.
  const revealing = page.getByRole('dialog', { name: 'Reveal item' });
  const openReveal = () =>
    items(page)
      .first()
      .getByRole('button', { name: /^Reveal/ })
      .click();
  await openReveal();
  await expect(revealing.getByRole('link', { name: 'Set up 2FA' })).toHaveAttribute('href', '/2fa-setup');

  const app = await turnTwoFactorOn(page, shop.url, admin);
  await openStock(page, product);
  await stock(page).getByRole('tab', { name: 'Items' }).click();
  await stock(page).getByLabel('Show').selectOption('Available');
  // The previous list disappears, and with it the button to which the focus would return.
  await expect(items(page)).toHaveCount(1);
  await openReveal();
  await revealing.getByRole('button', { name: 'Reveal item' }).click();
  await expect(revealing.getByLabel('Reason')).toHaveAccessibleDescription(/^Please give a reason/);
  await revealing.getByLabel('Reason').fill('The buyer says it does not work');
  complaints.expectFailedRequest(/\/reveal$/, 401);
  const code = revealing.getByRole('textbox', { name: 'Authentication code' });
  await code.pressSequentially('000000');
  await revealing.getByRole('button', { name: 'Reveal item' }).click();
  await expect(revealing.getByRole('alert')).toHaveText('Invalid 2FA code');
  await expect(code).toBeFocused();
  await page.keyboard.type(app.nextCode());
  await page.keyboard.press('Enter');
  const secret = revealing.getByRole('status');
  await expect(secret).toHaveText(/^KEY-/);
  await expect(revealing.getByRole('button', { name: 'Copy' })).toBeFocused();
  const content = (await secret.textContent()) ?? '';
  expect(product.keys).toContain(content);
  await looksRightEverywhere(page, [360]);
  await revealing.getByRole('button', { name: 'Hide' }).click();
  await expect(revealing).toBeHidden();
  expect(await page.content()).not.toContain(content);
  await expect(
    items(page)
      .first()
      .getByRole('button', { name: /^Reveal/ }),
  ).toBeFocused();
  const reveals = shop.db.selectFrom('reveals').select(['user_id', 'reason']).where('user_id', '=', admin.id);
  expect(await reveals.execute()).toEqual([{ user_id: admin.id, reason: 'The buyer says it does not work' }]);
});

/** Turns two-factor on as another device would, then signs in on this page with a code. */
async function turnTwoFactorOn(page: Page, url: string, { email }: UserRow): Promise<Authenticator> {
  const shopper = createShopper(url);
  await shopper.signIn(email, TEST_PASSWORD);
  const app = await enableTwoFactor(shopper);
  const { pendingToken } = (await shopper.signIn(email, TEST_PASSWORD)).body;
  const code = { pendingToken, twoFactorToken: app.backupCodes[0] };
  const { body } = await shopper.post('/api/auth/login', code);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  return app;
}

test('the inventory dialog has no accessibility violation and no overflow, in both themes, wide and narrow', async ({
  page,
  stockUp,
  complaints,
  admin: _,
}) => {
  const product = await stockUp({ items: 2 });
  await openStock(page, product);
  await press(page, 'Check items');
  await expect(stock(page).getByRole('alert')).toBeVisible();
  await looksRightEverywhere(page, [1440, 360]);
  await stock(page).getByRole('tab', { name: 'Items' }).click();
  await expect(items(page)).toHaveCount(2);
  await looksRightEverywhere(page, [1440, 360]);
  await stock(page).getByRole('tab', { name: 'Add', exact: true }).click();
  await field(page).fill(newKeys(2).join('\n'));
  await press(page, 'Check items');
  await expect(stock(page).getByRole('button', { name: 'Add 2 items' })).toBeVisible();
  await looksRightEverywhere(page, [360]);
  const path = `/api/digital-products/${product.id}/inventory`;
  complaints.expectBrokenConnection(path);
  await page.route(path, (route) => route.abort('connectionreset'));
  await press(page, 'Add 2 items');
  await expect(stock(page).getByRole('alert')).toContainText('We could not reach the shop');
  await looksRightEverywhere(page, [360]);
});

test('Back closes stacked dialogs one by one, and a closed dialog leaves the URL and the history', async ({
  page,
  admin: _,
  stockUp,
}) => {
  const product = await stockUp();
  const opener = page.getByRole('button', { name: `Stock of ${product.name}`, exact: true });
  const voiding = page.getByRole('dialog', { name: 'Void this item?' });
  const openStock = async () => {
    await opener.click();
    await seesCounts(page, ['1', '1', '0']);
  };
  const position = () => page.evaluate(() => window.history.state.idx);
  await page.goto(productList(product.name));
  await expect(opener).toBeVisible();
  const before = await position();
  await openStock();
  await stock(page)
    .getByRole('tab', { name: /^Items/ })
    .click();
  await items(page).first().getByRole('button', { name: /^Void/ }).click();
  await expect(voiding).toBeVisible();
  await page.goBack();
  await expect(voiding).toBeHidden();
  await expect(stock(page)).toBeVisible();
  await page.goBack();
  await expect(stock(page)).toHaveCount(0);
  await expect(page).toHaveURL(productList(product.name));

  await openStock();
  await page.keyboard.press('Escape');
  await expect(stock(page)).toHaveCount(0);
  await expect(page).toHaveURL(productList(product.name));
  // The history entry of the dialog is left as well.
  await expect.poll(position).toBe(before);
});

test('a dialog that is reopened while it closes stays open', async ({ page, admin: _, stockUp }) => {
  const product = await stockUp();
  await page.goto(productList(product.name));
  const opener = page.getByRole('button', { name: `Stock of ${product.name}`, exact: true });
  await opener.click();
  await seesCounts(page, ['1', '1', '0']);
  await opener.evaluate((button: HTMLButtonElement) => {
    const reopen = () => {
      button.click();
      document.body.dataset.reopened = 'yes';
    };
    document.querySelector('dialog[open]')?.addEventListener('close', reopen, { once: true });
  });
  await page.goBack();
  await expect(page.locator('body')).toHaveAttribute('data-reopened', 'yes');
  // A dialog that is fading out is visible, too, but not open.
  await expect(page.locator('dialog[open]')).toBeVisible();
  await seesCounts(page, ['1', '1', '0']);
  await page.goBack();
  await expect(stock(page)).toHaveCount(0);
  await expect(page).toHaveURL(productList(product.name));
});
