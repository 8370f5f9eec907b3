import { sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';
import { notWaitingForTheDisk } from '../../platform/database/relaxed-commit.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import type { PaymentEvent } from '../../platform/payments/payments.ts';
import { orderColumns } from '../orders/orders.queries.ts';

/** The order of an event's intent; undefined when there is none, or when the event was acted on before. */
export function findOrderOfNewEvent(db: Database, event: PaymentEvent): Promise<OrderRow | undefined> {
  if (event.paymentIntentId === undefined) return Promise.resolve(undefined);
  return db
    .selectFrom('orders')
    .select(orderColumns)
    .where('payment_intent_id', '=', event.paymentIntentId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('webhook_events').select('id').where('id', '=', event.id))),
    )
    .executeTakeFirst();
}

/**
 * Notes that an event was acted on. The note may be lost when PostgreSQL crashes in the same instant, so the commit
 * need not wait for the disk: acting on an event again changes nothing, the note only saves the work.
 */
export async function rememberFinishedEvent(
  db: Database,
  event: { id: string; type: string; at: Date },
): Promise<void> {
  await sql`
    WITH relaxed AS (SELECT ${notWaitingForTheDisk})
    INSERT INTO webhook_events (id, type, finished_at) SELECT ${event.id}, ${event.type}, ${event.at} FROM relaxed
    ON CONFLICT (id) DO NOTHING`.execute(db);
}
