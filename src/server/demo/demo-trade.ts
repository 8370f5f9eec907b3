import { totalsOf } from '../../shared/pricing.ts';
import { type DemoCustomer, demoCustomer, nadia } from './demo-customers.ts';
import { type Goods, goodsFinder } from './demo-goods.ts';
import { customerOrders, type DemoOrder } from './demo-orders.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** Flat, for a parcel of any size. */
const PARCEL_CENTS = 590;

interface Span {
  fromDaysAgo: number;
  toDaysAgo: number;
  /** The orders whose money was captured, the demo customer's own among them. */
  paid: number;
  newCustomers: number;
  refunded: number;
  abandoned: number;
  failed: number;
}

// The counts make the trends of orders (184 against 170, also with one or all kinds of cancelled ones) and of users
// (68 against 59) read +8.2% and +15.3%, the dates of the products +5.0% (21 against 20). Each span leaves out its
// first day, so that they read the same for a day, while time goes on.
const lastDays: Span = {
  fromDaysAgo: 29,
  toDaysAgo: 0,
  paid: 184,
  newCustomers: 68,
  refunded: 4,
  abandoned: 12,
  failed: 1,
};
const daysBeforeThose: Span = {
  fromDaysAgo: 59,
  toDaysAgo: 30,
  paid: 170,
  newCustomers: 59,
  refunded: 3,
  abandoned: 11,
  failed: 1,
};
const firstMonths: Span = {
  fromDaysAgo: 150,
  toDaysAgo: 60,
  paid: 25,
  newCustomers: 19,
  refunded: 0,
  abandoned: 0,
  failed: 0,
};

const REVENUE_GROWTH = 1.125;

export interface Trade {
  /** All but the demo's own customer. */
  customers: DemoCustomer[];
  /** The demo customer's among them. */
  orders: DemoOrder[];
}

/** Who bought what since the shop opened, the same every time, such that the dashboard's trends read as designed. */
export function layOutTrade(goods: readonly Goods[]): Trade {
  const random = seededRandom('trade');
  const shelf = shelfOf(goods, random);
  const customers: DemoCustomer[] = [];
  const orders: DemoOrder[] = [];
  for (const span of [firstMonths, daysBeforeThose, lastDays]) {
    for (const { daysAgo, newcomer, outcome } of plan(span, random)) {
      const [first, ...others] = customers;
      const buyer = newcomer || !first ? join(daysAgo) : random.pick([first, ...others]);
      const posted = !newcomer && outcome === 'kept' && buyer.address !== undefined && random.next() < 0.3;
      const type = posted ? 'physical' : 'digital';
      const name = `order-${orders.length + 1}`;
      orders.push({
        name,
        buyer,
        daysAgo,
        guest: newcomer,
        viewed: false,
        type,
        outcome,
        lines: shelf.basket(type, daysAgo),
      });
    }
  }
  orders.push(...customerOrders);
  const gap = Math.round(revenueCents(daysBeforeThose) * REVENUE_GROWTH) - revenueCents(lastDays);
  closeGap(
    orders.filter((order) => isIn(lastDays, order) && order.buyer !== nadia),
    gap,
    shelf,
  );
  return { customers, orders };

  function join(daysAgo: number): DemoCustomer {
    const customer = demoCustomer(customers.length, daysAgo, random);
    customers.push(customer);
    return customer;
  }

  function revenueCents(span: Span): number {
    const kept = orders.filter((order) => order.outcome === 'kept' && isIn(span, order));
    return kept.reduce((sum, order) => sum + totalsOfOrder(order, shelf.find).totalCents, 0);
  }
}

const isIn = (span: Span, { daysAgo }: Pick<DemoOrder, 'daysAgo'>) =>
  daysAgo <= span.fromDaysAgo && daysAgo > span.toDaysAgo;

/** Every so often, `count` times in `total`. */
const spread = (index: number, count: number, total: number) => (index * count) % total < count;

/** The orders to be made for a span besides the demo customer's, the oldest first. */
function plan(span: Span, random: SeededRandom) {
  const { fromDaysAgo, toDaysAgo, newCustomers, refunded, abandoned, failed } = span;
  const days = (count: number) =>
    Array.from({ length: count }, () => random.between(toDaysAgo + 0.05, fromDaysAgo)).sort((a, b) => b - a);
  const cancelled = (count: number, outcome: DemoOrder['outcome']) =>
    days(count).map((daysAgo) => ({ daysAgo, newcomer: false, outcome }));
  const paid = span.paid - customerOrders.filter((order) => isIn(span, order)).length;
  return [
    ...days(paid).map((daysAgo, index) => ({
      daysAgo,
      newcomer: spread(index, newCustomers, paid),
      outcome: spread(index, refunded, paid) ? ('refunded' as const) : ('kept' as const),
    })),
    ...cancelled(abandoned, 'abandoned'),
    ...cancelled(failed, 'payment-failed'),
  ].sort((a, b) => b.daysAgo - a.daysAgo);
}

/** The goods on the shelf at any time, some of them liked better than others. */
function shelfOf(goods: readonly Goods[], random: SeededRandom) {
  const liked = new Map(goods.map(({ slug }) => [slug, seededRandom(`popularity of ${slug}`).next()]));

  const at = (type: Goods['type'], daysAgo: number) =>
    goods.filter((one) => one.type === type && one.createdDaysAgo > daysAgo && one.flashDays < daysAgo);

  function basket(type: Goods['type'], daysAgo: number): DemoOrder['lines'] {
    const offered = at(type, daysAgo) as [Goods, ...Goods[]];
    const count = random.pick([1, 1, 1, 1, 1, 2, 2, 3]);
    const chosen = new Set<string>();
    for (let index = 0; index < count; index += 1) {
      const [one, other] = [random.pick(offered).slug, random.pick(offered).slug];
      chosen.add((liked.get(one) ?? 0) > (liked.get(other) ?? 0) ? one : other);
    }
    return [...chosen].map((slug) => ({ slug, quantity: random.next() < 0.12 ? 2 : 1 }));
  }

  return { find: goodsFinder(goods), at, basket };
}

/** The sums of an order in cents, from the prices of its goods. */
export const totalsOfOrder = ({ type, lines }: DemoOrder, find: (slug: string) => Goods) =>
  totalsOf(
    lines.map(({ slug, quantity }) => ({ unitPriceCents: find(slug).unitPriceCents, quantity })),
    type === 'physical' ? PARCEL_CENTS : 0,
  );

/**
 * Lets single buyers have bought something else until the orders together are worth `gapCents` more, as near as it
 * goes: each time the swap that brings it nearest.
 */
function closeGap(orders: DemoOrder[], gapCents: number, shelf: ReturnType<typeof shelfOf>): void {
  const single = orders.filter(
    ({ type, outcome, lines }) =>
      type === 'digital' && outcome === 'kept' && lines.length === 1 && lines[0]?.quantity === 1,
  );
  const worth = (order: DemoOrder) => totalsOfOrder(order, shelf.find).totalCents;
  for (let gap = gapCents; gap !== 0; ) {
    const swaps = single.flatMap((order) => {
      const without = gap + worth(order);
      return shelf.at('digital', order.daysAgo).map(({ slug }) => {
        const lines = [{ slug, quantity: 1 }];
        return { order, lines, left: without - worth({ ...order, lines }) };
      });
    });
    const best = swaps.reduce((nearest, swap) =>
      Math.abs(swap.left) < Math.abs(nearest.left) ? swap : nearest,
    );
    if (Math.abs(best.left) >= Math.abs(gap)) return;
    best.order.lines = best.lines;
    gap = best.left;
  }
}
