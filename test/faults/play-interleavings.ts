import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Deps } from '../../src/server/deps.ts';
import { openPayment } from '../../src/server/features/checkout/open-payment.ts';
import { receivePaymentEvent, reconcilePayments } from '../../src/server/features/checkout/reconcile-payments.ts';
import { releaseOrder } from '../../src/server/features/checkout/release-order.ts';
import { settleOrder } from '../../src/server/features/checkout/settle-order.ts';
import { sweepOrders } from '../../src/server/features/checkout/sweep-orders.ts';
import { causeOf, listFreezes } from '../../src/server/features/orders/freezes.queries.ts';
import { getOrder, listOrderLines } from '../../src/server/features/orders/orders.queries.ts';
import { refundAllThatIsLeft, refundByAdmin } from '../../src/server/features/orders/refund-order.ts';
import { revealOrder } from '../../src/server/features/orders/reveal-items.ts';
import { AppError } from '../../src/shared/errors.ts';
import { type KindOfGoods, type MadeProduct, makeGoods } from '../factories.ts';
import { loseDispute } from '../lost-dispute.ts';
import { createShopper, type Shopper, TEST_ADDRESS } from '../shopper.ts';
import { startTestShop, type TestShop } from '../test-shop.ts';
import { type Operation, tryEveryOrder, tryRandomOrders } from './interleavings.ts';
import { findViolations, recordSales } from './invariants.ts';
import { intentOfEvent, openProviderDesk, type ProviderDesk } from './provider-desk.ts';
import { type StepWatch, watchSteps } from './step-effects.ts';

const AFTER_THE_HOLD_MS = 16 * 60_000;
const DRAWS = 50;

let shop: TestShop;
let desk: ProviderDesk;
let browser: Shopper;
let uploaded: number;
let kinds: readonly KindOfGoods[];
let watch: StepWatch;

async function openWorld(): Promise<void> {
  shop = await startTestShop({ deliverTestWebhooks: false });
  // No job runs, so only the actors change anything; mails stay queued.
  await shop.deps.jobs.stop();
  desk = await openProviderDesk(shop.deps.db, shop.deps.clock);
  browser = createShopper(shop.url);
  await recordSales(shop.deps.db);
  watch = await watchSteps(shop.deps.db);
  uploaded = 0;
  // Without these, each play would scan the events and the payments of all earlier plays.
  await sql`CREATE INDEX ON test_mode_events ((${intentOfEvent}))`.execute(shop.deps.db);
  await sql`CREATE INDEX ON test_mode_intents ((metadata->>'order_id'))`.execute(shop.deps.db);
}

/** Each play checks only its own order. This finds changes of other orders. */
async function closeWorld(): Promise<void> {
  const violations = await findViolations(shop.deps.db, { now: new Date(Date.now() + AFTER_THE_HOLD_MS), uploaded });
  await shop.stop();
  expect(violations).toEqual([]);
}

let guests = 0;
const administrator = { userId: null, name: 'a test', ip: '' };

interface Stage {
  orderId: string;
  intentId: string;
  /** In dollars. */
  total: number;
  /** Number of items that were uploaded for it. */
  uploaded: number;
  /** Whether a client was told that the payment failed. */
  refused: boolean;
  disputed: boolean;
  confirm(): Promise<unknown>;
}

/** Opens an order of one product of each kind, with one unit of each by default. */
async function openOrder(units = 1): Promise<Stage> {
  const { deps } = shop;
  const products: MadeProduct[] = [];
  for (const kind of kinds) products.push(await makeGoods(deps, kind, units));
  const made = products.reduce((sum, { keys }) => sum + keys.length, 0);
  uploaded += made;
  guests += 1;
  const { order, intent } = await openPayment(deps, {
    cart: {
      lines: products.map(({ id, name }, index) => ({ position: index + 1, productId: id, name, quantity: units })),
      shippingAddress: TEST_ADDRESS,
    },
    buyer: { userId: null, email: `guest-${guests}@example.com`, name: 'Guest', phone: '' },
    ip: '127.0.0.1',
    previous: undefined,
    browserSecret: undefined,
    bind: () => undefined,
  });
  return {
    orderId: order.id,
    intentId: intent.id,
    total: order.total_cents / 100,
    uploaded: made,
    refused: false,
    disputed: false,
    confirm: () => browser.confirmCard(intent.clientSecret),
  };
}

async function openConfirmedOrder(units = 1): Promise<Stage> {
  const stage = await openOrder(units);
  await stage.confirm();
  return stage;
}

async function openPaidOrder(units = 1): Promise<Stage> {
  const stage = await openConfirmedOrder(units);
  await settleOrder(shop.deps, stage.orderId);
  return stage;
}

const settle: Operation<Stage> = async (deps, stage) => {
  try {
    await settleOrder(deps, stage.orderId);
  } catch (error) {
    stage.refused ||= error instanceof AppError && error.code === 'PAYMENT_NOT_CONFIRMED';
  }
};
const release: Operation<Stage> = (deps, { orderId }) => releaseOrder(deps, orderId, 'abandoned');
const refund: Operation<Stage> = (deps, { orderId }) =>
  refundAllThatIsLeft(deps, orderId, { reason: 'A test asked for it' });
const openPaidPair = () => openPaidOrder(2);
/** A unit of each line. */
const refundUnit: Operation<Stage> = async (deps, { orderId }) => {
  const ordered = await listOrderLines(deps.db, orderId);
  const lines = ordered.map(({ id }) => ({ line: id, quantity: 1 }));
  await refundByAdmin(deps, { orderId, reason: 'A test asked for it', lines, actor: administrator });
};
const refundShare =
  (share: number): Operation<Stage> =>
  (deps, { orderId, total }) => {
    const amount = Math.ceil(total * share);
    return refundByAdmin(deps, { orderId, reason: 'A test asked for it', amount, actor: administrator });
  };
const refundAmount = refundShare(0.6);
const refundSmallAmount = refundShare(0.35);
/** Runs two minutes later, because the comparison skips payments that were made just now. */
const reconcile: Operation<Stage> = (deps) =>
  reconcilePayments({ ...deps, clock: { now: () => new Date(Date.now() + 2 * 60_000) } });
const dispute: Operation<Stage> = (deps, { orderId }) => loseDispute(deps, orderId);

/** The buyer confirms the card, and the page then says so. */
const pay: Operation<Stage> = async (deps, stage) => {
  await stage.confirm();
  await settle(deps, stage);
};

const settleAndRefund: Operation<Stage> = async (deps, stage) => {
  await settle(deps, stage);
  await refund(deps, stage);
};

/** Somebody refunds at the provider what is captured by then, and the webhook comes at once. */
const refundAtProvider: Operation<Stage> = async (deps, { intentId }) => {
  await desk.act(shop.url, 'refund', intentId);
  await receiveEvents(deps, intentId, ['charge.refunded']);
};

/** The buyer disputes what is captured by then with the bank, and the webhook comes at once. */
const disputeAtBank: Operation<Stage> = async (deps, stage) => {
  const { intentId } = stage;
  stage.disputed = (await shop.deps.payments.retrieveIntent(intentId)).status === 'succeeded';
  if (!stage.disputed) return;
  await desk.claim('dispute', intentId);
  await receivePaymentEvent(deps, { id: `evt_${intentId}`, type: 'charge.dispute.created', paymentIntentId: intentId });
};

/** The buyer reads what was delivered by then. */
const readItems: Operation<Stage> = async (deps, { orderId }) => {
  await revealOrder(deps, { orderId, userId: null, client: { ip: '127.0.0.1', userAgent: 'a test' } });
};

async function receiveEvents(deps: Deps, intentId: string, types?: string[]): Promise<void> {
  for (const { id, type } of await desk.listEvents(intentId)) {
    if (!types || types.includes(type)) await receivePaymentEvent(deps, { id, type, paymentIntentId: intentId });
  }
}

/** The sweeper brings the shop to rest; a refund that only the provider knows, it tells again; later events change nothing. */
async function expectBooksInOrder(stage: Stage, order: string): Promise<void> {
  const { orderId, intentId, refused, disputed } = stage;
  const now = new Date(Date.now() + AFTER_THE_HOLD_MS);
  const later = { ...shop.deps, clock: { now: () => now } };
  const { db } = shop.deps;
  const said = shop.logLines.length;
  await sweepOrders(later);
  await receiveEvents(later, intentId, ['charge.refunded']);
  const violations = await findViolations(db, { now, uploaded: stage.uploaded, orderId });
  const atRest = await getOrder(db, orderId);
  if (refused && atRest.state === 'fulfilled') violations.push('the buyer was refused and has paid');
  const isOpen = atRest.state === 'fulfilled' && !causeOf(await listFreezes(db, orderId));
  if (disputed && isOpen) violations.push('the buyer may read what was disputed');
  if (violations.length > 0) violations.push(...shop.logLines.slice(said));
  expect({ order, violations }).toEqual({ order, violations: [] });
  await receiveEvents(later, intentId);
  expect(await getOrder(db, orderId)).toEqual(atRest);
}

/** The tests of orders that have these kinds of goods at once. */
export function playInterleavings(_names: string, sold: readonly KindOfGoods[]): void {
  const check = expectBooksInOrder;
  beforeAll(async () => {
    kinds = sold;
    await openWorld();
  });
  afterAll(closeWorld);

  it.each<[string, () => Promise<Stage>, [Operation<Stage>, Operation<Stage>], number]>([
    // Who reconciles looks at the payments of all earlier plays, so these come first.
    ['a settlement and a reconciliation', openConfirmedOrder, [settle, reconcile], 50],
    ['a release and a reconciliation', openConfirmedOrder, [release, reconcile], 50],
    ['two settlements', openConfirmedOrder, [settle, settle], 50],
    ['two releases', openOrder, [release, release], 50],
    ['a payment and a release', openOrder, [pay, release], 50],
    ['a settlement and a dispute', openConfirmedOrder, [settle, disputeAtBank], 4],
    ['a buyer reading items and a dispute', openPaidOrder, [readItems, disputeAtBank], 2],
    ['a late settlement and a refund', openConfirmedOrder, [settle, settleAndRefund], 50],
  ])('%s', async (_who, prepare, operations, atLeast) => {
    const tried = await tryEveryOrder({ shop: shop.deps, watch, prepare, operations, check }, { mayDie: false });
    expect(tried).toBeGreaterThan(atLeast);
  });

  it.each<[string, () => Promise<Stage>, [Operation<Stage>, Operation<Stage>], number]>([
    ['a settlement and a release', openConfirmedOrder, [settle, release], 200],
    ['a settlement and a refund at the provider', openConfirmedOrder, [settle, refundAtProvider], 30],
    ['a refund by the shop and a refund at the provider', openPaidOrder, [refund, refundAtProvider], 30],
    ['two refunds', openPaidOrder, [refund, refund], 30],
    ['a refund and a lost dispute', openPaidOrder, [refund, dispute], 5],
    ['a refund of a unit and a full refund', openPaidPair, [refundUnit, refund], 30],
    ['a refund of a unit and a refund at the provider', openPaidPair, [refundUnit, refundAtProvider], 30],
    ['a refund of an amount and a full refund', openPaidOrder, [refundAmount, refund], 30],
    ['two refunds of an amount, together more than the total', openPaidOrder, [refundAmount, refundAmount], 10],
    [
      'two refunds of an amount, together less than the total',
      openPaidOrder,
      [refundSmallAmount, refundSmallAmount],
      30,
    ],
    ['two refunds of one of two units', openPaidPair, [refundUnit, refundUnit], 30],
  ])('%s, with a crash possible at any step', async (_who, prepare, operations, atLeast) => {
    const tried = await tryEveryOrder({ shop: shop.deps, watch, prepare, operations, check }, { mayDie: true });
    expect(tried).toBeGreaterThan(atLeast);
  });

  it.each<[string, () => Promise<Stage>, Operation<Stage>[]]>([
    ['a payment and two releases', openOrder, [pay, release, release]],
    ['two settlements and a release', openConfirmedOrder, [settle, settle, release]],
    ['a settlement, a release and a dispute', openConfirmedOrder, [settle, release, disputeAtBank]],
    [
      'two settlements, a refund by the shop and a refund at the provider',
      openConfirmedOrder,
      [settle, settle, refund, refundAtProvider],
    ],
  ])('%s, in random interleavings', async (_who, prepare, operations) => {
    await tryRandomOrders({ shop: shop.deps, prepare, operations, check }, DRAWS);
  });
}
