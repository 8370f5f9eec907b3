import type { Shop } from '../../shared/shop.ts';
import type { Deps } from '../deps.ts';
import { refreshSoldCounts } from '../features/catalog/catalog.queries.ts';
import { recordReveals } from '../features/inventory/inventory.queries.ts';
import { refreshProductSales } from '../features/statistics/product-sales.queries.ts';
import { insertRows } from '../platform/database/insert-rows.ts';
import type { Transaction } from '../platform/database/open-database.ts';
import { insertPastPayments } from '../platform/payments/test-mode/past-payments.queries.ts';
import { claimDemo, insertPhysicalProducts, insertProducts } from './demo.queries.ts';
import { nadia, userRow } from './demo-customers.ts';
import { digitalGoods, type Goods, goodsFinder, physicalGoods } from './demo-goods.ts';
import { demoId } from './demo-ids.ts';
import { type OrderRows, orderRows, soldUnits } from './demo-order-rows.ts';
import { itemRows, physicalProductRow, productRow } from './demo-rows.ts';
import { layOutTrade } from './demo-trade.ts';
import { demoProducts } from './products/demo-products.ts';
import { demoPhysicalProducts } from './products/physical-products.ts';

const customer = { label: 'Customer', email: nadia.email, password: 'customer-demo-2026' };
const administrator = { label: 'Administrator', email: 'admin@kedai.test', password: 'admin-demo-2026' };

/** Public by design; they exist only where the demo data does. */
export const demoAccounts: Shop['demoAccounts'] = [customer, administrator];

const owner = {
  name: 'Kedai Admin',
  email: administrator.email,
  phone: '',
  joinedDaysAgo: 170,
  address: undefined,
};

const VIEWED_AFTER_MS = 3 * 60 * 1000;

/**
 * Fills an empty shop with products, keys, customers and months of orders, all or nothing; answers whether it did. The
 * orders are left out where the test mode provider does not take the payments: no other one would know of theirs.
 * Apart from dates, nonces and salts all of it is the same on every machine.
 */
export async function makeDemoData(
  deps: Pick<Deps, 'db' | 'cipher' | 'passwords' | 'clock'> & { testMode: boolean },
): Promise<boolean> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    if (!(await claimDemo(trx, now))) return false;
    await insertRows(trx, 'users', await accountRows(deps.passwords, now));
    const digital = await insertProducts(
      trx,
      demoProducts.map((product) => productRow(product, now)),
    );
    const physical = await insertPhysicalProducts(
      trx,
      demoPhysicalProducts.map((product) => physicalProductRow(product, now)),
    );
    const goods = [
      ...demoProducts.map((product) => digitalGoods(product, rowOf(product, digital))),
      ...demoPhysicalProducts.map((product) => physicalGoods(product, rowOf(product, physical))),
    ];
    const orders = deps.testMode ? await makeTrade(trx, goods, now) : [];

    const sold = soldUnits(orders);
    const items = demoProducts.flatMap((product) => {
      const row = rowOf(product, digital);
      return itemRows(deps.cipher, { product, row, sold: sold.get(row.id) ?? [] });
    });
    await insertRows(trx, 'items', items);
    await refreshSoldCounts(trx);
    await refreshProductSales(trx, now);
    for (const order of orders) if (order.viewed) await recordViews(trx, order, items);
    return true;
  });
}

function rowOf<Row extends { id: string }>({ slug }: { slug: string }, rows: Row[]): Row {
  const row = rows.find(({ id }) => id === demoId('product', slug));
  if (!row) throw new Error(`The demo product "${slug}" was not made`);
  return row;
}

async function accountRows(passwords: Deps['passwords'], now: Date) {
  const [customerHash, administratorHash] = await Promise.all([
    passwords.hash(customer.password),
    passwords.hash(administrator.password),
  ]);
  return [
    userRow(nadia, now, customerHash),
    { ...userRow(owner, now, administratorHash), role: 'admin' as const },
  ];
}

/** Customers, what they ordered, and what they paid for it. */
async function makeTrade(
  trx: Transaction,
  goods: Goods[],
  now: Date,
): Promise<(OrderRows & { viewed: boolean })[]> {
  const { customers, orders } = layOutTrade(goods);
  const find = goodsFinder(goods);
  const rows = orders.map((order) => ({ viewed: order.viewed, ...orderRows(order, find, now) }));
  const users = customers.map((one) => userRow(one, now));
  await insertRows(trx, 'users', users);
  await insertRows(
    trx,
    'orders',
    rows.map(({ order }) => order),
  );
  await insertRows(
    trx,
    'order_lines',
    rows.flatMap(({ lines }) => lines),
  );
  await insertRows(
    trx,
    'refunds',
    rows.flatMap(({ refunds }) => refunds),
  );
  await insertPastPayments(
    trx,
    rows.map(({ payment }) => payment),
  );
  return rows;
}

/** The buyer opened the order's page a little after it was delivered. */
async function recordViews(
  trx: Transaction,
  { order, lines }: OrderRows,
  items: ReturnType<typeof itemRows>,
): Promise<void> {
  const lineIds = new Set(lines.map((line) => line.id));
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
