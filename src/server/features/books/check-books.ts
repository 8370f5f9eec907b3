import { setTimeout as wait } from 'node:timers/promises';
import { NIL } from 'uuid';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import { isValid, type ProviderRefund, unlessRefused } from '../../platform/payments/payments.ts';
import { getShopIdentity } from '../admin/alerts.queries.ts';
import { verifyAuditLog } from '../admin/audit-log.ts';
import { isOurs } from '../checkout/reconcile-payments.ts';
import { listFileFaults } from '../files/files.queries.ts';
import { decryptItem } from '../inventory/item-actions.ts';
import { type Account, type Fault, faultsOfAccount, faultsOfPayment } from './account-faults.ts';
import {
  countReceipts,
  type ItemBooks,
  listItemFaults,
  listItemsAfter,
  listOrderBooks,
  listReceiptFaults,
  listRevealFaults,
  listReviewFaults,
  readOneSnapshot,
} from './books.queries.ts';

const BATCH = 500;
const LOOK_AGAIN_MS = 3_000;

/** Time for an order to reach its outcome: a minute, plus a slow response of the provider. */
export const PATIENCE_MS = 65_000;

type VerifyDeps = Pick<Deps, 'db' | 'cipher' | 'payments'>;

/**
 * Checks the books of a shop that may be selling: first one snapshot of the database, then the snapshot against the
 * provider's lists. An order that differs from the provider may be changing, so it is checked again until it agrees. A
 * difference that remains after `patienceMs` is a fault.
 */
export async function checkBooks(deps: VerifyDeps, { patienceMs = PATIENCE_MS }: { patienceMs?: number } = {}) {
  const provider = await readProvider(deps);
  const { payments, refunds } = provider;
  const checked = { orders: 0, payments: payments.size, refunds, items: 0, receipts: 0, auditEntries: 0 };
  const suspects: Suspect[] = [];
  const faults: Fault[] = [];
  const unmatched = new Map(payments);

  await deps.db.transaction().execute(async (trx) => {
    await readOneSnapshot(trx);
    for await (const order of eachRow((after) => listOrderBooks(trx, { after, limit: BATCH }))) {
      checked.orders += 1;
      unmatched.delete(order.intentId ?? '');
      const found = faultsOfAccount({ order, payment: payments.get(order.intentId ?? '') });
      if (found.length > 0) suspects.push({ orderId: order.id, faults: found });
    }
    faults.push(
      ...(await listItemFaults(trx)),
      ...(await listRevealFaults(trx)),
      ...(await listReviewFaults(trx)),
      ...(await listFileFaults(trx)),
      ...(await listReceiptFaults(trx)),
    );
    checked.receipts = await countReceipts(trx);
    for await (const item of eachRow((after) => listItemsAfter(trx, after, BATCH))) {
      checked.items += 1;
      const fault = await faultOfContent(deps, item);
      if (fault) faults.push({ invariant: 'items', fault: `item ${item.id} ${fault}` });
    }
    const { whole, broken } = await verifyAuditLog({ ...deps, db: trx });
    checked.auditEntries = whole;
    if (broken) {
      const fault = `entry ${broken.id} (${broken.action}) or an entry before it was changed, removed or inserted`;
      faults.push({ invariant: 'audit', fault });
    }
  });

  const shop = await getShopIdentity(deps.db);
  for (const [intentId, payment] of unmatched) {
    const found = isOurs(payment, shop) ? faultsOfPayment(payment) : [];
    if (found.length > 0) suspects.push({ intentId, faults: found });
  }
  faults.push(...(await lookAgain(deps, suspects, patienceMs)));
  return { faults, checked };
}

type Payment = NonNullable<Account['payment']>;

async function readProvider({ payments }: VerifyDeps) {
  const beginning = new Date(0);
  const found = new Map<string, Payment>();
  for await (const intent of payments.listIntents({ createdSince: beginning })) {
    found.set(intent.id, { ...intent, refundedCents: 0, pendingCents: 0 });
  }
  let refunds = 0;
  for await (const refund of payments.listAllRefunds({ since: beginning })) {
    const payment = found.get(refund.intentId);
    if (payment) addRefund(payment, refund);
    refunds += 1;
  }
  return { payments: found, refunds };
}

function addRefund(payment: Payment, refund: ProviderRefund): void {
  if (!isValid(refund)) return;
  payment.refundedCents += refund.cents;
  if (refund.status !== 'succeeded') payment.pendingCents += refund.cents;
}

async function* eachRow<Row extends { id: string }>(read: (after: string) => Promise<Row[]>): AsyncIterable<Row> {
  let rows: Row[] = [];
  do {
    rows = await read(rows.at(-1)?.id ?? NIL);
    yield* rows;
  } while (rows.length === BATCH);
}

async function faultOfContent(deps: Pick<VerifyDeps, 'cipher'>, item: ItemBooks) {
  try {
    const content = await decryptItem(deps, item);
    const fingerprint =
      item.delivery === 'unique'
        ? deps.cipher.fingerprint(content)
        : deps.cipher.fingerprintOfCopy({ itemId: item.id, content });
    if (fingerprint.equals(item.content_hmac)) return undefined;
    return 'has another content than its fingerprint';
  } catch (error) {
    if (error instanceof BrokenSeal) return 'cannot be decrypted: its row was altered';
    return `cannot be decrypted: ${(error as Error).message}`;
  }
}

/** An order, or a payment without an order, with the faults found at every check so far. */
type Suspect = { faults: Fault[] } & ({ orderId: string } | { intentId: string });

/**
 * Returns the faults that remain after `patienceMs`. A fault is dropped as soon as one check finds no fault of the same
 * invariant. Throws when the provider is unavailable, because then nothing is known about the order.
 */
async function lookAgain(deps: VerifyDeps, suspects: Suspect[], patienceMs: number): Promise<Fault[]> {
  const end = performance.now() + patienceMs;
  let left = suspects;
  while (left.length > 0 && performance.now() < end) {
    await wait(Math.min(LOOK_AGAIN_MS, Math.max(0, end - performance.now())));
    const looked: Suspect[] = [];
    for (const suspect of left) {
      const now = await faultsNow(deps, suspect);
      const faults = now.filter(({ invariant }) => suspect.faults.some((one) => one.invariant === invariant));
      if (faults.length > 0) looked.push({ ...suspect, faults });
    }
    left = looked;
  }
  return left.flatMap(({ faults }) => faults);
}

async function faultsNow(deps: VerifyDeps, suspect: Suspect): Promise<Fault[]> {
  const which = 'orderId' in suspect ? { id: suspect.orderId } : { intentId: suspect.intentId };
  const [order] = await listOrderBooks(deps.db, which);
  const intentId = 'intentId' in suspect ? suspect.intentId : order?.intentId;
  const payment = intentId ? await readPayment(deps, intentId) : undefined;
  const [after] = await listOrderBooks(deps.db, which);
  // An order that changed during the provider's call is checked once more.
  if (JSON.stringify(order) !== JSON.stringify(after)) return suspect.faults;
  if (order) return faultsOfAccount({ order, payment });
  return payment ? faultsOfPayment(payment) : [];
}

/** Undefined when the provider does not know the payment. */
async function readPayment({ payments }: VerifyDeps, intentId: string): Promise<Payment | undefined> {
  const intent = await payments.retrieveIntent(intentId).catch(unlessRefused);
  if (!intent) return undefined;
  const payment = { ...intent, refundedCents: 0, pendingCents: 0 };
  for (const refund of await payments.listRefunds(intentId)) addRefund(payment, refund);
  return payment;
}
