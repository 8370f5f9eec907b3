import { sql } from 'kysely';
import type { Transaction } from '../../platform/database/open-database.ts';

export async function markShipped(
  trx: Transaction,
  shipped: { id: string; carrier: string; trackingNumber: string; now: Date },
): Promise<void> {
  await trx
    .updateTable('orders')
    .set({ shipped_at: shipped.now, carrier: shipped.carrier, tracking_number: shipped.trackingNumber })
    .where('id', '=', shipped.id)
    .execute();
}

export async function markParcelDelivered(
  trx: Transaction,
  { id, now }: { id: string; now: Date },
): Promise<void> {
  // Clocks of two machines may differ; nothing arrives before it is sent.
  const deliveredAt = sql<Date>`greatest(shipped_at, ${now})`;
  await trx.updateTable('orders').set({ delivered_at: deliveredAt }).where('id', '=', id).execute();
}
