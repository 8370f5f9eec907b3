import * as z from 'zod/mini';
import { DAY_MS } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { logFailure } from '../../platform/log.ts';
import {
  isAuthorised,
  isValid,
  type PaymentEvent,
  type PaymentIntent,
  PaymentRefused,
  type ProviderRefund,
} from '../../platform/payments/payments.ts';
import {
  endAlert,
  getShopIdentity,
  isAlertRaised,
  listUnknownPayments,
  raiseAlert,
  type ShopIdentity,
} from '../admin/alerts.queries.ts';
import { lockStockedProducts, voidOnSale } from '../inventory/inventory.queries.ts';
import { followGivenAtProvider } from '../orders/follow-given-at-provider.ts';
import { isOpen, isPaid } from '../orders/order-status.ts';
import { findOrder, findOrderByIntent } from '../orders/orders.queries.ts';
import { refundAllThatIsLeft } from '../orders/refund-order.ts';
import { listRefunds } from '../orders/refunds.queries.ts';
import { findOrderOfNewEvent, listPaidOrders, rememberFinishedEvent, sweepFailedRefunds } from './checkout.queries.ts';
import { followClaims, reconcileClaims } from './follow-claims.ts';
import { countDecline, releaseOrder } from './release-order.ts';
import { isSettledHere, settleIfAuthorised, settleOrder } from './settle-order.ts';

// An authorisation lapses after this time, and older differences were found by earlier runs.
const LOOK_BACK_MS = 7 * DAY_MS;
// A bank may send a refund back weeks after it succeeded.
const REFUND_LOOK_BACK_MS = 60 * DAY_MS;

/**
 * Whether this shop made a payment; false for other software on the same account. Payments older than the shop's id
 * have only the order's UUID in their metadata. A newer one without that id is not ours, whatever else it contains.
 */
export const isOurs = ({ shopId, orderId, createdAt }: PaymentIntent, shop: ShopIdentity): boolean =>
  shopId === shop.id || (shopId === undefined && createdAt < shop.since && z.uuid().safeParse(orderId).success);

/**
 * Compares the provider's payments and refunds with the shop's orders, in both directions. An open order whose payment
 * is authorised is settled, money captured for a cancelled order is refunded, and goods whose money was refunded are
 * withdrawn. Any other difference raises an alert. An entry that cannot be read, e.g. because of a new status, is logged
 * and skipped. Throws at the end if there was one: it may be captured money that nobody else looks for.
 */
export async function reconcilePayments(deps: Deps): Promise<void> {
  const now = deps.clock.now().getTime();
  const since = new Date(now - LOOK_BACK_MS);
  const shop = await getShopIdentity(deps.db);
  const captured = new Set<string>();
  let unreadable = 0;
  const onUnreadable = (error: unknown, providerId: string) => {
    unreadable += 1;
    deps.log.error({ err: error, providerId }, 'a payment or refund of the provider could not be read');
  };
  for await (const intent of deps.payments.listIntents({ createdSince: since, onUnreadable })) {
    if (intent.status === 'succeeded') captured.add(intent.id);
    if (isAuthorised(intent) && isOurs(intent, shop)) await reconcileIntent(deps, intent);
  }
  await endUnknownAlerts(deps);
  const refundsSince = new Date(now - REFUND_LOOK_BACK_MS);
  for await (const refund of deps.payments.listAllRefunds({ since: refundsSince, onUnreadable })) {
    if (!isValid(refund) || refund.createdAt >= since) await reconcileRefund(deps, refund);
  }
  await reconcileClaims(deps, since);
  for (const order of await listPaidOrders(deps.db, since)) {
    const { id, payment_intent_id: intentId } = order;
    if (intentId !== null && !captured.has(intentId)) await confirmPaid(deps, id, intentId);
  }
  if (unreadable > 0) throw new Error(`${unreadable} payments or refunds of the provider could not be read`);
}

/**
 * Follows the refunds of an order, in case the webhook of this refund was lost: staff may have given it in the
 * dashboard, or it may have failed. Skips a valid refund of an order that is neither fulfilled nor disputed, because it
 * was followed before, unless staff gave it in addition to the refunds of a refunded order.
 */
async function reconcileRefund(deps: Deps, refund: ProviderRefund & { intentId: string }): Promise<void> {
  const order = await findOrderByIntent(deps.db, refund.intentId);
  if (!order) return;
  const isInAddition = async () =>
    order.state === 'refunded' &&
    !(await listRefunds(deps.db, [order.id])).some((one) => one.provider_id === refund.id);
  const mayBeNew = order.state === 'fulfilled' || order.state === 'disputed' || !isValid(refund);
  if (!mayBeNew && !(await isInAddition())) return;
  await logFailure(deps, { orderId: order.id }, 'a refund could not be followed', () => followGiven(deps, order));
}

/** Follows the refunds of an order at the provider. */
async function followGiven(deps: Deps, order: OrderRow): Promise<void> {
  // The provider refunds nothing of a lost dispute, so the shop may have won it: then the refund pays one of ours.
  if (order.state === 'disputed') await followClaims(deps, order);
  await followGivenAtProvider(deps, order);
}

/**
 * Raises an alert if the payment of a delivered order was not captured. Never throws, so that one order that cannot be
 * checked (e.g. one paid at an earlier provider) does not stop the check of the others.
 */
async function confirmPaid(deps: Deps, orderId: string, intentId: string): Promise<void> {
  try {
    const { status } = await deps.payments.retrieveIntent(intentId);
    if (status === 'succeeded') return;
    const message = 'a delivered order has no payment';
    await raiseAlert(deps, { kind: 'delivered-without-payment', subject: orderId, orderId, message });
  } catch (error) {
    const message = 'an order’s payment could not be read';
    // An outage is only logged, because it is temporary. A payment that the provider does not know needs a person.
    if (!(error instanceof PaymentRefused)) deps.log.error({ err: error, orderId }, message);
    else await raiseAlert(deps, { kind: 'payment-not-found', subject: orderId, orderId, message });
  }
}

async function reconcileIntent(deps: Deps, intent: PaymentIntent): Promise<void> {
  const { data: orderId } = z.uuid().safeParse(intent.orderId);
  if (orderId === undefined) return;
  const order = await findOrder(deps.db, orderId);
  if (order?.payment_intent_id !== intent.id) return reportUnknown(deps, intent, orderId);
  await logFailure(deps, { orderId }, 'a payment could not be reconciled', async () => {
    if (isOpen(order)) await settleOrder(deps, orderId);
    if (order.state !== 'cancelled') return;
    if (intent.status === 'succeeded') {
      const reason = 'Captured after the order was cancelled';
      await refundAllThatIsLeft(deps, orderId, { reason, capturedCents: intent.receivedCents });
    } else await deps.payments.cancelIntent({ intentId: intent.id, orderId });
  });
}

const NOT_CHECKED = 'an unknown payment could not be checked';

/**
 * Raises an alert about a payment whose order is missing, e.g. after the restore of a backup, because only a person
 * knows whether the order was delivered. Raises none if the money was refunded or never captured. Voids the items of a
 * captured payment that are on sale, because its buyer may have read them; each time, because another order may have
 * held them before.
 */
export async function reportUnknown(deps: Deps, intent: PaymentIntent, orderId: string): Promise<void> {
  if (intent.status === 'succeeded') await takeOffSale(deps, intent, orderId);
  const about = { kind: 'unknown-payment', subject: intent.id } as const;
  await logFailure(deps, { orderId }, NOT_CHECKED, async () => {
    if ((await isAlertRaised(deps.db, about)) || (await isOver(deps, intent))) return;
    await raiseAlert(deps, { ...about, orderId, message: 'a payment has no order' });
  });
}

async function takeOffSale(deps: Deps, { id, itemIds = [], createdAt }: PaymentIntent, orderId: string): Promise<void> {
  await logFailure(deps, { orderId }, 'the items of an unknown payment could not be taken off sale', () =>
    deps.db.transaction().execute(async (trx) => {
      await lockStockedProducts(trx, { itemIds });
      await voidOnSale(trx, itemIds, createdAt, `Paid by ${id}, whose order is missing`);
    }),
  );
}

/** Ends the alerts about unknown payments that were refunded, or never captured. */
async function endUnknownAlerts(deps: Deps): Promise<void> {
  for (const { id, subject, order_id: orderId } of await listUnknownPayments(deps.db)) {
    await logFailure(deps, { orderId }, NOT_CHECKED, async () => {
      if (!(await isOver(deps, await deps.payments.retrieveIntent(subject)))) return;
      await endAlert(deps.db, id, deps.clock.now());
    });
  }
}

async function isOver(deps: Deps, intent: PaymentIntent): Promise<boolean> {
  if (intent.status !== 'succeeded') return intent.status === 'canceled';
  return (await deps.payments.refundedCents(intent.id)) >= intent.receivedCents;
}

/**
 * Handles a verified event once. Only the ids are taken from the event; the current state is read from the provider.
 * Events about no intent, or about intents without an order, are ignored. If this throws, the event is not recorded as
 * handled, and the provider sends it again.
 */
export async function receivePaymentEvent(deps: Deps, event: PaymentEvent): Promise<void> {
  const { id, type, paymentIntentId } = event;
  if (paymentIntentId === undefined) {
    deps.log.info({ event: id, type }, 'an event of the provider is about no payment');
    return;
  }
  if (announcesMoney(event) && isSettledHere(paymentIntentId)) return;
  const order = await findOrderOfNewEvent(deps.db, { id, paymentIntentId });
  if (!order || (announcesMoney(event) && isPaid(order))) return;
  await act(deps, event, order);
  await rememberFinishedEvent(deps.db, event, deps.clock.now());
}

const announcesMoney = ({ type }: PaymentEvent) =>
  type === 'payment_intent.amount_capturable_updated' || type === 'payment_intent.succeeded';

/** Settles the order before its goods are withdrawn or frozen; otherwise the goods would be delivered afterwards. */
async function act(deps: Deps, event: PaymentEvent, order: OrderRow): Promise<void> {
  if (announcesMoney(event)) return settleIfAuthorised(deps, order.id);
  switch (event.type) {
    case 'payment_intent.payment_failed':
      return countDecline(deps, order, event.declineId ?? event.id);
    case 'payment_intent.canceled':
      return releaseOrder(deps, order.id, 'payment-failed');
    case 'charge.refunded':
    case 'charge.refund.updated':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      await settleIfAuthorised(deps, order.id);
      return followGiven(deps, order);
  }
  if (!isClaim(event)) return;
  await settleIfAuthorised(deps, order.id);
  await followClaims(deps, order);
  await sweepFailedRefunds(deps.db, order.id, deps.clock.now());
}

const isClaim = ({ type }: PaymentEvent) =>
  type.startsWith('charge.dispute.') || type.startsWith('radar.early_fraud_warning.');
