import type { Database } from '../../platform/database/open-database.ts';

/** Writes an event down; `finished` when it was acted on before. */
export async function rememberEvent(
  db: Database,
  event: { id: string; type: string },
  now: Date,
): Promise<'new' | 'finished'> {
  const row = await db
    .insertInto('webhook_events')
    .values({ id: event.id, type: event.type, received_at: now, finished_at: null })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ type: event.type }))
    .returning('finished_at')
    .executeTakeFirstOrThrow();
  return row.finished_at === null ? 'new' : 'finished';
}

export async function finishEvent(db: Database, id: string, now: Date): Promise<void> {
  await db.updateTable('webhook_events').set({ finished_at: now }).where('id', '=', id).execute();
}
