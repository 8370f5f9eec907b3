import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const shop = await openTestShop({ settings: { RATE_LIMITS: 'on' } });
const { browser: admin, user } = await signedInUser(shop, { role: 'admin' });
const adminId = user.id;

const search = (content: unknown, by = admin) => by.post('/api/admin/inventory/search', { content });
const itemIn = async (content: unknown) => (await search(content)).body.data?.['item'];
const lastEntry = () =>
  shop.deps.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();

test('finds an item by exactly its key, of any product and state, masked, and says who searched', async () => {
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

test('a part of a key, another case, and what the shop never had find nothing; that is on record, too', async () => {
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

test('nothing of the key is stored or logged, whether or not it is found', async () => {
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

test('is for administrators, needs a key, and is limited to 20 in 5 minutes for each of them', async () => {
  const { browser: customer } = await signedInUser(shop);
  expect((await search('KEY', customer)).status).toBe(403);
  const { browser: other } = await signedInUser(shop, { role: 'admin' });
  for (const wrong of ['', '  ', 1, 'x'.repeat(4_001)]) expect((await search(wrong, other)).status).toBe(400);
  const answers = await Promise.all(Array.from({ length: 21 }, () => search('KEY', other)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
});
