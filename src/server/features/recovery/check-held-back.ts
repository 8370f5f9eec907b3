import * as z from 'zod/mini';
import { HOUR_MS } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import { isAuthorised, type PaymentIntent, unlessRefused } from '../../platform/payments/payments.ts';
import { StartError } from '../../platform/system-errors.ts';
import { endAlertsOfOrder, getShopIdentity, raiseAlert } from '../admin/alerts.queries.ts';
import { storeIntent } from '../checkout/checkout.queries.ts';
import { followClaims } from '../checkout/follow-claims.ts';
import { isOurs, reportUnknown } from '../checkout/reconcile-payments.ts';
import { settleIfAuthorised } from '../checkout/settle-order.ts';
import { refundRestIfGivenAtProvider } from '../orders/follow-given-at-provider.ts';
import { givenBackCentsOf, unknownCentsOf } from '../orders/follow-refunds.ts';
import { isOpen } from '../orders/order-status.ts';
import { findOrder, findOrderByIntent, getOrder } from '../orders/orders.queries.ts';
import { listRefunds } from '../orders/refunds.queries.ts';
import {
  endHoldingBack,
  findBackupToCompare,
  findNewestIntent,
  findRestoredBackup,
  holdOrderBack,
  isCompared,
  listHeldBack,
  listOrdersOfItems,
  listResold,
  markCompared,
  markResold,
} from './recovery.queries.ts';

/**
 * Checks the orders that a restore holds back against the provider's payments, refunds and claims since the backup.
 * Releases the orders of which nothing was refunded, claimed, or sold to another buyer. Every other order stays held
 * back, with an alert, until an administrator enters its refunds or unfreezes it. An order that cannot be checked stays
 * held back until the next run. A payment whose order is missing raises an alert, too.
 */
export async function checkHeldBack(deps: Deps): Promise<void> {
  const { db, clock } = deps;
  const takenAt = await findBackupToCompare(db);
  if (!takenAt) return;
  const isFirst = !(await isCompared(db));
  // An order that another process holds back from now on may be one that this comparison does not find.
  const heldBefore = await listHeldBack(db);
  const { missing, unknownIntents, refundedIntents, claimedIntents, lostItems } = await comparePayments(deps);
  // The backup may be older than the period that reconcilePayments checks.
  for (const { intent } of missing) await reportUnknown(deps, intent, intent.orderId ?? '');
  for (const { id, orderId } of unknownIntents) await storeIntent(db, orderId, id);
  await markResold(db, [...lostItems.keys()], clock.now());

  const resold = new Set((await listResold(db)).map(({ orderId }) => orderId));
  const questioned = new Set(resold);
  for (const intentId of new Set([...refundedIntents, ...claimedIntents])) {
    const order = await findOrderByIntent(db, intentId);
    if (order) questioned.add(order.id);
  }
  const kept = new Set<string>();
  for (const orderId of questioned) {
    try {
      const decision = await decideOnOrder(deps, orderId, { isResold: resold.has(orderId), claimedIntents, takenAt });
      if (decision === 'keep') kept.add(orderId);
    } catch (error) {
      deps.log.error({ err: error, orderId }, 'an order of a restored backup could not be checked');
      kept.add(orderId);
    }
  }
  const cleared = heldBefore.filter((orderId) => !kept.has(orderId));
  await endHoldingBack(db, cleared, isFirst ? null : clock.now());
  for (const orderId of isFirst ? [] : cleared) await endAlertsOfOrder(db, orderId, ['held-back'], clock.now());
  await markCompared(db, clock.now());
}

/**
 * Settles an order and follows its refunds and claims. Then decides: `keep` while its outcome is unknown, or when a
 * person must decide, about which an alert is raised.
 */
async function decideOnOrder(
  deps: Deps,
  orderId: string,
  { isResold, claimedIntents, takenAt }: { isResold: boolean; claimedIntents: ReadonlySet<string>; takenAt: Date },
): Promise<'release' | 'keep'> {
  // Only refunds of a delivered order are recorded. The sweeper cancels an order that can no longer be paid.
  await settleIfAuthorised(deps, orderId);
  const order = await getOrder(deps.db, orderId);
  if (isOpen(order)) return 'keep';
  if (order.state !== 'fulfilled') return 'release';
  if (claimedIntents.has(order.payment_intent_id ?? '')) await followClaims(deps, order);
  const { unknownCents } = await refundRestIfGivenAtProvider(deps, order);
  const isOver = (await getOrder(deps.db, orderId)).state !== 'fulfilled';
  if (isOver || (unknownCents === 0 && !isResold)) return 'release';
  await holdOrderBack(deps.db, orderId, deps.clock.now());
  const message = 'an order of a restored backup is held back';
  await raiseAlert(deps, { kind: 'held-back', subject: `${orderId}/${takenAt.toISOString()}`, orderId, message });
  return 'keep';
}

// Clocks differ, and the intent of an order is created after its row.
const MARGIN_MS = HOUR_MS;

export interface RestoredPayments {
  takenAt: Date;
  /** Captured or authorised payments whose order is not in the backup, or has another payment there. */
  missing: { intent: PaymentIntent; refundedCents: number }[];
  /** Payments since the backup for orders that are still open: the shop finishes these orders. */
  open: PaymentIntent[];
  /** Orders that are delivered in the backup and were refunded since: the shop withdraws what was refunded. */
  refunded: string[];
  /** Payments with a refund since the backup; `claimedIntents`: those with a claim of a bank since. */
  refundedIntents: Set<string>;
  claimedIntents: Set<string>;
  /** Payments of open orders that the backup has without a payment. */
  unknownIntents: { id: string; orderId: string }[];
  /** Items named by a payment whose order is missing, each with the id of the payment. */
  lostItems: Map<string, string>;
  /** Items named by any payment since the backup that was not cancelled: they may have been delivered. */
  namedItems: Set<string>;
}

/** Compares a restored database with the provider's payments since its backup. Throws StartError for another one. */
export async function comparePayments(deps: Pick<Deps, 'db' | 'payments'>): Promise<RestoredPayments> {
  const takenAt = await findRestoredBackup(deps.db);
  if (!takenAt) {
    throw new StartError(
      'This database was not filled by npm run restore. After a failover or another restore, npm run verify lists payments without an order, and the dashboard shows them under "Needs attention".',
    );
  }
  const since = await findBeginning(deps, takenAt);
  const shop = await getShopIdentity(deps.db);
  const found: RestoredPayments = {
    takenAt,
    missing: [],
    open: [],
    refunded: [],
    refundedIntents: new Set(),
    claimedIntents: new Set(),
    unknownIntents: [],
    lostItems: new Map(),
    namedItems: new Set(),
  };
  for await (const intent of deps.payments.listIntents({ createdSince: since })) {
    if (!isOurs(intent, shop) || intent.status === 'canceled') continue;
    for (const id of intent.itemIds ?? []) found.namedItems.add(id);
    await sortPayment(deps, intent, found);
  }
  const refunded = found.refundedIntents;
  for await (const { intentId } of deps.payments.listAllRefunds({ since })) refunded.add(intentId);
  for await (const intentId of deps.payments.listClaimedIntents({ since })) found.claimedIntents.add(intentId);
  for (const intentId of refunded) {
    const { orderId } = await deps.payments.retrieveIntent(intentId);
    const order = await findOrderOf(deps, orderId);
    if (order?.payment_intent_id === intentId && order.state === 'fulfilled') found.refunded.push(order.id);
  }
  return found;
}

/**
 * Returns a time by the provider's clock that is before the backup: before that of the newest payment in the backup,
 * because the database's clock may have been ahead when the backup was taken.
 */
async function findBeginning({ db, payments }: Pick<Deps, 'db' | 'payments'>, takenAt: Date): Promise<Date> {
  const newest = await findNewestIntent(db);
  const intent = newest && (await payments.retrieveIntent(newest).catch(unlessRefused));
  const beginning = intent && intent.createdAt < takenAt ? intent.createdAt : takenAt;
  return new Date(beginning.getTime() - MARGIN_MS);
}

async function sortPayment(
  deps: Pick<Deps, 'db' | 'payments'>,
  intent: PaymentIntent,
  { missing, open, unknownIntents, lostItems }: RestoredPayments,
): Promise<void> {
  const order = await findOrderOf(deps, intent.orderId);
  const isStillOpen = order !== undefined && isOpen(order);
  if (isStillOpen && order.payment_intent_id === null) unknownIntents.push({ id: intent.id, orderId: order.id });
  const isItsOwn = order && [intent.id, null].includes(order.payment_intent_id);
  if (!isItsOwn) for (const id of intent.itemIds ?? []) lostItems.set(id, intent.id);
  if (!isAuthorised(intent)) return;
  if (!isItsOwn) missing.push({ intent, refundedCents: await deps.payments.refundedCents(intent.id) });
  else if (isStillOpen) open.push(intent);
}

async function findOrderOf({ db }: Pick<Deps, 'db'>, orderId: string | undefined) {
  const { data } = z.uuid().safeParse(orderId);
  return data === undefined ? undefined : findOrder(db, data);
}

/** An order with refunds since the backup, or with items that may belong to another buyer. */
interface DoubtfulOrder {
  orderId: string;
  /** Refunded at the provider, and not recorded in the shop. */
  unknownCents: number;
  /** The payments that name the items that may belong to another buyer. */
  payments: string[];
}

/** Lists the held-back orders that a person must decide on. `held` is the number of all held-back orders. */
export async function listDoubtful(
  { db, payments }: Pick<Deps, 'db' | 'payments'>,
  { refundedIntents, lostItems, open }: RestoredPayments,
): Promise<{ held: number; doubtful: DoubtfulOrder[] }> {
  const doubtful = new Map<string, DoubtfulOrder>();
  const of = (orderId: string): DoubtfulOrder => {
    const order = doubtful.get(orderId) ?? { orderId, unknownCents: 0, payments: [] };
    doubtful.set(orderId, order);
    return order;
  };
  const paid = new Set(open.map(({ orderId }) => orderId));
  for (const { orderId, state, itemId } of await listOrdersOfItems(db, [...lostItems.keys()])) {
    // An unpaid order was abandoned before its item was sold to another buyer, and will be abandoned again.
    if (state === 'fulfilled' || paid.has(orderId)) of(orderId).payments.push(lostItems.get(itemId) ?? '');
  }
  for (const intentId of refundedIntents) {
    const order = await findOrderByIntent(db, intentId);
    if (!order || !(isOpen(order) || order.state === 'fulfilled')) continue;
    const all = await payments.listRefunds(intentId);
    const ours = await listRefunds(db, [order.id]);
    const unknown = unknownCentsOf(all, ours);
    // An order that was refunded in full needs no decision.
    const isWhole = givenBackCentsOf(all, ours) >= order.total_cents;
    if (!isWhole && unknown > 0) of(order.id).unknownCents = unknown;
  }
  return { held: (await listHeldBack(db)).length, doubtful: [...doubtful.values()] };
}
