import type { OrderState } from '../../../shared/orders.ts';
import { isAuthorised, type PaymentIntent } from '../../platform/payments/payments.ts';
import type { OrderBooks } from './books.queries.ts';

export type Invariant =
  | 'I1'
  | 'I2'
  | 'I3'
  | 'I4'
  | 'outcome'
  | 'items'
  | 'files'
  | 'ledger'
  | 'reviews'
  | 'reports'
  | 'receipts'
  | 'audit';

export interface Fault {
  invariant: Invariant;
  fault: string;
}

/** An order and its payment at the provider; amounts in cents. */
export type Account = { order: OrderBooks; payment: PaidBack | undefined };

/** `refundedCents` sums all valid refunds, `pendingCents` those of them that have not succeeded yet. */
type PaidBack = PaymentIntent & { refundedCents: number; pendingCents: number };

/** Violations of I1, I3, I4 and `outcome` by an order and its payment. */
export function faultsOfAccount(account: Account): Fault[] {
  // Paid physical orders that did not come through the checkout have no payment at the provider.
  const { type, wasPaid, intentId } = account.order;
  if (type === 'physical' && wasPaid && intentId === null) return [];
  return [
    ...moneyAndGoods(account),
    ...goodsOfState(account.order),
    ...moneyOfProvider(account),
    ...outcome(account),
  ].map(([invariant, fault]) => ({ invariant, fault: `${fault} (${describe(account)})` }));
}

export function faultsOfPayment(payment: NonNullable<Account['payment']>): Fault[] {
  const { id, status, orderId, receivedCents, refundedCents } = payment;
  const holdsMoney = status === 'requires_capture' || receivedCents > refundedCents;
  if (!holdsMoney) return [];
  const fault = `payment ${id}, ${status}, names order ${orderId}, which is missing or has another payment`;
  return [{ invariant: 'I1', fault }];
}

type Finding = [invariant: Invariant, fault: string];

const describe = ({ order, payment }: Account): string =>
  `order ${order.id}, ${order.state}; payment ${payment?.id ?? order.intentId ?? 'none'}, ${payment?.status ?? 'unknown to the provider'}`;

/** I1: every captured payment is delivered or refunded, and nothing is delivered without a captured payment. */
function moneyAndGoods({ order, payment }: Account): Finding[] {
  const { state, sold, ordered, refundedUnits, total, unfinishedRefunds, settled } = order;
  const captured = payment?.receivedCents ?? 0;
  const delivered = state === 'fulfilled' && sold > 0 && sold === ordered - refundedUnits;
  const disputed = state === 'disputed' && sold === 0;
  const isGoingBack = state === 'refunded' || (state === 'refunding' && unfinishedRefunds === 0);
  const givenBack = isGoingBack && (payment?.refundedCents ?? 0) + settled === captured && sold === 0;
  const hasGoods = sold > 0 || state === 'fulfilled' || state === 'disputed';
  const findings: Finding[] = [];
  if (captured > 0 && !delivered && !disputed && !givenBack) {
    findings.push(['I1', 'a captured payment has neither its delivery nor its full refund']);
  }
  if (hasGoods && captured !== total) {
    findings.push(['I1', `goods of ${total} cents are delivered, and ${captured} cents were captured`]);
  }
  if (state === 'cancelled' && payment && payment.status !== 'canceled') {
    findings.push(['I1', 'the goods of a payment that can still be taken are on sale']);
  }
  if (payment && payment.orderId !== order.id) {
    findings.push(['I1', `the payment is for order ${payment.orderId ?? 'of another software'}`]);
  }
  return findings;
}

/** I3: an order has exactly the goods that its state requires. */
function goodsOfState({ state, ordered, held, allocated, sold, refundedUnits }: OrderBooks): Finding[] {
  const expected: Partial<Record<OrderState, [number, number, number]>> = {
    pending: [ordered, 0, 0],
    capturing: [0, ordered, 0],
    fulfilled: [0, 0, ordered - refundedUnits],
  };
  const should = expected[state] ?? [0, 0, 0];
  if (String(should) === String([held, allocated, sold])) return [];
  return [
    ['I3', `${held} held, ${allocated} allocated, ${sold} sold of ${ordered}, ${refundedUnits} of them refunded`],
  ];
}

/** I4: the order's money equals the provider's, and no refund is recorded that did not reach the buyer. */
function moneyOfProvider({ order, payment }: Account): Finding[] {
  const { state, wasPaid, total, refunded, underWay, settled, unfinishedRefunds } = order;
  const isPaid =
    ['fulfilled', 'disputed', 'refunded'].includes(state) || (state === 'refunding' && unfinishedRefunds === 0);
  const { receivedCents = 0, refundedCents = 0, pendingCents = 0 } = payment ?? {};
  const ours = isPaid ? (wasPaid ? total : receivedCents) - refunded - underWay : 0;
  const theirs = receivedCents - refundedCents - settled;
  if (ours !== theirs) return [['I4', `the order has ${ours} cents, the provider ${theirs}`]];
  const given = refundedCents - pendingCents + settled;
  return refunded <= given ? [] : [['I4', `the order gave back ${refunded} cents, and ${given} have arrived`]];
}

/** A paid order has an outcome, and an unfinished one has a next visit of the sweeper. */
function outcome({ order, payment }: Account): Finding[] {
  const { state, unfinishedRefunds, sweepAt } = order;
  const isPaid = payment !== undefined && isAuthorised(payment);
  const isOpen = state === 'pending' || state === 'capturing' || state === 'refunding';
  const findings: Finding[] = [];
  // A refund that the provider has accepted may take days; the sweeper follows it.
  const isFollowed = state === 'refunding' && unfinishedRefunds === 0;
  if ((isPaid && isOpen && !isFollowed) || unfinishedRefunds > 0) {
    findings.push(['outcome', 'a paid order is not finished']);
  }
  if ((isOpen || unfinishedRefunds > 0 || order.underWay > 0) && sweepAt === null) {
    findings.push(['outcome', 'nobody will look at an order that is not finished']);
  }
  return findings;
}
