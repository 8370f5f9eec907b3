import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeGoods } from '../factories.ts';
import { createShopper } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { findViolations, recordSales } from './invariants.ts';

let shop: TestShop;

// Two guests have each bought a key; between them, a third has bought one of two units of a physical product.
beforeAll(async () => {
  shop = await startTestShop({ deliverTestWebhooks: false });
  await recordSales(shop.deps.db);
  for (const name of ['first', 'shelf', 'second']) {
    const isCounted = name === 'shelf';
    const product = await makeGoods(shop.deps, isCounted ? 'physical' : 'digital', isCounted ? 2 : 1);
    const buyer = createShopper(shop.url);
    const guest = { email: `${name}@example.com`, password: 'a-guest-chooses' };
    const cart = [{ product, quantity: 1 }];
    const { orderId } = await buyer.buy(cart, guest);
    await buyer.readKeys(orderId);
  }
});
afterAll(() => shop.stop());

/**
 * Returns what the checks find after a change to the books, in all orders and in each by itself. The change is undone.
 */
async function violationsAfter(...intrusions: RawBuilder<unknown>[]): Promise<{ all: string[]; each: string[] }> {
  const trx = await shop.deps.db.startTransaction().execute();
  const now = new Date();
  const say = (violations: string[]) => violations.map((violation) => violation.replace(/ \(order .*/, ''));
  try {
    const orders = await trx
      .selectFrom('orders')
      .innerJoin('order_lines', 'order_id', 'orders.id')
      .select(['order_id as orderId', 'counted_state'])
      .execute();
    for (const intrusion of intrusions) await intrusion.execute(trx);
    const all = say(await findViolations(trx, { now, uploaded: 2 }));
    const each: string[] = [];
    for (const { orderId, counted_state } of orders) {
      each.push(...say(await findViolations(trx, { now, uploaded: counted_state === null ? 1 : 0, orderId })));
    }
    return { all, each };
  } finally {
    // shop.stop() waits for every connection in use.
    await trx.rollback().execute();
  }
}

const firstOrder = sql`id = (SELECT id FROM orders ORDER BY id LIMIT 1)`;
const firstIntent = sql`id = (SELECT payment_intent_id FROM orders ORDER BY id LIMIT 1)`;
const firstItem = sql`id = (SELECT id FROM items ORDER BY id LIMIT 1)`;
const secondLine = sql`(SELECT id FROM order_lines ORDER BY id DESC LIMIT 1)`;

describe('the invariants', () => {
  it('hold for completed purchases', async () => {
    expect(await violationsAfter()).toEqual({ all: [], each: [] });
  });

  it.each<[string, RawBuilder<unknown>[], string[]]>([
    [
      'a captured payment of a cancelled order',
      [sql`UPDATE orders SET state = 'cancelled' WHERE ${firstOrder}`],
      [
        'I1 a captured payment has neither its delivery nor its full refund',
        'I1 the goods of a payment that can still be taken are on sale',
        'I3 the order has 0 held, 0 allocated, 1 sold of 1',
        'I4 the order says 0 cents, the provider 1060',
      ],
    ],
    [
      'an item that was shown while its order was frozen',
      [
        sql`INSERT INTO order_freezes (id, order_id, cause, frozen_at)
          SELECT 'dp_1', id, 'dispute', paid_at FROM orders WHERE ${firstOrder}`,
      ],
      [expect.stringMatching(/was shown while its order was frozen$/)],
    ],
    [
      'a unit that is missing from the shelf',
      [sql`UPDATE products SET stock = stock - 1 WHERE stock IS NOT NULL`],
      [expect.stringMatching(/^I3 .* has 0 on the shelf, and its ledger says 1 of 2$/)],
    ],
    [
      'a paid order that has lost its counted goods',
      [sql`UPDATE order_lines SET counted_units = 0 WHERE counted_state = 'sold'`],
      [
        'I1 a captured payment has neither its delivery nor its full refund',
        'I3 the order has 0 held, 0 allocated, 0 sold of 1',
        expect.stringMatching(/^I3 .* has 1 on the shelf, and its ledger says 1 of 2$/),
      ],
    ],
    [
      'a captured payment without an order',
      [sql`UPDATE orders SET state = 'refunded', payment_intent_id = NULL WHERE ${firstOrder}`],
      expect.arrayContaining(['I1 a captured payment has neither its delivery nor its full refund']),
    ],
    [
      'goods of a refunded payment',
      [sql`UPDATE test_mode_intents SET refunded_cents = captured_cents WHERE ${firstIntent}`],
      ['I1 a refunded payment has its goods', 'I4 the order says 1060 cents, the provider 0'],
    ],
    [
      'goods for less than their price',
      [sql`UPDATE test_mode_intents SET captured_cents = 1 WHERE ${firstIntent}`],
      ['I1 goods are delivered without the money', 'I4 the order says 1060 cents, the provider 1'],
    ],
    [
      'an item that is sold twice',
      [
        sql`UPDATE items SET state = 'held', order_line_id = ${secondLine}, unit = 2, first_viewed_at = NULL WHERE ${firstItem}`,
        sql`UPDATE items SET state = 'sold' WHERE ${firstItem}`,
      ],
      expect.arrayContaining([expect.stringMatching(/^I2 item .* belongs to two orders$/)]),
    ],
    [
      'an item that was shown to another buyer',
      [sql`UPDATE reveals SET order_id = (SELECT max(order_id::text)::uuid FROM reveals)`],
      [expect.stringMatching(/^I2 item .* belongs to two orders$/)],
    ],
    [
      'an item that is missing',
      [sql`DELETE FROM reveals`, sql`DELETE FROM items WHERE ${firstItem}`],
      expect.arrayContaining(['I3 1 items are left of 2']),
    ],
    [
      'flash-sale units that no order took',
      [sql`UPDATE products SET flash_units_limit = 5, flash_units_taken = 2 WHERE name LIKE '%'`],
      Array(3).fill(expect.stringMatching(/^I3 .* counts 2 flash sale units$/)),
    ],
    [
      'an order that is not finished',
      [sql`UPDATE orders SET state = 'capturing' WHERE ${firstOrder}`],
      expect.arrayContaining(['I6 the order is not finished']),
    ],
    ['a buyer without a mail', [sql`DELETE FROM mails`], Array(3).fill("I6 the buyer's mails are []")],
    [
      'a buyer with two mails',
      [
        sql`INSERT INTO mails (id, kind, recipient, order_id, created_at)
        SELECT gen_random_uuid(), kind, recipient, order_id, created_at FROM mails ORDER BY id LIMIT 1`,
      ],
      ["I6 the buyer's mails are [order-delivered,order-delivered]"],
    ],
  ])('are violated by %s', async (_what, intrusions, expected) => {
    const { all, each } = await violationsAfter(...intrusions);
    expect(all).toEqual(expected);
    const kinds = (violations: string[]) =>
      new Set(violations.map((violation) => violation.replace(/\d+ items are left of \d+/, 'items are left')));
    expect(kinds(each)).toEqual(kinds(all));
  });
});
