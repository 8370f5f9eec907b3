import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, test } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import type { Shopper } from '../../../../test/shopper.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on' } });
const { browser: admin, user } = await signedInUser(shop, { role: 'admin' });
const adminId = user.id;

const search = (content: unknown, by = admin) => by.post('/api/admin/inventory/search', { content });
const itemIn = async (content: unknown) => (await search(content)).body.data?.['item'];
const lastEntry = () =>
  shop.deps.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();

test('finds an item by its exact key in any product and state, shows it masked, and records who searched', async () => {
  const { products, orderId } = await buyAsGuest(shop, { quantity: 1 });
  const [product] = products;
  const key = product?.keys[0] ?? '';
  expect(await itemIn(`  ${key}\n`)).toMatchObject({
    state: 'sold',
    order: orderId,
    product: { _id: product?.id, name: product?.name },
    masked: `${key.slice(0, 4)}••••••••${key.slice(-4)}`,
  });
  expect(await lastEntry()).toMatchObject({
    user_id: adminId,
    action: 'inventory.searched',
    subject_type: 'item',
    summary: `Searched the stock for a key: it is an item of "${product?.name}"`,
  });
  const other = await makeProduct(shop.deps);
  await shop.deps.db.updateTable('items').set({ state: 'voided' }).where('product_id', '=', other.id).execute();
  expect(await itemIn(other.keys[0])).toMatchObject({ state: 'voided', order: null });
});

test('finds nothing for a part of a key, another case or an unknown key, and records the search', async () => {
  const { keys } = await makeProduct(shop.deps);
  const key = keys[0] ?? '';
  for (const other of [key.slice(0, -1), key.toLowerCase(), `never-${randomUUID()}`]) {
    expect(await itemIn(other)).toBeNull();
  }
  expect(await lastEntry()).toMatchObject({
    subject_id: '',
    summary: 'Searched the stock for a key: the shop does not have it',
  });
});

test('stores and logs nothing of the key, whether or not it is found', async () => {
  const never = `CANARY-${randomUUID()}`;
  await itemIn(never);
  const fingerprint = shop.deps.cipher.fingerprint(never);
  const { rows } = await sql<{ row: string }>`
    SELECT audit_log::text AS row FROM audit_log UNION ALL SELECT rate_counts::text FROM rate_counts`.execute(
    shop.deps.db,
  );
  const written = [...shop.logLines, ...rows.map(({ row }) => row)].join('\n');
  for (const form of [never, fingerprint.toString('hex'), fingerprint.toString('base64')]) {
    expect(written).not.toContain(form);
  }
});

test('a key search is for administrators, needs a key, and is limited to 20 in 5 minutes for each', async () => {
  const { browser: customer } = await signedInUser(shop);
  expect((await search('KEY', customer)).status).toBe(403);
  const { browser: other } = await signedInUser(shop, { role: 'admin' });
  for (const wrong of ['', '  ', 1, 'x'.repeat(4_001)]) expect((await search(wrong, other)).status).toBe(400);
  const answers = await Promise.all(Array.from({ length: 21 }, () => search('KEY', other)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});

describe('an upload that adds no items', () => {
  const { limits } = shop.deps;
  const send = (by: Shopper, { id }: { id: string }, items: string[], dryRun = true) =>
    by.post(`/api/digital-products/${id}/inventory`, { items, dryRun });
  const newKeys = (count: number) => Array.from({ length: count }, () => `guess-${randomUUID()}`);

  it.each([true, false])('is recorded, and limited to half a million items a day; as a dry run: %s', async (dryRun) => {
    const { browser, user } = await signedInUser(shop, { role: 'admin' });
    const product = await makeProduct(shop.deps);
    await limits.count('checked-items', { user: user.id }, 499_999);
    expect(await send(browser, product, product.keys, dryRun)).toMatchObject({ status: 200 });
    expect(await lastEntry()).toMatchObject({
      user_id: user.id,
      action: 'inventory.searched',
      summary: `Compared 1 with the stock, to add to "${product.name}": 1 known`,
    });
    const refused = await send(browser, product, product.keys, dryRun);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(refused.body.data).toBeUndefined();
  });

  it('does not count against the limit once its items are added', async () => {
    const { browser, user } = await signedInUser(shop, { role: 'admin' });
    const product = await makeProduct(shop.deps);
    await limits.count('checked-items', { user: user.id }, 499_990);
    for (const items of [newKeys(10), newKeys(10)]) {
      expect(await send(browser, product, items)).toMatchObject({ status: 200 });
      expect(await send(browser, product, items, false)).toMatchObject({ status: 200 });
    }
    expect(await send(browser, product, newKeys(11))).toMatchObject({ status: 429 });
  });
});

test('words of an administrator that are compared with the stock to be masked are limited to 50,000 a day', async () => {
  const { browser, user } = await signedInUser(shop, { role: 'admin' });
  const [{ keys }, { orderId }] = [await makeProduct(shop.deps), await buyAsGuest(shop, { quantity: 1 })];
  const note = (text: string) => browser.post(`/api/admin/orders/${orderId}/notes`, { text, draft: randomUUID() });
  await shop.deps.limits.count('typed-words', { user: user.id }, 49_800);
  // Every six characters count as a word, because many guesses can be typed as one.
  const guesses = `${keys[0]}${'.guess'.repeat(150)}`;
  expect(await note(guesses)).toMatchObject({ status: 200 });
  expect(await note(guesses)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
});

test('guesses of manually delivered content are limited', async () => {
  const { browser, user } = await signedInUser(shop, { role: 'admin' });
  const { orderId } = await buyAsGuest(shop, { quantity: 1, items: 0, delivery: 'manual' });
  const line = await shop.deps.db.selectFrom('order_lines').select('id').where('order_id', '=', orderId).execute();
  const unit = { line: line[0]?.id, unit: 1, draft: randomUUID() };
  const deliver = (content: string) => browser.post(`/api/admin/orders/${orderId}/deliver-unit`, { ...unit, content });
  expect(await deliver('the secret')).toMatchObject({ status: 200 });
  expect(await deliver('the secret')).toMatchObject({ status: 200 });
  await shop.deps.limits.count('delivery-guess', { user: user.id }, 19);
  expect(await deliver('a guess')).toMatchObject({ status: 409 });
  expect(await deliver('the secret')).toMatchObject({ status: 429 });
});

test('guesses of the content of a shared product are limited', async () => {
  const { browser, user } = await signedInUser(shop, { role: 'admin' });
  const { id } = await makeProduct(shop.deps, { items: 0, delivery: 'shared' });
  const set = (content: string) => browser.send('PUT', `/api/digital-products/${id}/content`, { content, version: 0 });
  expect(await set('the secret')).toMatchObject({ status: 200 });
  expect(await set('the secret')).toMatchObject({ status: 200 });
  await shop.deps.limits.count('delivery-guess', { user: user.id }, 19);
  expect(await set('a guess')).toMatchObject({ status: 409 });
  expect(await set('the secret')).toMatchObject({ status: 429 });
});
