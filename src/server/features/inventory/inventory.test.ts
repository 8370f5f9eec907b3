import { randomUUID } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type MadeProduct, makeProduct } from '../../../../test/factories.ts';
import { readAuditOf } from '../../../../test/order-checks.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { type Inventory, type InventoryReport, uploadedItem } from '../../../shared/inventory.ts';
import { maskContent } from '../../../shared/item-text.ts';
import { addInventory } from './add-inventory.ts';
import { countedItems } from './stock.queries.ts';

const shop = await openTestShop();
const admin = await signedIn(shop, { role: 'admin' });

const pathOf = ({ id }: { id: string }) => `/api/digital-products/${id}/inventory`;
const newKeys = (count: number) => Array.from({ length: count }, () => `CANARY-${randomUUID()}`);

async function upload(product: { id: string }, items: unknown[], more: object = {}) {
  const { status, body } = await admin.post(pathOf(product), { items, ...more });
  const data = body.data as unknown as { report: InventoryReport; stats: Inventory['stats'] } | undefined;
  return { status, body, report: data?.report, stats: data?.stats };
}

async function listed(product: { id: string }, query = ''): Promise<Inventory & { nextCursor: string | null }> {
  const { body } = await admin.get(`${pathOf(product)}${query}`);
  return { ...(body.data as unknown as Inventory), nextCursor: body['nextCursor'] as string | null };
}

const countItems = async () =>
  Number(
    (
      await shop.deps.db
        .selectFrom('items')
        .select(({ fn }) => fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  );
const auditOf = (subjectId: string) => readAuditOf(shop.deps.db, subjectId);

describe('an inventory upload', () => {
  test('counts items as new, doubled, empty or known in any product and state, and adds the new ones', async () => {
    const other = await makeProduct(shop.deps, { items: 2 });
    await shop.deps.db.updateTable('items').set({ state: 'burnt' }).where('product_id', '=', other.id).execute();
    const product = await makeProduct(shop.deps, { items: 1 });
    const [one = '', two = ''] = newKeys(2);
    const items = [one, '', `  ${one}\t`, two, ' \u00a0 ', ...other.keys, ` ${product.keys[0]}`, two];
    const expected = { new: 2, doubled: 2, known: 3, withdrawn: 0, empty: 2 };

    const before = await countItems();
    const tried = await upload(product, items, { dryRun: true });
    expect([tried.report, tried.stats]).toEqual([expected, { total: 1, available: 1, sold: 0 }]);
    expect([await countItems(), await auditOf(product.id)]).toEqual([before, []]);

    const added = await upload(product, items);
    expect([added.status, added.report]).toEqual([200, expected]);
    expect(added.stats).toEqual({ total: 3, available: 3, sold: 0 });
    expect(await auditOf(product.id)).toMatchObject([
      {
        action: 'inventory.added',
        summary: `Added 2 to the stock of "${product.name}"; left out: 2 doubled, 3 known, 2 empty`,
      },
    ]);
    expect((await upload(product, items)).report).toEqual({ new: 0, doubled: 2, known: 5, withdrawn: 0, empty: 2 });
    expect(await auditOf(product.id)).toHaveLength(1);
  });

  test('takes a turn of the event loop for at most 250 items, so that other requests need not wait', async () => {
    const { id: productId } = await makeProduct(shop.deps, { items: 0 });
    let [inTurn, most] = [0, 0];
    const counted =
      <In, Out>(call: (input: In) => Out) =>
      (input: In) => {
        // Runs before the next event. An immediate would run only after a fast answer of the database.
        if (inTurn === 0) {
          process.nextTick(() => {
            inTurn = 0;
          });
        }
        inTurn += 1;
        most = Math.max(most, inTurn);
        return call(input);
      };
    const { fingerprint, encrypt } = shop.deps.cipher;
    const cipher = { ...shop.deps.cipher, fingerprint: counted(fingerprint), encrypt: counted(encrypt) };
    const actor = { userId: null, name: 'The Admin', ip: '' };
    const items = newKeys(1_000);
    expect(await addInventory({ ...shop.deps, cipher }, { productId, items, actor })).toMatchObject({ new: 1_000 });
    expect(most).toBeLessThanOrEqual(250);
  });

  test('recognizes a known item of several lines whatever its line endings', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const [user] = newKeys(1);
    const [unix, windows] = ['\n', '\r\n'].map((end) => `User: ${user}${end}Password: secret`);
    expect((await upload(product, [windows, unix])).report).toMatchObject({ new: 1, doubled: 1 });
    expect((await upload(product, [unix])).report).toMatchObject({ new: 0, known: 1 });
    const found = await admin.post('/api/admin/inventory/search', { content: windows });
    expect(found.body.data).toMatchObject({ item: { product: { _id: product.id } } });
  });

  test('strips invisible characters around a key, and counts a key of only such characters as empty', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const [key = ''] = newKeys(1);
    const marked = [`\ufeff${key}`, `\u202a${key}\u202c`, `${key}\u200e`, `\u2068${key}\u2069`, `${key}\u200d\u00ad`];
    const items = [`\u200b${key}\u200b \u2060`, ...marked, '\u200b', '\u2060 \ufe0f'];
    expect((await upload(product, items)).report).toMatchObject({ new: 1, doubled: 5, empty: 2 });
    expect(await buy(product, 1)).toEqual([key]);
  });

  test('is checked in a time that grows no faster than its blanks, so that it does not hold up the shop', () => {
    const refused = () => uploadedItem.safeParse(`KEY${' '.repeat(4_000_000)}1`).success;
    // Takes less than a second, or hours.
    expect(runInNewContext('refused()', { refused }, { timeout: 60_000 })).toBe(false);
  });

  test('binds items to the product even if the URL has its id in upper case, so they stay readable', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const [key = ''] = newKeys(1);
    expect((await upload({ id: product.id.toUpperCase() }, [key])).report).toMatchObject({ new: 1 });
    expect(await listed(product)).toMatchObject({ items: [{ masked: maskContent(key) }] });
  });

  test('keeps its items exactly as typed, and they are sold in upload order', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const secrets = ['user:pa ss|w,ö"rd😀', 'مفتاح-1234567', 'b', 'a'];
    expect((await upload(product, [`  ${secrets[0]} `, ...secrets.slice(1)])).report?.new).toBe(4);
    expect(await buy(product, 4)).toEqual(secrets);
    expect((await listed(product)).stats).toEqual({ total: 4, available: 0, sold: 4 });
  });

  test('adds each item once when two overlapping uploads run concurrently in opposite orders', async () => {
    const [one, two] = [await makeProduct(shop.deps, { items: 0 }), await makeProduct(shop.deps, { items: 0 })];
    const keys = newKeys(6_000);
    const [first, second] = await Promise.all([
      upload(one, keys.slice(0, 5_000)),
      upload(two, keys.slice(1_000).toReversed()),
    ]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((first.report?.new ?? 0) + (second.report?.new ?? 0)).toBe(6_000);
    expect((first.report?.known ?? 0) + (second.report?.known ?? 0)).toBe(4_000);
    expect([first.stats?.total, second.stats?.total]).toEqual([first.report?.new, second.report?.new]);
  });

  test('rejects a lone surrogate or NUL, names the item, and adds nothing', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const broken = `{"items":["${newKeys(1)[0]}","ABCD-\\ud800-1234"]}`;
    const answers = [await admin.post(pathOf(product), broken), (await upload(product, ['ok', 'a\u0000b'])).body];
    expect(answers).toMatchObject([
      { status: 400, body: { code: 'VALIDATION_FAILED', field: 'items.1' } },
      { code: 'VALIDATION_FAILED', field: 'items.1' },
    ]);
    expect((await listed(product)).stats.total).toBe(0);
  });

  test('rejects text in an encoding other than UTF-8, because the secrets would be altered', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const latin = Buffer.from(JSON.stringify({ items: [newKeys(1)[0], 'user:caf\u00e9-\u00fcber'] }), 'latin1');
    const { status, body } = await admin.post(pathOf(product), new Uint8Array(latin));
    expect([status, body.field, body.message]).toEqual([400, 'items.1', expect.stringContaining('UTF-8')]);
    expect((await listed(product)).stats.total).toBe(0);
  });

  test('rejects too many, too long or no items, and anything but a list of strings', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const refused = [[], ['', ' '], Array(100_001).fill('a'), ['x'.repeat(4_001)], [1], [null], [['a']]];
    for (const items of refused) {
      const { status, body } = await upload(product, items);
      expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    }
    expect((await upload(product, [])).body.message).toBe('Please add at least one inventory item');
    const huge = await admin.post(pathOf(product), { items: ['x'.repeat(11 * 1024 * 1024)] });
    expect(huge.status).toBe(413);
    expect((await listed(product)).stats.total).toBe(0);
  });

  test('gets 404 for a missing product, and adds nothing', async () => {
    const missing = { id: randomUUID() };
    const before = await countItems();
    const answers = [await upload(missing, newKeys(1)), await upload(missing, newKeys(1), { dryRun: true })];
    expect(answers).toMatchObject(Array(2).fill({ status: 404, body: { message: 'Product not found' } }));
    expect((await admin.get(pathOf(missing))).status).toBe(404);
    expect(await countItems()).toBe(before);
  });
});

describe('the inventory list', () => {
  test('shows items newest first, page by page, of one state or all, with their secrets masked', async () => {
    const product = await makeProduct(shop.deps, { items: 0 });
    const keys = [...newKeys(4), 'mina.otter:hunter-2-is-my-password', 'short'];
    await upload(product, keys);
    const [bought = ''] = await buy(product, 1);

    const all = await listed(product);
    expect(all).toMatchObject({ stats: { total: 6, available: 5, sold: 1 }, nextCursor: null });
    expect(all.items.map(({ masked }) => masked).slice(0, 2)).toEqual(['••••••••', 'mina.otter:••••••••']);
    expect(all.items.at(-1)).toMatchObject({ state: 'sold', viewed: true, order: expect.any(String) });
    expect(all.items[0]).toMatchObject({ state: 'available', viewed: false, order: null, deliveredAt: null });
    const text = JSON.stringify(all);
    for (const key of keys) expect(text).not.toContain(key);
    expect(text).not.toContain(bought.slice(5, -5));

    const pages = [await listed(product, '?limit=4')];
    pages.push(await listed(product, `?limit=4&cursor=${pages[0]?.nextCursor}`));
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items);
    expect(pages[1]?.nextCursor).toBeNull();
    const available = await listed(product, '?state=available&limit=5');
    expect([available.items, available.nextCursor]).toEqual([all.items.slice(0, 5), null]);
    const bad = ['?state=stolen', '?cursor=1', '?limit=0', '?limit=201'];
    for (const query of bad) expect((await admin.get(`${pathOf(product)}${query}`)).status).toBe(400);
  });
});

/** What a new customer paid for and sees, in its order. */
async function buy(product: MadeProduct, quantity: number): Promise<string[]> {
  const buyer = await signedIn(shop);
  const { orderId } = await buyer.buy([{ product, quantity }]);
  return buyer.readKeys(orderId);
}

test('the items of a product are counted from an index, without reading their contents', async () => {
  const plan = await shop.deps.db.transaction().execute(async (trx) => {
    // The few rows of a test would be read at once.
    await sql`SET LOCAL enable_seqscan = off`.execute(trx);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT counted.* FROM products, LATERAL (${countedItems}) AS counted`.execute(trx);
    return rows.map((row) => row['QUERY PLAN']);
  });
  expect(plan.filter((step) => step.includes(' on items'))).toEqual([
    expect.stringContaining('Index Only Scan using items_by_state'),
  ]);
});
