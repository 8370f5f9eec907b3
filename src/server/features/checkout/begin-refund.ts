import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import { refundCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { returnToShelf } from '../catalog/product-units.queries.ts';
import { withdrawSoldItems, withdrawUnits } from '../inventory/inventory.queries.ts';
import { listOrderLines, listRefundedUnits, markRefunding, sweepLater } from '../orders/orders.queries.ts';
import { insertRefund, sumRefunds } from './refunds.queries.ts';

export interface RefundWish {
  /** The id it gets, where somebody has chosen one. */
  id?: string | undefined;
  reason: string;
  /** Units of lines; all that is left where it is left out. */
  lines?: readonly { line: string; quantity: number }[] | undefined;
  /** The administrator who wants it. */
  userId?: string | null;
}

/** A line with the units whose money went back, and those whose money goes back now. */
type WishedLine = OrderLineRow & { refunded: number; units: number };

/**
 * Decides on a refund of a locked order: writes it down and withdraws its goods, so that nobody reads them afterwards.
 * The provider is asked later (finishRefunds). Answers its cents of USD; throws REFUND_REFUSED for lines that are not
 * the order's, for more units than are left, when no money is left, and for an id that another order's refund has.
 */
export async function beginRefund(
  deps: Pick<Deps, 'clock'>,
  trx: Transaction,
  order: OrderRow,
  { id = uuidv7(), reason, lines: wished, userId = null }: RefundWish,
): Promise<number> {
  const now = deps.clock.now();
  const lines = wishedLines(
    await listOrderLines(trx, [order.id]),
    await listRefundedUnits(trx, order.id),
    wished,
  );
  const all = lines.every(({ quantity, refunded, units }) => refunded + units === quantity);
  const cents = all ? order.total_cents - (await sumRefunds(trx, order.id)) : centsOf(order, lines);
  if (cents <= 0) throw new AppError('REFUND_REFUSED', 'There is nothing left to give back');

  const refund = { id, order_id: order.id, cents, reason, user_id: userId };
  const units = lines.filter((line) => line.units > 0);
  const inserted = await insertRefund(
    trx,
    { ...refund, state: 'pending', created_at: now },
    all ? [] : units.map((line) => ({ order_line_id: line.id, quantity: line.units })),
  );
  if (!inserted) throw new AppError('REFUND_REFUSED', 'This refund was already given on another order');
  // What is still in the shop can be sold again.
  if (order.type === 'physical' && order.shipped_at === null) await returnToShelf(trx, units);
  if (all) {
    await withdrawSoldItems(trx, order.id);
    await markRefunding(trx, order.id, reason, now);
  } else {
    for (const line of units) await withdrawUnits(trx, { lineId: line.id, quantity: line.units });
    await sweepLater(trx, order.id, now);
  }
  return cents;
}

function wishedLines(
  lines: readonly OrderLineRow[],
  refundedUnits: ReadonlyMap<string, number>,
  wished: RefundWish['lines'],
): WishedLine[] {
  const known = new Set(lines.map(({ id }) => id));
  if (wished?.some(({ line }) => !known.has(line))) {
    throw new AppError('REFUND_REFUSED', 'These lines are not of this order');
  }
  return lines.map((line) => {
    const refunded = refundedUnits.get(line.id) ?? 0;
    const left = line.quantity - refunded;
    const units = wished
      ? wished.filter((wish) => wish.line === line.id).reduce((sum, { quantity }) => sum + quantity, 0)
      : left;
    if (units > left) {
      throw new AppError('REFUND_REFUSED', `Of “${line.name}” ${left} of ${line.quantity} can be refunded`);
    }
    return { ...line, refunded, units };
  });
}

const centsOf = (order: OrderRow, lines: readonly WishedLine[]): number =>
  refundCents(
    {
      itemsCents: order.items_cents,
      taxCents: order.tax_cents,
      shippingCents: order.shipping_cents,
      totalCents: order.total_cents,
    },
    lines.map(({ unit_price_cents: unitPriceCents, quantity, refunded: refundedQuantity, units }) => ({
      unitPriceCents,
      quantity,
      refundedQuantity,
      units,
    })),
  );
