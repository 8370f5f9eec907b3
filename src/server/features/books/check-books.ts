import { setTimeout as wait } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { verifyAuditLog } from '../admin/audit-log.ts';
import { openItem } from '../inventory/read-item.ts';
import { type Account, type Fault, faultsOfAccount, faultsOfPayment } from './account-faults.ts';
import { listItemFaults, listItemsAfter, listOrderBooks, type OrderBooks, readOneSnapshot } from './books.queries.ts';

const BATCH = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const LOOK_AGAIN_MS = 3_000;

/** An order is given this long to come to its outcome: a minute, and what a slow answer of the provider takes. */
export const PATIENCE_MS = 65_000;

export interface BooksReport {
  faults: Fault[];
  checked: { orders: number; payments: number; refunds: number; items: number; auditEntries: number };
}

type VerifyDeps = Pick<Deps, 'db' | 'cipher' | 'payments'>;

/**
 * Checks the books of a shop that may be selling: the database as it is at one moment, and against the provider's lists.
 * What differs from the provider may be under way at that moment, so it is looked at again until it agrees; what still
 * differs after `patienceMs` is a fault.
 */
export async function checkBooks(
  deps: VerifyDeps,
  { patienceMs = PATIENCE_MS }: { patienceMs?: number } = {},
): Promise<BooksReport> {
  const provider = await readProvider(deps);
  const checked = {
    ...{ orders: 0, payments: provider.payments.size, refunds: provider.refunds, items: 0, auditEntries: 0 },
  };
  const suspects: Suspect[] = [];
  const faults: Fault[] = [];
  const unmatched = new Set(provider.payments.keys());

  await deps.db.transaction().execute(async (trx) => {
    await readOneSnapshot(trx);
    for await (const order of eachOrder(trx)) {
      checked.orders += 1;
      unmatched.delete(order.intentId ?? '');
      const found = faultsOfAccount({ order, payment: provider.payments.get(order.intentId ?? '') });
      if (found.length > 0) suspects.push({ orderId: order.id, faults: found });
    }
    faults.push(...(await listItemFaults(trx)));
    for await (const fault of eachUnreadableItem({ ...deps, db: trx }, checked)) faults.push(fault);
    const { whole, broken } = await verifyAuditLog({ ...deps, db: trx });
    checked.auditEntries = whole;
    if (broken) {
      const fault = `entry ${broken.id} (${broken.action}) or one before it was changed, taken out or put in`;
      faults.push({ invariant: 'audit', fault });
    }
  });

  for (const intentId of unmatched) {
    const payment = provider.payments.get(intentId);
    const found = payment ? faultsOfPayment(payment) : [];
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
    found.set(intent.id, { ...intent, refundedCents: 0 });
  }
  let refunds = 0;
  for await (const { intentId, cents } of payments.listAllRefunds({ since: beginning })) {
    const payment = found.get(intentId);
    if (payment) payment.refundedCents += cents;
    refunds += 1;
  }
  return { payments: found, refunds };
}

async function* eachOrder(db: Database): AsyncIterable<OrderBooks> {
  let orders: OrderBooks[] = [];
  do {
    orders = await listOrderBooks(db, { after: orders.at(-1)?.id ?? FIRST_ID, limit: BATCH });
    yield* orders;
  } while (orders.length === BATCH);
}

async function* eachUnreadableItem(
  deps: Pick<VerifyDeps, 'db' | 'cipher'>,
  checked: { items: number },
): AsyncIterable<Fault> {
  for (let after = FIRST_ID; ; ) {
    const items = await listItemsAfter(deps.db, after, BATCH);
    for (const item of items) {
      const fault = await faultOfContent(deps, item);
      if (fault) yield { invariant: 'items', fault: `item ${item.id} ${fault}` };
    }
    checked.items += items.length;
    const last = items.at(-1);
    if (!last || items.length < BATCH) return;
    after = last.id;
  }
}

async function faultOfContent(
  deps: Pick<VerifyDeps, 'cipher'>,
  item: Parameters<typeof openItem>[1],
): Promise<string | undefined> {
  try {
    const content = await openItem(deps, item);
    const isSame = deps.cipher.fingerprint(content).equals(item.content_hmac);
    return isSame ? undefined : 'has another content than its fingerprint';
  } catch (error) {
    if (error instanceof BrokenSeal) return 'cannot be decrypted: its row was altered';
    return `cannot be decrypted: ${(error as Error).message}`;
  }
}

/** An order, or a payment that no order of the snapshot names, with what was wrong at every look so far. */
type Suspect = { faults: Fault[] } & ({ orderId: string } | { intentId: string });

/** What is still wrong when the patience is over; a look that finds nothing of the same kind acquits. */
async function lookAgain(deps: VerifyDeps, suspects: Suspect[], patienceMs: number): Promise<Fault[]> {
  const end = Date.now() + patienceMs;
  let left = suspects;
  while (left.length > 0 && Date.now() < end) {
    await wait(Math.min(LOOK_AGAIN_MS, Math.max(0, end - Date.now())));
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
  // What changed while the provider was asked is looked at once more.
  if (JSON.stringify(order) !== JSON.stringify(after)) return suspect.faults;
  if (order) return faultsOfAccount({ order, payment });
  return payment ? faultsOfPayment(payment) : [];
}

async function readPayment({ payments }: VerifyDeps, intentId: string): Promise<Payment | undefined> {
  const intent = await payments.retrieveIntent(intentId).catch(() => undefined);
  return intent && { ...intent, refundedCents: await payments.refundedCents(intentId) };
}
