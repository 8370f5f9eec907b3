import type { Insertable } from 'kysely';
import type { Shop } from '../../shared/shop.ts';
import type { Deps } from '../deps.ts';
import { refreshSoldCounts } from '../features/catalog/catalog.queries.ts';
import { insertItems, recordReveals } from '../features/inventory/inventory.queries.ts';
import { insertOrder } from '../features/orders/orders.queries.ts';
import type { Transaction } from '../platform/database/open-database.ts';
import type { ProductRow, Tables } from '../platform/database/tables.ts';
import { claimDemo, insertProducts, insertUsers } from './demo.queries.ts';
import { demoId } from './demo-ids.ts';
import { customerOrders } from './demo-orders.ts';
import { daysBefore, itemRows, type OrderRows, orderRows, productRow, soldUnits } from './demo-rows.ts';
import { demoProducts } from './products/demo-products.ts';

const customer = { label: 'Customer', email: 'customer@kedai.test', password: 'customer-demo-2026' };
const administrator = { label: 'Administrator', email: 'admin@kedai.test', password: 'admin-demo-2026' };

/** Public by design; they exist only where the demo data does. */
export const demoAccounts: Shop['demoAccounts'] = [customer, administrator];

const buyer = { id: demoId('user', customer.email), name: 'Nadia Rahman', email: customer.email };

const OPENED_DAYS_AGO = 170;
const VIEWED_AFTER_MS = 3 * 60 * 1000;

/**
 * Fills an empty shop with products, keys, two accounts and the customer's past orders, all or nothing; answers
 * whether it did. Apart from dates, nonces and salts it is the same on every machine.
 */
export async function makeDemoData(
  deps: Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'>,
): Promise<boolean> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    if (!(await claimDemo(trx, now))) return false;
    await insertUsers(trx, await userRows(deps.passwords, now));
    const rows = await insertProducts(
      trx,
      demoProducts.map((product) => productRow(product, now)),
    );
    const productOf = findBySlug(rows);

    const orders = customerOrders.map((order) => ({
      viewed: order.viewed,
      ...orderRows(order, { buyer, productOf, now }),
    }));
    for (const { order, lines } of orders) await insertOrder(trx, order, lines);

    const sold = soldUnits(orders);
    const items = demoProducts.flatMap((product) => {
      const row = productOf(product.slug);
      return itemRows(deps.cipher, { product, row, sold: sold.get(row.id) ?? [] });
    });
    await insertItems(trx, items);

    for (const { order, lines, viewed } of orders) {
      if (viewed) await recordViews(trx, { order, lines }, items);
    }
    await refreshSoldCounts(trx);
    return true;
  });
}

async function userRows(passwords: Deps['passwords'], now: Date): Promise<Insertable<Tables['users']>[]> {
  const [customerHash, administratorHash] = await Promise.all([
    passwords.hash(customer.password),
    passwords.hash(administrator.password),
  ]);
  // The first purchase made the customer's account.
  const joinedAt = daysBefore(now, customerOrders[0].daysAgo);
  const openedAt = daysBefore(now, OPENED_DAYS_AGO);
  return [
    {
      ...buyer,
      email_verified_at: joinedAt,
      phone: '+60 12-555 0142',
      password_hash: customerHash,
      street: '18 Jalan Kenanga',
      city: 'Kuala Lumpur',
      state: 'Wilayah Persekutuan',
      zip_code: '50200',
      created_at: joinedAt,
    },
    {
      id: demoId('user', administrator.email),
      name: 'Kedai Admin',
      email: administrator.email,
      email_verified_at: openedAt,
      role: 'admin',
      password_hash: administratorHash,
      created_at: openedAt,
    },
  ];
}

function findBySlug(rows: ProductRow[]): (slug: string) => ProductRow {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return (slug) => {
    const row = byId.get(demoId('product', slug));
    if (!row) throw new Error(`There is no demo product "${slug}"`);
    return row;
  };
}

/** The buyer opened the order's page a little after it was delivered. */
async function recordViews(
  trx: Transaction,
  { order, lines }: OrderRows,
  items: Insertable<Tables['items']>[],
): Promise<void> {
  const lineIds = new Set(lines.map((line) => line.id));
  const reveals = items
    .filter((item) => lineIds.has(item.order_line_id ?? ''))
    .map((item) => ({
      item_id: item.id,
      order_id: order.id,
      user_id: buyer.id,
      ip: '127.0.0.1',
      user_agent: 'Kedai demo data',
      at: new Date(order.fulfilled_at.getTime() + VIEWED_AFTER_MS),
    }));
  await recordReveals(trx, reveals);
}
