import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DEFAULT_COUNTRY, type Role } from '../../shared/accounts.ts';
import type { Shop } from '../../shared/content.ts';
import { daysBefore, MINUTE_MS } from '../../shared/durations.ts';
import type { Deps } from '../deps.ts';
import { refreshProductSales } from '../features/admin/stats.queries.ts';
import { refreshSoldCounts } from '../features/catalog/catalog.queries.ts';
import { recordCounts } from '../features/catalog/counted-stock.queries.ts';
import { writeAnswers } from '../features/delivery/delivery.queries.ts';
import { CHUNK_BYTES } from '../features/files/files.queries.ts';
import { recordReveals } from '../features/inventory/inventory.queries.ts';
import { toColumns } from '../platform/crypto/item-cipher.ts';
import { insertRows, type Transaction } from '../platform/database/database.ts';
import { claimDemo, insertPastPayments } from './demo.queries.ts';
import {
  type DemoCustomer,
  type DemoData,
  type DemoOrder,
  type DemoProduct,
  demoFolder,
  demoId,
  readDemoData,
} from './demo-data.ts';
import { insertReports, insertReviews } from './demo-feedback.ts';
import { lineIdOf, type OrderRows, orderRows, soldUnits } from './demo-order-rows.ts';
import { itemRows, type OrderedProduct, pastPriceOf, physicalProductRow, productRow } from './demo-product-rows.ts';

const customer = { label: 'Customer', email: 'customer@kedai.test', password: 'customer-demo-2026' };
const administrator = { label: 'Administrator', email: 'admin@kedai.test', password: 'admin-demo-2026' };

/** The passwords are public by design. The accounts exist only where the demo data does. */
export const demoAccounts: Shop['demoAccounts'] = [customer, administrator];

const ADMINISTRATOR_JOINED_DAYS_AGO = 170;
const VIEWED_AFTER_MS = 3 * MINUTE_MS;

/**
 * Fills an empty shop with the data of demo/ in one transaction; returns false when the shop is not empty. Without the
 * test-mode provider there are no orders, because no other provider would know their payments. Apart from dates, nonces
 * and salts the rows are the same on every machine.
 */
export async function makeDemoData(
  deps: Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'> & { testMode: boolean },
): Promise<boolean> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    if (!(await claimDemo(trx, now))) return false;
    const data = readDemoData();
    const { digitalProducts, physicalProducts } = data;
    const rows = deps.testMode ? tradeRows(data, now) : [];
    const sold = soldUnits(rows);
    const items = digitalProducts.flatMap((product) =>
      itemRows(deps.cipher, product, sold.get(demoId('product', product.slug)) ?? [], now),
    );

    await insertRows(trx, 'users', await accountRows(deps, data, now));
    const digitalRows = digitalProducts.map((product) => productRow(product, now));
    const physicalRows = physicalProducts.map((product) => physicalProductRow(product, now));
    await insertRows(trx, 'products', digitalRows);
    await insertRows(trx, 'products', physicalRows);
    if (rows.length > 0) await insertTrade(trx, rows);
    const productIds = [...digitalRows, ...physicalRows].map(({ id }) => id);
    await recordCounts(trx, productIds, now);
    await insertContents(deps, trx, digitalProducts, now);
    await insertRows(trx, 'items', items);
    await refreshSoldCounts(trx);
    await refreshProductSales(trx, now);
    for (const order of rows) if (order.viewed) await recordViews(trx, order, items);
    if (rows.length > 0) {
      await insertReviews(trx, data, { orders: rows, now });
      await insertGivenAnswers(deps, trx, data.orders);
      await insertReports(deps, trx, { ...data, administrator: demoId('user', administrator.email), now });
    }
    return true;
  });
}

/** Customers join with their first order; only the two demo accounts have a password. */
async function accountRows(
  { passwords, testMode }: { passwords: Deps['passwords']; testMode: boolean },
  { customers, orders }: DemoData,
  now: Date,
) {
  const joinedAt = new Map(
    orders.filter(({ guest }) => guest).map(({ buyer, daysAgo }) => [buyer, daysBefore(now, daysAgo)]),
  );
  const users = customers
    .filter(({ email }) => testMode || email === customer.email)
    .map((one) => userRow(one, joinedAt.get(one.email) ?? now));
  const owner = userRow(
    { name: 'Kedai Admin', email: administrator.email },
    daysBefore(now, ADMINISTRATOR_JOINED_DAYS_AGO),
  );
  const rows = [...users, { ...owner, role: 'admin' as const }];
  for (const { email, password } of demoAccounts) {
    const row = rows.find((one) => one.email === email);
    if (!row) throw new Error(`The demo has no customer "${email}"`);
    row.password_hash = await passwords.hash(password);
    row.email_verified_at = row.created_at;
  }
  return rows;
}

/** Returns a user without a password, who cannot sign in, as after a guest's purchase. */
const userRow = ({ name, email, phone, address }: DemoCustomer, createdAt: Date) => ({
  id: demoId('user', email),
  name,
  email,
  phone: phone ?? '',
  email_verified_at: null as Date | null,
  password_hash: null as string | null,
  role: 'customer' as Role,
  street: address?.street ?? '',
  city: address?.city ?? '',
  state: address?.state ?? '',
  zip_code: address?.zipCode ?? '',
  country: DEFAULT_COUNTRY,
  created_at: createdAt,
});

function tradeRows({ digitalProducts, physicalProducts, customers, orders }: DemoData, now: Date) {
  const products = new Map<string, OrderedProduct>([
    ...digitalProducts.map(
      (one) => [one.slug, { ...productRow(one, now), unitPriceCents: pastPriceOf(one, now) }] as const,
    ),
    ...physicalProducts.map(
      (one) => [one.slug, { ...physicalProductRow(one, now), unitPriceCents: one.priceCents }] as const,
    ),
  ]);
  const buyers = new Map(customers.map((one) => [one.email, one]));
  return orders.map((order) => ({
    viewed: order.viewed ?? false,
    ...orderRows(order, found(buyers, order.buyer), (slug) => found(products, slug), now),
  }));
}

async function insertTrade(trx: Transaction, rows: OrderRows[]): Promise<void> {
  const orders = rows.map((row) => row.order);
  const lines = rows.flatMap((row) => row.lines);
  const refunds = rows.flatMap((row) => row.refunds);
  const parcels = rows.flatMap((row) => row.parcels);
  const parcelLines = rows.flatMap((row) => row.parcelLines);
  const stockChanges = rows.flatMap((row) => row.stockChanges);
  const payments = rows.map((row) => row.payment);
  await insertRows(trx, 'orders', orders);
  await insertRows(trx, 'order_lines', lines);
  await insertRows(trx, 'refunds', refunds);
  await insertRows(trx, 'parcels', parcels);
  await insertRows(trx, 'parcel_lines', parcelLines);
  await insertRows(trx, 'stock_changes', stockChanges);
  await insertPastPayments(trx, payments);
}

function found<Value>(values: Map<string, Value>, name: string): Value {
  const value = values.get(name);
  if (value === undefined) throw new Error(`The demo's data has no "${name}"`);
  return value;
}

/** Records that the buyer opened the order's page a little after it was delivered. */
async function recordViews(
  trx: Transaction,
  { order, lines }: OrderRows,
  items: ReturnType<typeof itemRows>,
): Promise<void> {
  // A file counts as seen when it is downloaded.
  const lineIds = new Set(lines.filter(({ delivery }) => delivery !== 'file').map((line) => line.id));
  const reveals = items
    .filter((item) => lineIds.has(item.order_line_id ?? ''))
    .map((item) => ({
      item_id: item.id,
      order_id: order.id,
      user_id: demoId('user', order.contact_email),
      ip: '127.0.0.1',
      user_agent: 'Kedai demo data',
      at: new Date(order.created_at.getTime() + VIEWED_AFTER_MS),
    }));
  await recordReveals(trx, reveals);
}

/** Inserts the contents of shared products, and the files of products that are downloaded. */
async function insertContents({ cipher }: Pick<Deps, 'cipher'>, trx: Transaction, products: DemoProduct[], now: Date) {
  for (const { slug, delivery, createdDaysAgo } of products) {
    const [productId, at] = [demoId('product', slug), daysBefore(now, createdDaysAgo)];
    if (delivery?.kind === 'shared') {
      const sealed = toColumns(cipher.encrypt({ itemId: productId, productId, content: delivery.content }));
      await insertRows(trx, 'shared_contents', [{ product_id: productId, ...sealed, version: 1, updated_at: at }]);
    } else if (delivery?.kind === 'file') {
      await insertFile({ cipher }, trx, { slug, ...delivery, at });
    }
  }
}

async function insertFile(
  { cipher }: Pick<Deps, 'cipher'>,
  trx: Transaction,
  { slug, name, mediaType, at }: { slug: string; name: string; mediaType: string; at: Date },
) {
  const content = readFileSync(new URL(`files/${name}`, demoFolder));
  const [id, bytes] = [demoId('file', slug), content.length];
  const sha256 = createHash('sha256').update(content).digest();
  const times = { created_at: at, published_at: at };
  const file = { id, product_id: demoId('product', slug), version: 1, name, media_type: mediaType, bytes, sha256 };
  await insertRows(trx, 'product_files', [{ ...file, ...times }]);
  const chunks = Array.from({ length: Math.ceil(bytes / CHUNK_BYTES) }, (_, number) => {
    const clear = content.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES);
    const sealed = cipher.encryptChunk({ fileId: id, fileBytes: bytes, number, content: clear });
    return { file_id: id, number, ...toColumns(sealed) };
  });
  await insertRows(trx, 'file_chunks', chunks);
}

/** Inserts the buyers' answers to the fields of products that a person delivers. */
async function insertGivenAnswers({ cipher }: Pick<Deps, 'cipher'>, trx: Transaction, orders: DemoOrder[]) {
  const lines = orders.flatMap((order) =>
    Object.entries(order.answers ?? {}).map(([slug, answers]) => ({
      id: lineIdOf(order, slug),
      productId: demoId('product', slug),
      answers: Object.entries(answers).map(([label, value]) => ({ label, value })),
    })),
  );
  await writeAnswers({ cipher }, trx, lines);
}
