import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { Secret, TOTP, URI } from 'otpauth';
import decodeQR from 'qr/decode.js';
import sharp from 'sharp';
import { type Authenticator, enableTwoFactor } from '../authenticator.ts';
import { TEST_PASSWORD } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { test as base } from './fixtures.ts';
import { enlargeText, looksRightEverywhere } from './looks-right.ts';
import { holdBack, leaveInStorage, logOut, press, signIn } from './steps.ts';

const STEP_MS = 30_000;

const test = base.extend<{ authenticator: Authenticator }>({
  /** The authenticator of this test's customer, who is signed in. */
  authenticator: async ({ shop, customer, page }, use) => {
    const shopper = createShopper(shop.url);
    const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
    const authenticator = await enableTwoFactor(shopper);
    await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
    await use(authenticator);
  },
});

const card = (page: Page) => page.getByRole('region', { name: 'Two-Factor Authentication' });
const codes = (page: Page) => page.getByRole('list', { name: 'Backup codes' }).getByRole('listitem');
const digits = (page: Page) => page.getByRole('group').getByRole('textbox');
const verify = (page: Page) => page.getByRole('button', { name: 'Verify' });

/** Returns the secret that is shown for typing in. */
async function shownSecret(page: Page): Promise<Secret> {
  const shown = await page.getByRole('code').first().textContent();
  return Secret.fromBase32(shown?.replaceAll(' ', '') ?? '');
}

async function readQrCode(picture: Buffer): Promise<string> {
  const { data, info } = await sharp(picture).resize(400).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQR({ data, width: info.width, height: info.height });
}

async function setUp(page: Page): Promise<TOTP> {
  await page.getByRole('button', { name: 'Get Started' }).click();
  await expect(page.getByRole('img', { name: /^QR code/ })).toBeVisible();
  return new TOTP({ secret: await shownSecret(page) });
}

test('two-factor can be enabled with the shown secret, used with a code or a backup code, and disabled', async ({
  page,
  customer,
}) => {
  const logIn = async () => {
    await signIn(page, { email: customer.email, password: TEST_PASSWORD });
    await expect(digits(page).first()).toBeFocused();
  };
  const logOutAndReturn = async () => {
    await logOut(page);
    await page.getByRole('banner').getByRole('link', { name: 'Sign In' }).click();
  };
  await page.goto('/profile');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(card(page)).toContainText('Not enabled');
  await card(page).getByRole('link', { name: 'Enable 2FA' }).click();
  await expect(page).toHaveURL('/2fa-setup');
  const totp = await setUp(page);
  await expect(codes(page)).toHaveCount(10);
  const backupCode = (await codes(page).first().textContent()) ?? '';
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type(totp.generate());
  await expect(page.getByRole('heading', { name: 'Two-factor authentication is on' })).toBeFocused();
  await page.getByRole('link', { name: 'Go to Profile' }).click();
  await expect(card(page)).toContainText('Enabled');
  await expect(card(page)).toContainText('Backup codes: Sufficient');

  await logOutAndReturn();
  await logIn();
  // Each step counts once, and the setup has used the present one, for logins as well.
  await page.keyboard.type(totp.generate({ timestamp: Date.now() + STEP_MS }));
  await expect(page).toHaveURL('/');
  await logOutAndReturn();
  await logIn();
  await page.getByRole('button', { name: 'Use a backup code' }).click();
  await page.getByLabel('Backup code').fill(backupCode);
  await verify(page).click();
  await expect(page).toHaveURL('/');

  await page.goto('/profile');
  await card(page).getByRole('button', { name: 'Disable 2FA' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  await dialog.getByRole('button', { name: 'Disable 2FA' }).click();
  await expect(card(page)).toContainText('Not enabled');
  await expect(card(page).getByRole('status')).toHaveText('Two-factor authentication is off');
  await logOutAndReturn();
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(page).toHaveURL('/');
});

test('the QR code is shown; the secret and the backup codes can be copied, and the codes downloaded', async ({
  page,
  context,
  customer,
  signedIn,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  const { secret } = await setUp(page);
  const code = page.getByRole('img', { name: /^QR code/ });
  await expect(code).toHaveJSProperty('complete', true);
  const read = URI.parse(await readQrCode(await code.screenshot()));
  expect(read).toMatchObject({ issuer: 'Kedai', label: customer.email });
  expect(read.secret.base32).toBe(secret.base32);
  await page.getByRole('button', { name: 'Copy Secret' }).click();
  await expect(page.getByRole('button', { name: 'Copied Secret' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret.base32);

  const shown = await codes(page).allTextContents();
  expect(new Set(shown).size).toBe(10);

  await page.getByRole('button', { name: 'Copy Backup codes' }).click();
  await expect(page.getByRole('button', { name: 'Copied Backup codes' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown.join('\n'));

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download Backup codes' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('backup-codes.txt');
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain(`Backup codes of Kedai for ${customer.email}`);
  expect(text.split('\r\n').filter((line) => shown.includes(line))).toEqual(shown);
  await expect(page.getByRole('link', { name: 'Downloaded Backup codes' })).toBeVisible();
});

test('a wrong code shows an error and clears the field; Back keeps the secret, and a reload makes a new one', async ({
  page,
  customer,
  signedIn,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/2fa/verify', 401);
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
  await looksRightEverywhere(page);
  const first = await setUp(page);
  await looksRightEverywhere(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(verify(page)).toBeDisabled();
  await expect(page.getByText('Please enter a 6-digit code')).toBeVisible();
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type('12a345');
  await expect(digits(page).nth(5)).toHaveValue('');
  await expect(verify(page)).toBeDisabled();
  await page.keyboard.type('6');
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Invalid verification code');
  await expect(page).toHaveURL('/2fa-setup');
  await expect(digits(page).first()).toBeFocused();
  await expect(digits(page).first()).toHaveValue('');
  await looksRightEverywhere(page);
  await page.getByRole('button', { name: 'Back' }).click();
  expect((await shownSecret(page)).base32).toBe(first.secret.base32);

  await page.reload();
  const second = await setUp(page);
  expect(second.secret.base32).not.toBe(first.secret.base32);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type(second.generate());
  await expect(page.getByRole('heading', { name: 'Two-factor authentication is on' })).toBeVisible();
  await looksRightEverywhere(page);
});

test("the browser's Back leads through the steps of the setup, and Forward to the same secret", async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  const { secret } = await setUp(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(digits(page).first()).toBeFocused();
  await page.goBack();
  expect((await shownSecret(page)).base32).toBe(secret.base32);
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
  await page.goForward();
  expect((await shownSecret(page)).base32).toBe(secret.base32);
  await page.goForward();
  await expect(verify(page)).toBeVisible();
});

test('a setup that another tab has replaced says so', async ({ page, shop, customer, complaints }) => {
  complaints.expectFailedRequest('/api/auth/2fa/verify', 409);
  const shopper = createShopper(shop.url);
  const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto('/2fa-setup');
  const totp = await setUp(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  expect((await shopper.post('/api/auth/2fa/setup')).status).toBe(200);
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type(totp.generate());
  const words = 'Another tab or device has replaced this secret. Please start again.';
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(words);
  await expect(digits(page).first()).toHaveValue('');
});

test('the code fields on a phone show their digits uncut', async ({ page, authenticator: _, customer }) => {
  await page.setViewportSize({ width: 360, height: 760 });
  await leaveInStorage(page, { token: '', user: '' });
  await page.goto('/login');
  await signIn(page, { email: customer.email, password: TEST_PASSWORD });
  await expect(digits(page).first()).toBeFocused();
  await page.keyboard.type('88888');
  await expect(digits(page).nth(4)).toHaveValue('8');
  const cut = digits(page).evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
  expect(await cut).toEqual([0, 0, 0, 0, 0, 0]);
});

test('the names of the steps on a phone with text at 200 % stay in their columns', async ({
  page,
  customer,
  signedIn,
}) => {
  await signedIn(page, customer);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto('/2fa-setup');
  await enlargeText(page);
  const steps = page.getByRole('main').getByRole('listitem').filter({ hasText: /^\d\./ });
  await expect(steps).toHaveCount(3);
  const cut = (those: Element[]) => those.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length;
  expect(await steps.evaluateAll(cut)).toBe(0);
});

test('the setup leads to the profile if two-factor is already enabled', async ({ page, authenticator }) => {
  expect(authenticator.backupCodes).toHaveLength(10);
  await page.goto('/2fa-setup');
  await expect(page).toHaveURL('/profile');
  await expect(card(page)).toContainText('Enabled');
});

test('the setup leads to the profile if two-factor is enabled elsewhere meanwhile', async ({
  page,
  shop,
  customer,
  complaints,
}) => {
  complaints.expectFailedRequest(/^\/api\/auth\/2fa\/(setup|verify)$/, 409);
  const shopper = createShopper(shop.url);
  const { body } = await shopper.signIn(customer.email, TEST_PASSWORD);
  await leaveInStorage(page, { token: body.token ?? '', user: JSON.stringify(body['user']) });
  await page.goto('/2fa-setup');
  await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
  await enableTwoFactor(shopper);
  await page.getByRole('button', { name: 'Get Started' }).click();
  await expect(page).toHaveURL('/profile');
});

test('a refusal without a message shows a default message', async ({ page, customer, signedIn, complaints }) => {
  complaints.expectFailedRequest(/^\/api\/auth\/2fa\//, 403);
  complaints.expectFailedRequest(/^\/api\/auth\/2fa\//, 401);
  const refuse = (path: string, status: number, json = {}) =>
    page.route(path, (route) => route.fulfill({ status, json }), { times: 1 });
  const says = (words: string) => expect(page.getByRole('main').getByRole('alert')).toHaveText(words);
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await refuse('/api/auth/2fa/setup', 403);
  await page.getByRole('button', { name: 'Get Started' }).click();
  await says('Failed to setup 2FA');
  await setUp(page);
  await page.getByRole('button', { name: 'Continue' }).click();
  for (const [status, json, words] of [
    [403, {}, 'Verification failed'],
    [401, { code: 'INVALID_CODE' }, 'Invalid verification code'],
  ] as const) {
    await refuse('/api/auth/2fa/verify', status, json);
    await expect(digits(page).first()).toBeFocused();
    await page.keyboard.type('123456');
    await says(words);
  }
});

test('disabling asks for the password; a wrong password changes nothing and keeps the session', async ({
  page,
  authenticator: _,
  complaints,
}) => {
  complaints.expectFailedRequest('/api/auth/2fa/disable', 400);
  complaints.expectFailedRequest('/api/auth/2fa/disable', 403);
  await page.goto('/profile');
  await card(page).getByRole('button', { name: 'Disable 2FA' }).click();
  const dialog = page.getByRole('dialog');
  const password = dialog.getByLabel('Password', { exact: true });
  const disable = dialog.getByRole('button', { name: 'Disable 2FA' });
  await expect(password).toBeFocused();
  await disable.click();
  await expect(password).toHaveAccessibleDescription('Please enter your password');
  await looksRightEverywhere(page);
  await password.fill('not my password');
  await disable.click();
  await expect(password).toHaveAccessibleDescription(/incorrect/i);
  await page.route('/api/auth/2fa/disable', (route) => route.fulfill({ status: 403, json: {} }));
  await disable.click();
  await expect(password).toHaveAccessibleDescription('Failed to disable 2FA');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page)).toContainText('Enabled');
});

test('the profile warns of few or no backup codes, and creates ten new codes after the password', async ({
  page,
  shop,
  customer,
  authenticator,
}) => {
  const spendUntil = (left: number) =>
    shop.db
      .updateTable('backup_codes')
      .set({ used_at: new Date() })
      .where('user_id', '=', customer.id)
      .where('code_hash', 'in', (eb) =>
        eb
          .selectFrom('backup_codes')
          .select('code_hash')
          .where('user_id', '=', customer.id)
          .orderBy('code_hash')
          .limit(10 - left),
      )
      .execute();
  for (const [left, status, warning] of [
    [10, 'Sufficient', ''],
    [2, 'Low', 'You have only 2 backup codes left.'],
    [0, 'None', 'You have no backup codes left.'],
  ] as const) {
    await spendUntil(left);
    await page.goto('/profile');
    await expect(card(page)).toContainText(`Backup codes: ${status}${warning}`);
  }
  await looksRightEverywhere(page);

  await card(page).getByRole('button', { name: 'Regenerate backup codes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
  const renewal = await holdBack(page, '/api/auth/2fa/backup-codes');
  await page.keyboard.press('Enter');
  await renewal.made;
  // The new codes are shown even if the dialog was closed before they arrived: the codes from before no longer work.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  renewal.letGo();
  await expect(codes(page)).toHaveCount(10);
  expect(authenticator.backupCodes).not.toContain(await codes(page).first().textContent());
  await expect(dialog.getByRole('link', { name: 'Download Backup codes' })).toBeVisible();
  await looksRightEverywhere(page);
  await page.setViewportSize({ width: 1280, height: 720 });
  const question = page.getByRole('dialog', { name: 'Have you kept the codes?' });
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(4, 4),
    () => dialog.getByRole('button', { name: 'Close' }).click(),
  ]) {
    await close();
    await expect(question).toBeVisible();
    await press(page, 'Back to the codes');
    await expect(question).toBeHidden();
  }
  await expect(codes(page)).toHaveCount(10);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toBeHidden();
  await expect(card(page)).toContainText('Backup codes: Sufficient');
});

test('the setup announces that it is loading', async ({ page, customer, signedIn }) => {
  const status = await holdBack(page, '/api/auth/2fa/status');
  await signedIn(page, customer);
  await page.goto('/2fa-setup');
  await expect(page.getByRole('main').getByRole('status')).toHaveText('Loading the setup');
  status.letGo();
  await expect(page.getByRole('button', { name: 'Get Started' })).toBeVisible();
});
