import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../admin-orders.ts';
import { makeProduct } from '../factories.ts';
import { type Bought, buyAsGuest } from '../purchases.ts';
import { createShopper } from '../shopper.ts';
import { openTestShop } from '../test-shop.ts';

const shop = await openTestShop();
const desk = await openAdminOrders(shop);

describe('a refund', () => {
  const reason = 'Faulty';
  const linesOf = async ({ orderId }: Bought) => (await desk.page(orderId)).lines;
  const givenBack = async (orderId: string): Promise<number> => {
    const { paymentResult } = await desk.page(orderId);
    const { cents } = await shop.deps.db
      .selectFrom('test_mode_refunds')
      .select(({ fn }) => fn.sum('amount_cents').as('cents'))
      .where('intent_id', '=', paymentResult?.id ?? '')
      .executeTakeFirstOrThrow();
    return Number(cents);
  };

  it.each([{ cents: 1e9 }, { refundedPrice: -5 }, { lines: undefined, price: 1e6 }])(
    'ignores unknown amount fields: %j',
    async (more) => {
      const bought = await buyAsGuest(shop, { quantity: 2, price_cents: 333 });
      const { page } = await desk.act(bought.orderId, 'refund', { reason, ...more });
      expect([page.refundedPrice, await givenBack(bought.orderId)]).toEqual([7.06, 706]);
    },
  );

  it('in concurrent parts never gives back more than was paid', async () => {
    const bought = await buyAsGuest(shop, { quantity: 7, price_cents: 333 }, { quantity: 3, price_cents: 149 });
    const lines = await linesOf(bought);
    const wishes = [
      ...lines.flatMap(({ _id, quantity }) => Array.from({ length: quantity + 2 }, () => [{ line: _id, quantity: 1 }])),
      [],
      undefined,
    ].sort(() => Math.random() - 0.5);
    const answers = await Promise.all(
      wishes.map((some) => desk.act(bought.orderId, 'refund', { reason, ...(some && { lines: some }) })),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 400, 409].includes(status))).toEqual([]);
    expect(await desk.page(bought.orderId)).toMatchObject({
      state: 'refunded',
      totalPrice: 29.45,
      refundedPrice: 29.45,
    });
    await expect.poll(() => givenBack(bought.orderId)).toBe(2945);
  });

  it('requested by two administrators at once is made once', async () => {
    const bought = await buyAsGuest(shop, { quantity: 1 });
    const other = await openAdminOrders(shop);
    const refunds = [desk, other, desk, other].map((at) => at.act(bought.orderId, 'refund', { reason }));
    expect((await Promise.all(refunds)).map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await givenBack(bought.orderId)).toBe(1060);
  });

  it('requires a paid order, lines of that order, and units that are left', async () => {
    const [bought, other] = [await buyAsGuest(shop, { quantity: 2 }), await buyAsGuest(shop, { quantity: 1 })];
    const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
    const unpaid = (await createShopper(shop.url).openPayment(cart, { email: 'unpaid@example.com' })).body;
    const [line] = await linesOf(bought);
    const [theirs] = await linesOf(other);
    const cases: [string, object, number][] = [
      [unpaid.orderId ?? '', {}, 409],
      [bought.orderId, { lines: [{ line: theirs?._id, quantity: 1 }] }, 409],
      [
        bought.orderId,
        {
          lines: [
            { line: line?._id, quantity: 1 },
            { line: theirs?._id, quantity: 1 },
          ],
        },
        409,
      ],
      [bought.orderId, { lines: [{ line: line?._id, quantity: 3 }] }, 409],
      [bought.orderId, { lines: Array.from({ length: 3 }, () => ({ line: line?._id, quantity: 1 })) }, 409],
      [bought.orderId, { lines: [{ line: line?.product, quantity: 1 }] }, 409],
      [bought.orderId, { lines: [] }, 400],
      [bought.orderId, { lines: 'all' }, 400],
      [line?._id ?? '', {}, 404],
    ];
    for (const [orderId, wish, status] of cases) {
      expect([wish, (await desk.act(orderId, 'refund', { reason, ...wish })).status]).toEqual([wish, status]);
    }
    expect([await givenBack(bought.orderId), await givenBack(other.orderId)]).toEqual([0, 0]);
  });
});
