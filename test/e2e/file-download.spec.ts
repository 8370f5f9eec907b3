import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, type Route } from '@playwright/test';
import { PIECE_BYTES } from '../../src/shared/delivery.ts';
import { makeUser } from '../factories.ts';
import { buyAsCustomer } from '../purchases.ts';
import { test } from './fixtures.ts';
import { looksRightEverywhere } from './looks-right.ts';
import { mailTo } from './mails.ts';
import { productDialog } from './steps.ts';

// With 100, the test takes 20 s more of processor time than with 5 (docs/operations.md).
const MEGABYTES = Number(process.env['FILE_MB'] ?? 5);
const BYTES = MEGABYTES * 1024 * 1024 + 1;
const SIZE = `${MEGABYTES} MB`;

test('an upload over plain HTTP says that it needs HTTPS', async ({ page, stockUp, admin: _ }) => {
  const product = await stockUp({ items: 0, delivery: 'file' });
  // As Chromium does at the shop's address in a local network.
  await page.addInitScript(() => {
    Object.defineProperty(window, 'isSecureContext', { value: false });
    Object.defineProperty(crypto, 'subtle', { value: undefined });
  });
  await page.goto(productDialog('stock', product));
  const file = { name: 'guide.pdf', mimeType: 'application/pdf', buffer: Buffer.from('a guide') };
  await page.getByLabel('File to sell').setInputFiles(file);
  await expect(page.getByRole('alert')).toContainText('Your browser uploads files only over HTTPS');
});

test('a buyer downloads a file in two parts after a lost connection, and the link does not work for another buyer', async ({
  page,
  shop,
  stockUp,
  customer,
  signedIn,
  otherBrowser,
  admin: _,
}, testInfo) => {
  const product = await stockUp({ items: 0, delivery: 'file', download_limit: 3 });
  const content = randomBytes(BYTES);
  const path = testInfo.outputPath('Panduan Lengkap.pdf');
  writeFileSync(path, content);
  await page.goto(productDialog('stock', product));
  const desk = page.getByRole('dialog', { name: 'Manage Inventory' });
  await expect(desk).toContainText('No file yet');
  await looksRightEverywhere(page, [1440, 360]);
  await desk.getByLabel('File to sell').setInputFiles(path);
  const version = desk.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  await expect(version).toContainText(`Version 1 · ${SIZE}`);
  await expect(version).toContainText(createHash('sha256').update(content).digest('hex'));
  await looksRightEverywhere(page, [1440, 360]);

  const orderId = await buyAsCustomer({ url: shop.url }, customer, [{ product, quantity: 1 }]);
  const buyer = await otherBrowser();
  await signedIn(buyer, customer);
  await buyer.goto(`/digital-product/${product.id}`);
  await expect(buyer.getByText(`${SIZE}, PDF. 3 downloads.`)).toBeVisible();
  await buyer.goto(`/order-items/${orderId}`);
  await expect(buyer.getByText(`${SIZE} · PDF · 3 downloads left`)).toBeVisible();
  await looksRightEverywhere(buyer, [1440, 360]);
  const began = buyer.waitForEvent('download');
  await buyer.getByRole('button', { name: 'Download item 1' }).click();
  const download = await began;
  expect(download.suggestedFilename()).toBe('Panduan Lengkap.pdf');
  await download.cancel();
  await expect(buyer.getByText(`${SIZE} · PDF · 2 downloads left`)).toBeVisible();

  const url = download.url();
  const hash = await buyer.evaluate(
    async ({ link, half }) => {
      const lost = new AbortController();
      const reader = (await fetch(link, { signal: lost.signal })).body?.getReader();
      const parts: Uint8Array[] = [];
      let got = 0;
      while (got < half) {
        const part = (await reader?.read())?.value;
        if (!part) throw new Error(`The connection ended by itself after ${got} bytes`);
        parts.push(part);
        got += part.length;
      }
      lost.abort();
      const rest = await fetch(link, { headers: { range: `bytes=${got}-` } });
      if (rest.status !== 206) throw new Error(`The rest is answered ${rest.status}`);
      parts.push(new Uint8Array(await rest.arrayBuffer()));
      const whole = await new Blob(parts as BlobPart[]).arrayBuffer();
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole));
      return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
    { link: url, half: BYTES / 2 },
  );
  expect(hash).toBe(createHash('sha256').update(content).digest('hex'));
  const beganAgain = buyer.waitForEvent('download');
  await buyer.getByRole('button', { name: 'Download item 1' }).click();
  await (await beganAgain).cancel();
  await expect(buyer.getByText(`${SIZE} · PDF · 2 downloads left`)).toBeVisible();

  const other = await otherBrowser();
  const stranger = await makeUser(shop);
  await buyAsCustomer({ url: shop.url }, stranger, [{ product, quantity: 1 }]);
  await signedIn(other, stranger);
  expect((await other.request.get(url)).status()).toBe(404);
});

test('an administrator uploads a new version of a file and notifies its buyers by mail', async ({
  page,
  shop,
  stockUp,
  customer,
  admin: _,
}) => {
  const product = await stockUp({ items: 0, delivery: 'file' });
  await page.goto(productDialog('stock', product));
  const desk = page.getByRole('dialog', { name: 'Manage Inventory' });
  const upload = (name: string) =>
    desk.getByLabel('File to sell').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  const versions = desk.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  await expect(desk).toContainText('No file yet');
  await expect(desk.getByLabel('Tell the buyers by mail')).toHaveCount(0);
  await upload('First.txt');
  await expect(versions).toHaveCount(1);
  await buyAsCustomer({ url: shop.url }, customer, [{ product, quantity: 1 }]);
  await desk.getByLabel('Tell the buyers by mail').check();
  await upload('Second.txt');
  await expect(versions.first()).toContainText('Version 2');
  await expect(versions.first()).toContainText('its buyers were notified');
  await expect(versions.last()).not.toContainText('its buyers were notified');
  await expect(desk.getByLabel('Tell the buyers by mail')).not.toBeChecked();
  const told = await mailTo(shop, { email: customer.email, subject: /new version/ });
  expect(told.text).toContain('Second.txt');
});

test('a file whose publish response was lost is on sale once, and the dashboard reports it', async ({
  page,
  stockUp,
  complaints,
  admin: _,
}) => {
  const product = await stockUp({ items: 0, delivery: 'file' });
  await page.goto(productDialog('stock', product));
  const desk = page.getByRole('dialog', { name: 'Manage Inventory' });
  const versions = desk.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  const upload = (name: string) =>
    desk.getByLabel('File to sell').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  complaints.expectFailedRequest(/\/publish$/, 502);
  const loseAnswer = async (route: Route) => {
    await route.fetch();
    await route.fulfill({ status: 502, json: {} });
  };
  await page.route('**/publish', loseAnswer, { times: 1 });
  await upload('First.txt');
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText('Version 1 of the file is on sale');
  await expect(versions).toHaveCount(1);

  await page.route('**/publish', loseAnswer, { times: 3 });
  await upload('Second.txt');
  await expect(desk.getByRole('alert')).toContainText('did not say whether the file is on sale');
  await expect(versions).toContainText(['Second.txt', 'First.txt']);
});

test('an upload that stopped goes on where it stopped, without choosing the file again', async ({
  page,
  stockUp,
  complaints,
  admin: _,
}, testInfo) => {
  const product = await stockUp({ items: 0, delivery: 'file' });
  const content = randomBytes(PIECE_BYTES * 2 + 1);
  const path = testInfo.outputPath('Guide.pdf');
  writeFileSync(path, content);
  const sent: string[] = [];
  page.on('request', (request) => {
    if (/files$|pieces/.test(request.url()) && request.method() !== 'GET')
      sent.push(request.url().replace(/.*\/|\?.*/g, ''));
  });
  complaints.expectFailedRequest(/pieces\/1/, 503);
  await page.route('**/pieces/1*', (route) => route.fulfill({ status: 503, json: {} }), { times: 3 });
  await page.goto(productDialog('stock', product));
  const desk = page.getByRole('dialog', { name: 'Manage Inventory' });
  await desk.getByLabel('File to sell').setInputFiles(path);
  await expect(desk.getByLabel('Uploading has stopped')).toBeVisible();
  await expect(desk.getByRole('alert')).toContainText('The file could not be uploaded');
  await looksRightEverywhere(page, [1440, 360]);
  await desk.getByRole('button', { name: 'Try again' }).click();
  const version = desk.getByRole('list', { name: 'Versions' }).getByRole('listitem');
  await expect(version).toContainText(createHash('sha256').update(content).digest('hex'));
  expect(sent).toEqual(['files', '0', '1', '1', '1', '1', '2']);
});
