import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmptyShop, type EmptyShop as Shop } from '../../../test/demo-shop.ts';
import { makeProduct, makeUser } from '../../../test/factories.ts';
import { categories } from '../../shared/catalog-choices.ts';
import { effectivePrice } from '../../shared/pricing.ts';
import { priceTermsOfRow } from '../features/catalog/offers.ts';
import { hasDemoData } from './demo.queries.ts';
import { readDemoData } from './demo-data.ts';
import { demoAccounts, makeDemoData } from './make-demo-data.ts';

const { digitalProducts } = readDemoData();
const now = new Date('2026-03-09T10:30:00Z');
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

async function openShop(cipher?: Shop['cipher']): Promise<Shop> {
  const shop = await openEmptyShop(now, cipher);
  closers.push(shop.close);
  return shop;
}

/** Made once, for the tests that only read it. */
const demo = await openShop();
await makeDemoData(demo);

const productRows = ({ db }: Shop) =>
  db.selectFrom('products').selectAll().where('kind', '=', 'digital').orderBy('id').execute();
const itemRows = ({ db }: Shop) => db.selectFrom('items').selectAll().orderBy('id').execute();

async function stockBySlug({ db }: Shop) {
  const rows = await db
    .selectFrom('products')
    .leftJoin('items', (join) => join.onRef('items.product_id', '=', 'products.id').on('items.state', '=', 'available'))
    .where('kind', '=', 'digital')
    .groupBy('products.id')
    .select(({ fn }) => [
      'products.image',
      'delivery',
      'products.stock as limit',
      fn.count<string>('items.id').as('items'),
    ])
    .execute();
  return Object.fromEntries(
    rows.map(({ image, delivery, limit, items }) => [
      image.slice(13, -4),
      delivery === 'unique' ? Number(items) : limit,
    ]),
  );
}

describe('making the demo data', () => {
  it('yields the same products, items, accounts and orders in two databases', async () => {
    const second = await openShop(demo.cipher);
    await makeDemoData(second);

    expect(await productRows(second)).toEqual(await productRows(demo));
    const fingerprints = async (shop: Shop) =>
      (await itemRows(shop)).map(({ nonce, ciphertext, ...rest }) => ({ ...rest, length: ciphertext.length }));
    expect(await fingerprints(second)).toEqual(await fingerprints(demo));
    for (const table of ['products', 'users', 'orders', 'order_lines', 'test_mode_intents'] as const) {
      const rows = async (shop: Shop) =>
        (await shop.db.selectFrom(table).selectAll().orderBy('id').execute()).map((row) => ({
          ...row,
          password_hash: undefined,
          client_secret: undefined,
        }));
      expect(await rows(second)).toEqual(await rows(demo));
    }
  });

  it('does nothing the second time', async () => {
    const shop = await openShop();
    expect(await makeDemoData(shop)).toBe(true);
    const before = await itemRows(shop);
    expect(await makeDemoData(shop)).toBe(false);
    expect(await itemRows(shop)).toEqual(before);
  });

  it('happens once in two processes that start at the same time', async () => {
    const shop = await openShop();
    const made = await Promise.all([makeDemoData(shop), makeDemoData(shop)]);
    expect(made.sort()).toEqual([false, true]);
    expect(await productRows(shop)).toHaveLength(digitalProducts.length);
  });

  it('does nothing in a shop that has a product', async () => {
    const shop = await openShop();
    await makeProduct(shop);
    expect(await makeDemoData(shop)).toBe(false);
    expect(await productRows(shop)).toHaveLength(1);
    expect(await hasDemoData(shop.db)).toBe(false);
  });

  it('does nothing in a shop that has an account, as after admin:create', async () => {
    const shop = await openShop();
    await makeUser(shop, { role: 'admin' });
    expect(await makeDemoData(shop)).toBe(false);
    expect(await shop.db.selectFrom('users').select('email').execute()).toHaveLength(1);
  });

  it('leaves nothing in the database when it fails', async () => {
    const shop = await openShop();
    const failing = {
      ...shop.cipher,
      encrypt: () => {
        throw new Error('no key');
      },
    };
    await expect(makeDemoData({ ...shop, cipher: failing })).rejects.toThrow('no key');
    expect(await productRows(shop)).toEqual([]);
    expect(await hasDemoData(shop.db)).toBe(false);
  });
});

describe('products', () => {
  it('cover every category and no other', async () => {
    const rows = await productRows(demo);
    expect(new Set(rows.map((row) => row.category))).toEqual(new Set(categories));
  });

  it('have the stock of their data: two are sold out, and one has no limit', async () => {
    const stock = await stockBySlug(demo);
    expect(stock).toEqual(Object.fromEntries(digitalProducts.map(({ slug, stock: said }) => [slug, said])));
    const counts = Object.values(stock).filter((count) => count !== null);
    expect(counts).toHaveLength(digitalProducts.length - 1);
    expect(counts.filter((count) => count === 0)).toHaveLength(2);
    expect(counts.filter((count) => count >= 1 && count <= 3).length).toBeGreaterThanOrEqual(3);
  });

  it('have every kind of price: regular, percentage, fixed, flash sale, future sale', async () => {
    const rows = await productRows(demo);
    const sources = rows.map((row) => effectivePrice(priceTermsOfRow(row), 1, now).source);
    const types = rows.flatMap((row, index) => (sources[index] === 'discount' ? [row.discount_type] : []));
    expect(new Set(types)).toEqual(new Set(['percentage', 'fixed']));
    expect(sources.filter((source) => source === 'flash-sale').length).toBeGreaterThanOrEqual(2);
    expect(sources).toContain('regular');
    expect(rows.filter((row) => row.flash_starts_at && row.flash_starts_at > now)).toHaveLength(1);
    expect(rows.some((row) => row.flash_units_limit !== null)).toBe(true);
  });

  it('have sale prices below the regular price, and no more flash units than stock', () => {
    for (const { slug, priceCents, flashSale, discount, stock } of digitalProducts) {
      expect([slug, (flashSale?.priceCents ?? 0) < priceCents]).toEqual([slug, true]);
      expect([slug, (flashSale?.units ?? 0) <= (stock ?? Infinity)]).toEqual([slug, true]);
      if (discount && 'offCents' in discount) expect(discount.offCents).toBeLessThan(priceCents);
    }
  });

  it('were created over several months, and have descriptions of two to four sentences', async () => {
    const rows = await productRows(demo);
    const created = rows.map((row) => row.created_at.getTime());
    expect(Math.max(...created)).toBeLessThan(now.getTime());
    expect(Math.max(...created) - Math.min(...created)).toBeGreaterThan(90 * 86_400_000);
    expect(new Set(created).size).toBe(rows.length);
    for (const { name, description } of rows) {
      const sentences = description.split(/[.!?](?:\s|$)/).filter(Boolean).length;
      expect([name, sentences >= 2 && sentences <= 4]).toEqual([name, true]);
    }
  });
});

describe('items', () => {
  it('from stock decrypt to distinct secrets in the format of their product', async () => {
    const delivered = await productRows(demo);
    const isUnique = (id: string) => delivered.some((product) => product.id === id && product.delivery === 'unique');
    const rows = (await itemRows(demo)).filter((row) => isUnique(row.product_id));
    const contents = await Promise.all(
      rows.map((row) => demo.cipher.decrypt({ itemId: row.id, productId: row.product_id, keyId: row.key_id, ...row })),
    );
    expect(new Set(contents).size).toBe(rows.length);
    const forms = [
      /^([A-HJ-NP-Z2-9]{5}-){2,4}[A-HJ-NP-Z2-9]{5}$/,
      /^([A-HJ-NP-Z2-9]{4}-){2,3}[A-HJ-NP-Z2-9]{4}$/,
      /^[a-z]+\.[a-z]+\d+:[A-Za-z0-9]{14}$/,
      /^User: [a-z]+\.[a-z]+\d+\nPassword: [A-Za-z0-9]{14}\nNote: .+$/,
      /^https:\/\/downloads\.kedai\.test\/[A-Za-z0-9]{28}$/,
      /^LPA:1\$esim\.kedai\.test\$[A-Z2-9-]{23}$/,
    ];
    expect(contents.filter((content) => !forms.some((form) => form.test(content)))).toEqual([]);
    for (const form of forms) expect(contents.some((content) => form.test(content))).toBe(true);
  });
});

describe('digital products', () => {
  it('include every way of delivery, each with what it needs', async () => {
    const rows = await productRows(demo);
    expect(new Set(rows.map(({ delivery }) => delivery))).toEqual(new Set(['unique', 'shared', 'file', 'manual']));
    const { rows: lacking } = await sql`
      SELECT name FROM products WHERE (delivery = 'shared' AND NOT EXISTS (SELECT FROM shared_contents WHERE product_id = products.id))
        OR (delivery = 'file' AND NOT EXISTS (SELECT FROM product_files WHERE product_id = products.id AND published_at IS NOT NULL))
        OR (delivery = 'manual') <> (buyer_fields <> '[]')`.execute(demo.db);
    expect(lacking).toEqual([]);
  });
});

describe('physical products', () => {
  const rows = () => demo.db.selectFrom('products').selectAll().where('kind', '=', 'physical').execute();

  it('include twelve of several brands and categories, each with its own picture', async () => {
    const products = await rows();
    expect(products).toHaveLength(12);
    expect(new Set(products.map(({ image }) => image)).size).toBe(12);
    for (const field of ['brand', 'category'] as const)
      expect(new Set(products.map((product) => product[field])).size).toBeGreaterThan(4);
  });

  it('cover every state of the administrator’s table: sold out, few, many, inactive, not yet rated', async () => {
    const products = await rows();
    const stocks = products.map(({ stock }) => Number(stock));
    expect(stocks.filter((stock) => stock === 0)).toHaveLength(1);
    expect(stocks.some((stock) => stock > 0 && stock < 10)).toBe(true);
    expect(stocks.some((stock) => stock >= 10)).toBe(true);
    expect(products.filter(({ is_active }) => !is_active)).toHaveLength(1);
    for (const isRated of [true, false])
      expect(products.some(({ review_count }) => review_count > 0 === isRated)).toBe(true);
  });
});

describe('accounts', () => {
  it('allow logins only by the administrator and the customer, both with a verified email', async () => {
    const users = await demo.db
      .selectFrom('users')
      .selectAll()
      .where('password_hash', 'is not', null)
      .orderBy('email')
      .execute();
    expect(users.map(({ email, role }) => [email, role])).toEqual([
      ['admin@kedai.test', 'admin'],
      ['customer@kedai.test', 'customer'],
    ]);
    for (const user of users) {
      const account = demoAccounts.find(({ email }) => email === user.email);
      expect(await demo.passwords.verify(user.password_hash, account?.password ?? '')).toBe(true);
      expect(user.email_verified_at).not.toBeNull();
    }
  });

  it('have no orders or other customers if the payment provider is not the test mode', async () => {
    const shop = { ...(await openShop()), testMode: false };
    expect(await makeDemoData(shop)).toBe(true);
    const count = async (table: 'users' | 'orders' | 'test_mode_intents') =>
      (await shop.db.selectFrom(table).select('id').execute()).length;
    expect([await count('users'), await count('orders'), await count('test_mode_intents')]).toEqual([2, 0, 0]);
    expect(await stockBySlug(shop)).toEqual(await stockBySlug(demo));
  });
});
