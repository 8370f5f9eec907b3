import { createHash } from 'node:crypto';
import { hashSync } from '@node-rs/argon2';
import type { Insertable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../src/server/deps.ts';
import { recordCounts } from '../src/server/features/catalog/counted-stock.queries.ts';
import { lockUpload, publishVersion } from '../src/server/features/files/files.queries.ts';
import { savePiece, startUpload } from '../src/server/features/files/upload-file.ts';
import { insertItems } from '../src/server/features/inventory/inventory.queries.ts';
import type { Database } from '../src/server/platform/database/database.ts';
import type { NewProduct, Tables, UserRow } from '../src/server/platform/database/tables.ts';

type Shop = Pick<Deps, 'db' | 'cipher' | 'clock'>;

export interface MadeProduct {
  id: string;
  name: string;
  /** In dollars. */
  price: number;
  /** The secrets in stock. */
  keys: string[];
  /** Undefined for digital. */
  kind?: 'digital' | 'physical';
}

let made = 0;

/** Creates a product with `items` keys in stock; $10.00 unless overridden. */
export async function makeProduct(
  { db, cipher, clock }: Shop,
  { items = 1, ...overrides }: Partial<NewProduct> & { items?: number } = {},
): Promise<MadeProduct> {
  made += 1;
  const product = {
    id: uuidv7(),
    kind: 'digital',
    name: `Test Game ${made}`,
    description: 'A game for tests',
    category: 'Game Keys',
    image: '/covers/test.svg',
    price_cents: 1000,
    delivery: 'unique',
    created_at: clock.now(),
    ...overrides,
  } as NewProduct;
  const keys = Array.from({ length: items }, (_, index) => `KEY-${product.id}-${index + 1}`);
  await db.insertInto('products').values(product).execute();
  const rows = keys.map((content) => {
    const itemId = uuidv7();
    return {
      id: itemId,
      product_id: product.id,
      state: 'available' as const,
      content_hmac: cipher.fingerprint(content),
      added_at: clock.now(),
      ...storedContent(cipher.encrypt({ itemId, productId: product.id, content })),
    };
  });
  if (rows.length > 0) await db.transaction().execute((trx) => insertItems(trx, rows));
  if (overrides.stock) await db.transaction().execute((trx) => recordCounts(trx, [product.id], clock.now()));
  return { id: product.id, name: product.name, price: product.price_cents / 100, keys };
}

const storedContent = ({ keyId, nonce, ciphertext }: ReturnType<Deps['cipher']['encrypt']>) => ({
  key_id: keyId,
  nonce,
  ciphertext,
});

export const TEST_PASSWORD = 'correct horse battery';
/** The cheapest parameters of argon2: most tests sign in, and the hash decides the cost of its verification. */
export const LEAST_HASH_COST = { memoryCost: 8, timeCost: 1, parallelism: 1 };
const testPasswordHash = hashSync(TEST_PASSWORD, LEAST_HASH_COST);

/** Creates a customer with a verified e-mail and TEST_PASSWORD, unless overridden. */
export async function makeUser(
  { db, clock }: Shop,
  overrides: Partial<Pick<UserRow, 'email' | 'role' | 'name' | 'email_verified_at' | 'password_hash'>> = {},
): Promise<UserRow> {
  made += 1;
  return db
    .insertInto('users')
    .values({
      id: uuidv7(),
      email: `user-${made}@example.com`,
      name: `User ${made}`,
      email_verified_at: clock.now(),
      password_hash: testPasswordHash,
      created_at: clock.now(),
      ...overrides,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Creates a wooden mouse for $20.00 with a stock of three, unless overridden; returns its id. */
export async function makePhysicalProduct({ db, clock }: Shop, overrides: Partial<NewProduct> = {}): Promise<string> {
  const id = uuidv7();
  const product = {
    ...{ name: 'Wooden Mouse', description: '', brand: 'Kayu', category: 'Mice', image: '/favicon.svg' },
    ...{ id, kind: 'physical' as const, price_cents: 2000, stock: 3, created_at: clock.now() },
  };
  await db
    .insertInto('products')
    .values({ ...product, ...overrides })
    .execute();
  await db.transaction().execute((trx) => recordCounts(trx, [id], clock.now()));
  return id;
}

/** What every buyer of a shared product or of a small file gets. */
export const SHARED_CONTENT = 'https://example.com/course';
export const SMALL_FILE = 'A file of one chunk';

/** Creates a $10.00 product with one content for all buyers and `stock` units to sell; null means no limit. */
export async function makeSharedProduct(
  shop: Shop,
  { stock, content = SHARED_CONTENT, ...overrides }: Partial<NewProduct> & { stock: number | null; content?: string },
): Promise<MadeProduct> {
  const { db, cipher, clock } = shop;
  const product = await makeProduct(shop, { items: 0, delivery: 'shared', stock, ...overrides });
  const { id } = product;
  const { keyId: key_id, ...sealed } = cipher.encrypt({ itemId: id, productId: id, content });
  await db
    .insertInto('shared_contents')
    .values({ product_id: id, key_id, ...sealed, updated_at: clock.now() })
    .execute();
  return { ...product, keys: [content] };
}

/** Creates a product with a small file and `stock` units to sell. */
async function makeSmallFileProduct(shop: Shop, stock: number): Promise<MadeProduct> {
  const product = await makeProduct(shop, { items: 0, delivery: 'file', stock });
  const content = Buffer.from(SMALL_FILE);
  const sha256 = createHash('sha256').update(content).digest();
  const { id } = product;
  const file = { id, name: 'Guide.pdf', mediaType: 'application/pdf', bytes: content.length };
  const upload = { id, fileId: (await startUpload(shop, file))._id };
  await savePiece(shop, { ...upload, piece: 0, sha256: sha256.toString('hex'), content });
  await shop.db.transaction().execute(async (trx) => {
    const uploaded = await lockUpload(trx, upload);
    if (uploaded) await publishVersion(trx, { file: uploaded, sha256, tellsBuyers: false, now: shop.clock.now() });
  });
  return product;
}

export const kindsOfGoods = ['digital', 'physical'] as const;
/** Also the deliveries whose items are made on delivery. With a limited stock, they are counted like physical goods. */
export const allGoods = [...kindsOfGoods, 'shared', 'file', 'manual'] as const;
export type KindOfGoods = (typeof allGoods)[number];

/** Creates a product of the kind for $10.00 with `units` units to sell. */
export async function makeGoods(shop: Shop, kind: KindOfGoods, units: number): Promise<MadeProduct> {
  if (kind === 'digital') return makeProduct(shop, { items: units });
  if (kind === 'shared') return { ...(await makeSharedProduct(shop, { stock: units })), keys: [] };
  if (kind === 'file') return makeSmallFileProduct(shop, units);
  if (kind === 'manual') return makeProduct(shop, { items: 0, delivery: 'manual', stock: units });
  made += 1;
  const name = `Wooden Mouse ${made}`;
  const id = await makePhysicalProduct(shop, { name, stock: units, price_cents: 1000, weight_grams: 100 });
  return { id, name, price: 10, keys: [], kind };
}

const POSTED = { street: '1 Jalan', city: 'Ipoh', state: 'Perak', zip_code: '30000', country: 'Malaysia' };

/**
 * Inserts a fulfilled order of a guest, of $10.00 and 60 cents of tax, paid `at`; returns its id. The order has no lines,
 * and the provider does not know its payment.
 */
export async function insertOrder(
  db: Database,
  at: Date,
  overrides: Partial<Insertable<Tables['orders']>> = {},
): Promise<string> {
  const { id = uuidv7(), type = 'digital' } = overrides;
  const shipping = Object.fromEntries(Object.entries(POSTED).map(([part, value]) => [`shipping_${part}`, value]));
  const order = {
    ...{ id, type, state: 'fulfilled' as const, guest: true, contact_email: 'buyer@example.com' },
    ...{ items_cents: 1000, tax_cents: 60, total_cents: 1060, payment_intent_id: `pi_${id}` },
    ...{ created_at: at, hold_expires_at: at, paid_at: at, fulfilled_at: at },
    ...(type === 'physical' && shipping),
  };
  await db
    .insertInto('orders')
    .values({ ...order, ...overrides })
    .execute();
  return id;
}

/** Inserts a line of an order; returns its id. Name, price and the other columns have defaults. */
export async function insertLine(
  db: Database,
  line: Pick<Insertable<Tables['order_lines']>, 'order_id' | 'product_id' | 'quantity'> &
    Partial<Insertable<Tables['order_lines']>>,
): Promise<string> {
  const row = {
    ...{ id: uuidv7(), position: 0, name: 'Wooden Mouse', image: '/favicon.svg' },
    ...{ unit_price_cents: 1000, delivery_instructions: '', warranty_days: 0 },
    ...line,
  };
  await db.insertInto('order_lines').values(row).execute();
  return row.id;
}

/**
 * Creates a paid order of one wooden mouse that waits to be sent; returns its id. The provider does not know its
 * payment.
 */
export async function makeParcel(
  shop: Shop,
  overrides: Partial<Insertable<Tables['orders']>> = {},
  name = 'Wooden Mouse',
): Promise<string> {
  const [id, at] = [uuidv7(), shop.clock.now()];
  await insertOrder(shop.db, at, {
    ...{ id, type: 'physical', guest_name: 'Aminah', contact_email: `parcel-${id}@example.com` },
    ...{ items_cents: 2000, tax_cents: 120, total_cents: 2120 },
    ...overrides,
  });
  const product_id = await makePhysicalProduct(shop, { name });
  const sold = { unit_price_cents: 2000, counted_state: 'sold', counted_units: 1 } as const;
  const order_line_id = await insertLine(shop.db, { order_id: id, product_id, quantity: 1, name, ...sold });
  await shop.db
    .insertInto('stock_changes')
    .values([
      { product_id, order_line_id: null, units: 1, reason: 'counted', at },
      { product_id, order_line_id, units: -1, reason: 'held', at },
    ])
    .execute();
  return id;
}

/** Creates the review of a product by a buyer of it: five stars, waiting to be published, unless overridden. */
export async function makeReview(
  { db, clock }: Shop,
  productId: string,
  userId: string,
  overrides: Partial<Insertable<Tables['reviews']>> = {},
): Promise<void> {
  const { id } = await db
    .selectFrom('order_lines')
    .select('id')
    .where('product_id', '=', productId)
    .executeTakeFirstOrThrow();
  const now = clock.now();
  const review = {
    ...{ id, product_id: productId, user_id: userId, order_line_id: id, stars: 5, title: '', text: 'Plays well.' },
    ...{ state: 'pending' as const, created_at: now, updated_at: now },
  };
  await db
    .insertInto('reviews')
    .values({ ...review, ...overrides })
    .execute();
}
