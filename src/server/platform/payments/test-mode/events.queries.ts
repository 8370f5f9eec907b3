import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/open-database.ts';
import type { ProviderEvent } from './stripe-objects.ts';

/** An event that the shop has not taken yet; taken, it is deleted. */
export interface UndeliveredEvent {
  id: string;
  payload: string;
  /** Made so far. */
  attempts: number;
}

// The process that takes an event has it for itself this long; longer than a delivery may take.
const LEASE_MS = 15_000;

const leaseEnd = (now: Date) => new Date(now.getTime() + LEASE_MS);

/**
 * For a change's own statement: the process that writes the event is the one to deliver it, from memory, so it is due
 * for others only later. `source` is empty or a FROM clause without which the event is not written.
 */
export function insertEventStatement(
  event: ProviderEvent,
  now: Date,
  source: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql`
    INSERT INTO test_mode_events (id, type, payload, created_at, next_attempt_at)
    SELECT ${event.id}::text, ${event.type}::text, ${event.payload}::text, ${now}::timestamptz,
      ${leaseEnd(now)}::timestamptz
    ${source}`;
}

export async function insertEvent(db: Database, input: { event: ProviderEvent; now: Date }): Promise<void> {
  await insertEventStatement(input.event, input.now).execute(db);
}

/** Takes events that are due. Should this process die over them, they come due for another. */
export async function takeDueEvents(
  db: Database,
  input: { now: Date; limit: number },
): Promise<UndeliveredEvent[]> {
  return db
    .updateTable('test_mode_events')
    .set({ next_attempt_at: leaseEnd(input.now) })
    .where('id', 'in', (events) =>
      events
        .selectFrom('test_mode_events')
        .select('id')
        .where('next_attempt_at', '<=', input.now)
        .orderBy('next_attempt_at')
        .limit(input.limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'payload', 'attempts'])
    .execute();
}

export async function deleteEvents(db: Database, input: { ids: string[] }): Promise<void> {
  await db.deleteFrom('test_mode_events').where('id', '=', sql<string>`ANY(${input.ids})`).execute();
}

export async function postponeEvent(
  db: Database,
  input: { id: string; attempts: number; nextAttemptAt: Date },
): Promise<void> {
  await db
    .updateTable('test_mode_events')
    .set({ attempts: input.attempts, next_attempt_at: input.nextAttemptAt })
    .where('id', '=', input.id)
    .execute();
}
