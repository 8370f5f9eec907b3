import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { insertNote } from './admin-orders.queries.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';

/**
 * Writes a note on an order that administrators see, and its buyer never. The same draft writes one. Throws NOT_FOUND.
 * The audit log, which keeps its entries, says only that there is a note: people may be named in it.
 */
export async function writeNote(
  deps: Deps,
  {
    orderId,
    draft = uuidv7(),
    text,
    actor,
  }: { orderId: string; draft?: string | undefined; text: string; actor: Actor },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await lockOrderAsAdmin(trx, orderId, actor);
    const note = { id: draft, order_id: orderId, user_id: actor.userId, text, created_at: deps.clock.now() };
    if (!(await insertNote(trx, note))) return;
    const subject = { type: 'order' as const, id: orderId };
    await writeAudit(deps, trx, { actor, action: 'order.note-written', subject, summary: 'Wrote a note on the order' });
  });
}
