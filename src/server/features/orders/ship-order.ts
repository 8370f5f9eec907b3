import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { AppError, sentBefore } from '../../../shared/errors.ts';
import { unitsInWords } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.queries.ts';
import { listUnshippedUnits } from '../catalog/counted-stock.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { assertNotHeldBack } from './freezes.queries.ts';
import { type AdminChange, listOrderLines, lockOrderAsAdmin } from './orders.queries.ts';
import { followParcels, insertParcel, listParcels, markParcelsDelivered, type OrderParcel } from './parcels.queries.ts';

type ShippedParcel = BodyOf<'POST /admin/orders/:id/ship'>;

/**
 * Ships a parcel of a paid order. A draft ships only once. Throws NOT_FOUND, ITEM_FROZEN, and TRANSITION_REFUSED when
 * fewer units wait, or when the draft was sent before with other values.
 */
export function shipParcel(deps: Deps, { orderId, actor, ...parcel }: ShippedParcel & AdminChange): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const sent = (await listParcels(trx, [orderId])).find(({ id }) => id === parcel.draft);
    if (!sent) await shipLocked(deps, trx, order, { ...parcel, actor });
    else if (!isSameParcel(sent, parcel, await listUnshippedUnits(trx, orderId))) {
      const { carrier, tracking_number: trackingNumber } = sent;
      const shipped = `shipped a parcel already, with ${carrier}, tracking number ${trackingNumber}`;
      throw sentBefore('TRANSITION_REFUSED', `${shipped}. What you ship now is another parcel.`);
    }
  });
}

function isSameParcel(sent: OrderParcel, parcel: ShippedParcel, waiting: ReadonlyMap<string, number>): boolean {
  const { carrier, trackingNumber, lines } = parcel;
  if (sent.carrier !== carrier || sent.tracking_number !== trackingNumber) return false;
  // If no unit waits now, the stored parcel shipped all waiting units.
  return lines ? areSameUnits(lines, sent.lines) : [...waiting.values()].every((units) => units === 0);
}

/**
 * Ships a parcel of an order that the caller has locked. The audit entry must be the last statement of the transaction,
 * so the caller must do nothing more in it. Throws ITEM_FROZEN and TRANSITION_REFUSED.
 */
export async function shipLocked(
  deps: Deps,
  trx: Transaction,
  order: OrderRow,
  { carrier, trackingNumber, lines: wanted, draft, actor }: ShippedParcel & { actor: Actor },
): Promise<void> {
  const orderId = order.id;
  await assertNotHeldBack(trx, orderId);
  const now = deps.clock.now();
  const waiting = order.state === 'fulfilled' ? await listUnshippedUnits(trx, orderId) : new Map<string, number>();
  const lines = wanted ? unitsByLine(wanted) : [...waiting].filter(([, units]) => units > 0);
  const tooMany = lines.some(([line, units]) => units > (waiting.get(line) ?? 0));
  if (lines.length === 0 || tooMany) {
    throw new AppError('TRANSITION_REFUSED', 'The order has fewer units left to ship', 'lines');
  }
  const parcel = {
    id: draft ?? uuidv7(),
    order_id: orderId,
    carrier,
    tracking_number: trackingNumber,
    shipped_at: now,
  };
  if (!(await insertParcel(trx, parcel, lines)))
    throw sentBefore('TRANSITION_REFUSED', 'shipped a parcel of another order already.');
  await followParcels(trx, orderId, now);
  await enqueueOrderMail(deps, trx, 'order-shipped', order);
  const isWhole = lines.length === waiting.size && lines.every(([line, units]) => units === waiting.get(line));
  const names = new Map((await listOrderLines(trx, orderId)).map(({ id, name }) => [id, name]));
  const contents = unitsInWords(lines.map(([line, quantity]) => ({ name: names.get(line) ?? '', quantity })));
  const summary = `Shipped ${isWhole ? '' : `${contents} `}with ${carrier}, tracking number ${trackingNumber}`;
  await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.shipped', summary });
}

function unitsByLine(wanted: NonNullable<ShippedParcel['lines']>): [string, number][] {
  const units = new Map<string, number>();
  for (const { line, quantity } of wanted) units.set(line, quantity + (units.get(line) ?? 0));
  return [...units];
}

/** Whether the wanted units equal those of a stored parcel or refund, in any sequence. */
export function areSameUnits(
  wanted: NonNullable<ShippedParcel['lines']>,
  stored: readonly { order_line_id: string; quantity: number }[],
): boolean {
  const units = new Map(stored.map(({ order_line_id, quantity }) => [order_line_id, quantity]));
  const asked = unitsByLine(wanted);
  return asked.length === units.size && asked.every(([line, quantity]) => units.get(line) === quantity);
}

/** Marks a parcel as delivered. No effect on a delivered parcel. Throws NOT_FOUND and TRANSITION_REFUSED. */
export function deliverParcel(
  deps: Deps,
  { orderId, parcel: parcelId, actor }: BodyOf<'POST /admin/orders/:id/deliver-parcel'> & AdminChange,
): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const parcel = (await listParcels(trx, [orderId])).find(({ id }) => id === parcelId);
    if (!parcel) throw new AppError('NOT_FOUND', 'Parcel not found');
    if (order.state !== 'fulfilled') throw new AppError('TRANSITION_REFUSED', 'This order has ended');
    if (parcel.delivered_at !== null) return;
    await markParcelsDelivered(trx, orderId, deps.clock.now(), parcelId);
    await followParcels(trx, orderId, deps.clock.now());
    const summary = `Marked parcel ${parcel.number} as delivered`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.delivered', summary });
  });
}
