import { v7 as uuidv7 } from 'uuid';
import { sentBefore } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { findNote, insertNote } from './admin-orders.queries.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';

/**
 * Writes a note on an order, which only administrators see. A draft writes only one note. Throws NOT_FOUND, and
 * EDIT_CONFLICT when the draft was sent before with another text. The audit entry omits the text, because a note may
 * name people and audit entries are never deleted.
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
    if (!(await insertNote(trx, note))) {
      const sent = await findNote(trx, draft);
      if (sent?.order_id === orderId && sent.text === text) return;
      throw sentBefore(
        'EDIT_CONFLICT',
        'written a note already, with another text. Adding it now makes a second note.',
      );
    }
    await writeOrderAudit(deps, trx, {
      actor,
      orderId,
      action: 'order.note-written',
      summary: 'Wrote a note on the order',
    });
  });
}
