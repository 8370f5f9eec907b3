import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import { unitsInWords } from '../../../shared/order-words.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { listUnshippedUnits } from '../catalog/counted-stock.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { listOrderLines, lockOrderAsAdmin } from './orders.queries.ts';
import { followParcels, insertParcel, listParcels, markParcelsDelivered } from './parcels.queries.ts';
import { assertNotHeldBack } from './unfreeze-order.ts';

interface ShippedParcel {
  carrier: string;
  trackingNumber: string;
  /** Undefined means all units that wait to be shipped. */
  lines?: readonly { line: string; quantity: number }[] | undefined;
  draft?: string | undefined;
}

interface OfOrder {
  orderId: string;
  actor: Actor;
}

/**
 * Ships a parcel of a paid order. The same draft ships once. Throws NOT_FOUND, ITEM_FROZEN, and TRANSITION_REFUSED when
 * fewer units wait.
 */
export function shipParcel(deps: Deps, { orderId, actor, ...parcel }: ShippedParcel & OfOrder): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const shipped = await listParcels(trx, [orderId]);
    if (parcel.draft && shipped.some(({ id }) => id === parcel.draft)) return;
    await shipLocked(deps, trx, order, { ...parcel, actor });
  });
}

/**
 * Ships a parcel of an order that the caller has locked. It ends with the audit log's entry, so the caller's
 * transaction must do nothing after it. Throws ITEM_FROZEN and TRANSITION_REFUSED.
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
    throw new AppError('TRANSITION_REFUSED', 'Fewer units of this order wait to be shipped', 'lines');
  }
  await insertParcel(trx, {
    id: draft ?? uuidv7(),
    orderId,
    carrier,
    trackingNumber,
    lines: lines.map(([line, quantity]) => ({ line, quantity })),
    now,
  });
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

/**
 * Marks a parcel as delivered; without effect on one that is delivered already. Throws NOT_FOUND and
 * TRANSITION_REFUSED.
 */
export function deliverParcel(deps: Deps, { orderId, parcelId, actor }: OfOrder & { parcelId: string }): Promise<void> {
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
