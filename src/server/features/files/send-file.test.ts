import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import {
  askForDownload,
  buyFile,
  makeFileProduct,
  readDownload,
  uploadProductFile,
} from '../../../../test/product-files.ts';
import type { Shopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop, startTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';
import { rotateDataKeys } from '../../platform/crypto/key-ring.ts';
import { CHUNK_BYTES } from './files.queries.ts';
import { CHUNKS_AT_ONCE } from './upload-file.ts';

const shop = await openTestShop();
const sold = await makeFileProduct(shop, { file: { name: 'Panduan "Ringkas" €.pdf' } });

let bought: Awaited<ReturnType<typeof buyFile>>;
let grant: Awaited<ReturnType<typeof askForDownload>>;
const read = (headers?: Record<string, string>, method?: string) => readDownload(shop.url, grant, headers, method);
const reads = () =>
  shop.deps.db.selectFrom('reveals').select(['order_id', 'ip']).where('item_id', '=', bought.itemId).execute();

async function buyAndAsk() {
  bought = await buyFile(shop, sold.product);
  grant = await askForDownload(bought.buyer, bought);
}

describe('a download', () => {
  beforeAll(buyAndAsk);

  it('sends the file as an attachment that neither browsers nor nginx cache', async () => {
    const { status, headers, content } = await read();
    expect(status).toBe(200);
    expect(content.equals(sold.content)).toBe(true);
    expect(Object.fromEntries(headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="Panduan \\"Ringkas\\" ?.pdf"; filename*=UTF-8''Panduan%20%22Ringkas%22%20%E2%82%AC.pdf`,
      'content-length': `${sold.content.length}`,
      'content-type': 'application/pdf',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
  });

  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    [`bytes=${CHUNK_BYTES - 1}-${CHUNK_BYTES}`, CHUNK_BYTES - 1, CHUNK_BYTES],
    ['bytes=599990-', 599_990, 599_999],
    ['bytes=599990-9999999', 599_990, 599_999],
    ['bytes=-7', 599_993, 599_999],
    ['bytes=-9999999', 0, 599_999],
  ])('sends the requested part for %s', async (range, first, last) => {
    const { status, headers, content } = await read({ range });
    expect([status, headers.get('content-range')]).toEqual([206, `bytes ${first}-${last}/600000`]);
    expect(content.equals(sold.content.subarray(first, last + 1))).toBe(true);
  });

  it.each(['bytes=600000-', 'bytes=-0'])('is refused with 416 for %s, which is beyond the file', async (range) => {
    const { status, headers, content } = await read({ range });
    expect([status, headers.get('content-range'), content.length]).toEqual([416, 'bytes */600000', 0]);
  });

  it.each(['bytes=0-1,4-5', 'bytes=5-2', 'items=0-1', 'bytes=a-b', 'bytes=-', 'bytes= 0-1', 'bytes=0 - 1'])(
    'sends the whole file for %s',
    async (range) => {
      const { status, content } = await read({ range });
      expect([status, content.length]).toEqual([200, 600_000]);
    },
  );

  it('resumes with If-Range while the version is the same, and starts over otherwise', async () => {
    const { headers } = await read({ range: 'bytes=0-1' });
    const etag = headers.get('etag') ?? '';
    expect((await read({ range: 'bytes=2-', 'if-range': etag })).status).toBe(206);
    expect((await read({ range: 'bytes=2-', 'if-range': '"another"' })).status).toBe(200);
  });

  it('answers HEAD with the length of the file and no body', async () => {
    const { status, headers, content } = await read({ range: 'bytes=0-1' }, 'HEAD');
    expect([status, headers.get('content-length'), content.length]).toEqual([200, '600000', 0]);
  });

  it('is counted and recorded in the ledger once, in any number of parts and after a second request', async () => {
    for (const range of ['bytes=0-99', 'bytes=100-']) await read({ range });
    const again = await askForDownload(bought.buyer, bought);
    expect(again.url).toBe(grant.url);
    expect(await reads()).toEqual([{ order_id: bought.orderId, ip: '127.0.0.1' }]);
    // The cookie before has been replaced.
    expect((await read()).status).toBe(404);
    grant = again;
    expect((await read()).status).toBe(200);
  });

  it('leaves its token in no log line and no column', async () => {
    const token = grant.cookie.slice('download='.length);
    expect(token).toHaveLength(43);
    expect(grant.url).not.toContain(token);
    expect(grant.setCookie).toMatch(new RegExp(`; Max-Age=\\d+; Path=${grant.url}; HttpOnly; SameSite=Lax$`));
    expect(shop.logLines.join('\n')).not.toContain(token);
    const { rows } = await sql<{ row: string }>`SELECT download_grants::text AS row FROM download_grants`.execute(
      shop.deps.db,
    );
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(token);
  });
});

describe('the download link', () => {
  beforeAll(buyAndAsk);

  it('opens nothing without the cookie, with another cookie, or for another buyer', async () => {
    const other = await buyFile(shop, sold.product);
    const theirs = await askForDownload(other.buyer, other);
    for (const cookie of ['', theirs.cookie, `download=${'x'.repeat(43)}`, 'download=1']) {
      expect(await readDownload(shop.url, { url: grant.url, cookie })).toMatchObject({ status: 404 });
    }
    expect((await askForDownload(other.buyer, bought)).status).toBe(404);
    expect((await askForDownload(other.buyer, { ...other, itemId: bought.itemId })).status).toBe(404);
    expect((await read()).status).toBe(200);
  });

  it.each(['not-an-id', '01900000-0000-7000-8000-000000000000'])(
    'with an unknown id gets 404: /downloads/%s',
    async (id) => {
      expect(await readDownload(shop.url, { url: `/downloads/${id}`, cookie: grant.cookie })).toMatchObject({
        status: 404,
      });
    },
  );
});

describe('a download grant', () => {
  const refund = async (orderId: string) =>
    (await openAdminOrders(shop)).act(orderId, 'refund', { reason: 'Asked for' });

  it('ends with a refund', async () => {
    await buyAndAsk();
    await refund(bought.orderId);
    expect((await read()).status).toBe(404);
    expect((await askForDownload(bought.buyer, bought)).status).toBe(404);
  });

  it('ends with a refund during a download, which is aborted', async () => {
    // More than both ends of a connection buffer for a slow reader.
    const { product } = await makeFileProduct(shop, { bytes: 24 * 1024 * 1024 });
    const purchase = await buyFile(shop, product);
    const { url, cookie } = await askForDownload(purchase.buyer, purchase);
    const response = await fetch(`${shop.url}${url}`, { headers: { cookie } });
    await refund(purchase.orderId);
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('asked for again, e.g. in a second tab, does not end a running download', async () => {
    const { product, content } = await makeFileProduct(shop, { bytes: 24 * 1024 * 1024 });
    const purchase = await buyFile(shop, product);
    const { url, cookie } = await askForDownload(purchase.buyer, purchase);
    const response = await fetch(`${shop.url}${url}`, { headers: { cookie } });
    expect((await askForDownload(purchase.buyer, purchase)).url).toBe(url);
    expect(content.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });

  it('ends with the session', async () => {
    await buyAndAsk();
    await bought.buyer.post('/api/auth/logout');
    expect((await read()).status).toBe(404);
  });

  it('ends after 24 hours, even if the session continues', async () => {
    await buyAndAsk();
    const { db } = shop.deps;
    const expires_at = new Date(shop.deps.clock.now().getTime() + 48 * HOUR_MS);
    await db.updateTable('sessions').set({ expires_at }).execute();
    shop.pass(24 * HOUR_MS - 60_000);
    expect((await read()).status).toBe(200);
    shop.pass(60_000);
    expect((await read()).status).toBe(404);
    const later = await signedIn(shop);
    expect((await askForDownload(later, bought)).status).toBe(404);
  });
});

describe('the download limits of a product', () => {
  const limited = async (overrides: { download_limit?: number; download_days?: number }) => {
    const made = await makeFileProduct(shop, { bytes: 10, ...overrides });
    const purchase = await buyFile(shop, made.product, 2);
    return { ...made, ...purchase };
  };

  /** Another session of the same buyer. */
  async function nextSession(buyer: Shopper, orderId: string, rememberMe = false): Promise<Shopper> {
    const { user_id: userId } = await shop.deps.db
      .selectFrom('orders')
      .select('user_id')
      .where('id', '=', orderId)
      .executeTakeFirstOrThrow();
    const { email } = await shop.deps.db
      .selectFrom('users')
      .select('email')
      .where('id', '=', userId ?? '')
      .executeTakeFirstOrThrow();
    await buyer.signIn(email, 'correct horse battery', rememberMe);
    return buyer;
  }

  it('count each grant, separately for each item and each new version', async () => {
    const { buyer, orderId, itemId, items, admin, product } = await limited({ download_limit: 2 });
    const ask = () => askForDownload(buyer, { orderId, itemId });
    const left = async () => (await ask()).body.data?.['downloadsLeft'];
    expect(await left()).toBe(1);
    expect(await left()).toBe(1);
    await nextSession(buyer, orderId);
    expect(await left()).toBe(0);
    await nextSession(buyer, orderId);
    expect(await ask()).toMatchObject({
      status: 409,
      body: { code: 'ITEM_NOT_AVAILABLE', message: 'All downloads of this file are used. Please contact support.' },
    });
    expect((await askForDownload(buyer, { orderId, itemId: items[1] ?? '' })).body.data?.['downloadsLeft']).toBe(1);
    const next = await uploadProductFile(admin, product.id, { content: Buffer.from('second version') });
    await next.publish();
    const newer = await ask();
    expect(newer.body.data?.['downloadsLeft']).toBe(1);
    expect((await readDownload(shop.url, newer)).content.toString()).toBe('second version');
  });

  it('count the next grant of a session that asks again after 24 hours', async () => {
    const { buyer, orderId, itemId } = await limited({ download_limit: 2 });
    await nextSession(buyer, orderId, true);
    const first = await askForDownload(buyer, { orderId, itemId });
    shop.pass(24 * HOUR_MS);
    const next = await askForDownload(buyer, { orderId, itemId });
    expect([next.status, next.body.data?.['downloadsLeft']]).toEqual([200, 0]);
    expect(next.url).not.toBe(first.url);
    expect((await readDownload(shop.url, next)).status).toBe(200);
  });

  it('count ten concurrent requests as one', async () => {
    const { buyer, orderId, itemId } = await limited({ download_limit: 1 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => askForDownload(buyer, { orderId, itemId })));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(new Set(answers.map(({ url }) => url)).size).toBe(1);
  });

  it('end the downloads after the number of days that applied when the order was placed', async () => {
    const { buyer, orderId, itemId, product } = await limited({ download_days: 3 });
    await shop.deps.db.updateTable('products').set({ download_days: 1 }).where('id', '=', product.id).execute();
    shop.pass(72 * HOUR_MS - 60_000);
    await nextSession(buyer, orderId);
    expect((await askForDownload(buyer, { orderId, itemId })).status).toBe(200);
    shop.pass(60_000);
    const over = await askForDownload(buyer, { orderId, itemId });
    expect(over).toMatchObject({ status: 409, body: { code: 'ITEM_NOT_AVAILABLE' } });
    expect(over.body.message).toMatch(/^This file could be downloaded until \d+ \w+/);
  });
});

describe('a chunk of a file', () => {
  const damage = (fileId: string, number: number, change: ReturnType<typeof sql>) =>
    sql`UPDATE file_chunks SET ${change} WHERE file_id = ${fileId} AND number = ${number}`.execute(shop.deps.db);
  const flipped = sql`ciphertext = set_byte(ciphertext, 7, get_byte(ciphertext, 7) # 1)`;

  async function soldAndAsked() {
    const made = await makeFileProduct(shop);
    const purchase = await buyFile(shop, made.product);
    return { ...made, grant: await askForDownload(purchase.buyer, purchase) };
  }

  it.each([
    ['altered', flipped],
    ['moved to another place', sql`number = 99`],
    [
      'put in the place of another',
      sql`(nonce, ciphertext) = (SELECT nonce, ciphertext FROM file_chunks AS other
      WHERE other.file_id = file_chunks.file_id AND other.number = 1)`,
    ],
  ])('that was %s: no byte of the file is sent, and the owner gets an alert', async (_, change) => {
    const { fileId, grant: granted } = await soldAndAsked();
    await damage(fileId, 0, change);
    const { status, content } = await readDownload(shop.url, granted);
    expect([status, JSON.parse(content.toString()).message]).toEqual([
      500,
      'This file cannot be read. The shop has been told.',
    ]);
    const alert = await shop.deps.db.selectFrom('alerts').select('kind').where('subject', '=', fileId).execute();
    expect(alert).toEqual([{ kind: 'unreadable-file' }]);
  });

  it('that was altered in the middle of the file aborts the download before it', async () => {
    const { fileId, grant: granted, content } = await soldAndAsked();
    await damage(fileId, CHUNKS_AT_ONCE, flipped);
    const response = await fetch(`${shop.url}${granted.url}`, { headers: { cookie: granted.cookie } });
    const got: Uint8Array[] = [];
    const reading = (async () => {
      for await (const part of response.body ?? []) got.push(part);
    })();
    await expect(reading).rejects.toThrow();
    const arrived = Buffer.concat(got);
    expect(arrived.length).toBeLessThanOrEqual(CHUNKS_AT_ONCE * CHUNK_BYTES);
    expect(arrived.equals(content.subarray(0, arrived.length))).toBe(true);
  });

  it('of a truncated file is not sent', async () => {
    const { fileId, grant: granted } = await soldAndAsked();
    await shop.deps.db.updateTable('product_files').set({ bytes: CHUNK_BYTES }).where('id', '=', fileId).execute();
    expect((await readDownload(shop.url, granted)).status).toBe(500);
  });

  it('is still readable after a key rotation', async () => {
    const { grant: granted, content } = await soldAndAsked();
    const { masterKeys } = shop.deps.config;
    await shop.deps.db.transaction().execute((trx) => rotateDataKeys(trx, masterKeys));
    expect((await readDownload(shop.url, granted)).content.equals(content)).toBe(true);
  });
});

it('chunks are not read far ahead for clients that stop reading', async () => {
  const bytes = 16 * 1024 * 1024;
  const { product, content } = await makeFileProduct(shop, { bytes });
  const { buyer, ...order } = await buyFile(shop, product);
  const granted = await askForDownload(buyer, order);
  const opened = vi.spyOn(shop.deps.cipher, 'decryptChunk');
  const stalled = await Promise.all(
    Array.from({ length: 4 }, async (_, first) => {
      const headers = { cookie: granted.cookie, range: `bytes=${first}-` };
      const [response] = await once(get(`${shop.url}${granted.url}`, { headers }), 'response');
      return response as IncomingMessage;
    }),
  );
  // Its chunks are read in turn with those of the stalled downloads, which would otherwise be read to their ends
  // meanwhile.
  expect((await readDownload(shop.url, granted)).content.equals(content)).toBe(true);
  const readForStalled = opened.mock.calls.length * CHUNK_BYTES - bytes;
  opened.mockRestore();
  for (const response of stalled) response.destroy();
  expect(readForStalled).toBeLessThan((stalled.length * bytes) / 2);
});

it('many downloads from one address are read in turn with those from other addresses', async () => {
  const proxied = await startTestShop({ settings: { TRUST_PROXY: '1' } });
  const bytes = 2 * 1024 * 1024;
  const { product, content } = await makeFileProduct(proxied, { bytes });
  const { buyer, ...order } = await buyFile(proxied, product);
  const granted = await askForDownload(buyer, order);
  const greedy = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const headers = { cookie: granted.cookie, 'x-forwarded-for': '203.0.113.1' };
      const [response] = await once(get(`${proxied.url}${granted.url}`, { headers, agent: false }), 'response');
      return response as IncomingMessage;
    }),
  );
  const opened = vi.spyOn(proxied.deps.cipher, 'decryptChunk');
  for (const response of greedy) response.on('error', () => undefined).resume();
  const other = await readDownload(proxied.url, granted, { 'x-forwarded-for': '203.0.113.2' });
  const readForGreedy = opened.mock.calls.length * CHUNK_BYTES - bytes;
  opened.mockRestore();
  for (const response of greedy) response.destroy();
  expect(other.content.equals(content)).toBe(true);
  // Without turns, each of them is read as far as the other.
  expect(readForGreedy).toBeLessThan((greedy.length * bytes) / 4);
  await proxied.stop();
});

it('download requests are limited to 300 a minute', async () => {
  const strict = await startTestShop({ settings: { RATE_LIMITS: 'on' } });
  const ask = () => readDownload(strict.url, { url: `/downloads/${randomBytes(4).toString('hex')}`, cookie: '' });
  const answers = await Promise.all(Array.from({ length: 301 }, ask));
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(300);
  await strict.stop();
});
