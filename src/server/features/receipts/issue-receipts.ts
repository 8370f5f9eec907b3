import { HOUR_MS, SECOND_MS } from '../../../shared/durations.ts';
import { isAppError } from '../../../shared/errors.ts';
import type { PaidCard } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ReceiptRow } from '../../platform/database/tables.ts';
import { readAdminOrders } from '../orders/admin-orders.queries.ts';
import {
  advanceSeries,
  creditNoteOf,
  insertReceipts,
  listOrdersWithoutReceipt,
  listRefundsWithoutNote,
  lockSeries,
  type ReceiptOrder,
  readNumbers,
  receiptOf,
  type Unnumbered,
} from './receipts.ts';

/** Orders per query, which reads all orders of the last hour. They are numbered in batches. */
const FOUND_AT_ONCE = 1_000;
const BATCH = 100;
/** The provider is asked for the card only of payments up to this age. */
const ASKED_WITHIN_MS = HOUR_MS;
/** How long a receipt waits for a provider that does not answer. */
const PATIENCE_WITH_PROVIDER_MS = 30 * SECOND_MS;

type IssueDeps = Pick<Deps, 'db' | 'clock' | 'config' | 'payments'>;

/**
 * Issues a receipt for each paid order, and a credit note for each refund that is done. A number is used if and only if
 * its receipt is stored, so the series has no gap. If a process ends before it has finished, the next run continues.
 * Returns true when there is more to do.
 */
export async function issueReceipts(deps: IssueDeps): Promise<boolean> {
  const now = deps.clock.now();
  const found = await listOrdersWithoutReceipt(deps.db, FOUND_AT_ONCE);
  const unseen = found.length === FOUND_AT_ONCE ? found.at(-1) : undefined;
  let waiting: Unnumbered | undefined;
  let isMore = false;
  let from = 0;
  // Also without orders, because a batch numbers refunds, too.
  do {
    const left = { waiting, next: found[from + BATCH] ?? unseen };
    const issued = await issueBatch(deps, found.slice(from, from + BATCH), { now, left });
    if (!issued) return false;
    waiting = issued.waiting;
    isMore = issued.isMore;
    from += BATCH;
  } while (from < found.length);
  return isMore;
}

interface Left {
  /** The first order whose card the provider has not named yet. */
  waiting: Unnumbered | undefined;
  /** The first order after the batch. */
  next: Unnumbered | undefined;
}

/** Numbers these orders, and some refunds. Returns undefined while another process is numbering. */
async function issueBatch(deps: IssueDeps, found: Unnumbered[], { now, left }: { now: Date; left: Left }) {
  const cards = await readCards(deps, found, now);
  return deps.db.transaction().execute(async (trx) => {
    const last = await lockSeries(trx);
    if (last === undefined) return undefined;
    // Another process may have numbered some of them meanwhile.
    const numbered = await readNumbers(trx, idsOf(found));
    const orders = found.filter(({ order_id: id }) => !numbered.has(id));
    const ready = orders.filter(({ order_id: id }) => cards.has(id));
    await store(trx, { last, now }, ready, (order) => receiptOf(deps.config, order, cards.get(order.id) ?? null));

    const refunds = await listRefundsWithoutNote(trx, BATCH);
    const numbers = await readNumbers(trx, idsOf(refunds));
    await store(trx, { last: last + ready.length, now }, refunds, (order, { refund_id: id }) => {
      const refund = order.refunds.find((one) => one.id === id);
      const corrects = numbers.get(order.id);
      if (!refund || corrects === undefined) throw new Error(`Refund ${id} has no order with a receipt`);
      return creditNoteOf(deps.config, order, { refund, corrects });
    });

    const issued = ready.length + refunds.length;
    const moreRefunds = refunds.length === BATCH;
    const lastRefund = moreRefunds ? refunds.at(-1)?.at : undefined;
    const waiting = left.waiting ?? orders.find((one) => !ready.includes(one));
    await advanceSeries(trx, {
      last: last + issued,
      now,
      firstLeft: {
        order: (waiting ?? left.next)?.at,
        // A refund is found only once its order has a receipt, so remaining orders keep this date back.
        refund: left.next ? new Date(0) : lastRefund,
      },
    });
    return { waiting, isMore: issued > 0 && (left.next !== undefined || moreRefunds) };
  });
}

const idsOf = (due: readonly Unnumbered[]) => due.map(({ order_id: id }) => id);

/** Returns the cards of the payments, null if unknown. Orders that still wait for the provider are left out. */
async function readCards(deps: IssueDeps, orders: Unnumbered[], now: Date): Promise<Map<string, PaidCard | null>> {
  const cards = new Map<string, PaidCard | null>();
  await Promise.all(
    orders.map(async ({ order_id: id, intent_id: intentId, card: known, at }) => {
      const age = now.getTime() - at.getTime();
      try {
        const isAsked = known === null && intentId !== null && age < ASKED_WITHIN_MS;
        const card = isAsked ? await deps.payments.findCard(intentId) : known;
        cards.set(id, card ? { brand: card.brand, last4: card.last4 } : null);
      } catch (error) {
        if (!isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE') || age > PATIENCE_WITH_PROVIDER_MS) cards.set(id, null);
      }
    }),
  );
  return cards;
}

async function store(
  trx: Transaction,
  { last, now }: { last: number; now: Date },
  due: Unnumbered[],
  contentOf: (order: ReceiptOrder, one: Unnumbered) => ReceiptRow['content'],
): Promise<void> {
  if (due.length === 0) return;
  const orders = await readAdminOrders(trx, [...new Set(due.map(({ order_id: id }) => id))]);
  const rows = due.map((one, index) => {
    const order = orders.find(({ id }) => id === one.order_id);
    if (!order) throw new Error(`There is no order ${one.order_id}`);
    const { order_id, refund_id } = one;
    return { number: last + index + 1, order_id, refund_id, issued_at: now, content: contentOf(order, one) };
  });
  await insertReceipts(trx, rows);
}
