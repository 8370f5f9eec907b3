import { AppError, isAppError, sentBefore } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { AdminActor } from '../../platform/http/route.ts';
import { writeOrderAudit } from '../admin/audit-log.ts';
import { findItem, followWaitingUnits, listManualLines, waitingNumbers } from '../delivery/delivery.queries.ts';
import { newItem } from '../delivery/make-items.ts';
import { insertItem } from '../inventory/inventory.queries.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { lockOrderAsAdmin } from './orders.queries.ts';
import { assertNotFrozen } from './unfreeze-order.ts';

interface DeliverUnit {
  orderId: string;
  line: string;
  /** Number of the unit in its line. */
  unit: number;
  content: string;
  draft?: string | undefined;
  actor: AdminActor;
}

/**
 * Delivers a unit of a `manual` line: stores the typed content as its item, and mails the buyer. A draft delivers only
 * once. Throws NOT_FOUND, ITEM_FROZEN, and TRANSITION_REFUSED for a unit that is delivered, refunded or not paid, and
 * for a draft that was sent before with another content or unit. The last error tells whether a guess of the delivered
 * content is right, so it is limited: RATE_LIMITED.
 */
export async function deliverUnit(deps: Deps, delivery: DeliverUnit): Promise<void> {
  const guesses = ['delivery-guess', { user: delivery.actor.userId }] as const;
  if (delivery.draft) await deps.limits.assertLeft(...guesses);
  try {
    await deliver(deps, delivery);
  } catch (error) {
    if (isAppError(error, 'TRANSITION_REFUSED') && error.field === 'draft') await deps.limits.count(...guesses);
    throw error;
  }
}

function deliver(deps: Deps, { orderId, line, unit, content, draft, actor }: DeliverUnit): Promise<void> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (trx) => {
    const order = await lockOrderAsAdmin(trx, orderId, actor);
    const lines = await listManualLines(trx, orderId);
    const sent = draft ? await findItem(trx, draft) : undefined;
    if (draft && sent) {
      const isSameUnit = sent.order_line_id === line && sent.unit === unit && lines.some(({ id }) => id === line);
      const fingerprint = deps.cipher.fingerprintOfCopy({ itemId: draft, content });
      if (isSameUnit && fingerprint.equals(sent.content_hmac)) return;
      throw deliveredBefore();
    }
    const wanted = order.state === 'fulfilled' ? lines.find(({ id }) => id === line) : undefined;
    if (!wanted || !waitingNumbers(wanted).includes(unit)) {
      throw new AppError('TRANSITION_REFUSED', 'This unit is not waiting for delivery', 'unit');
    }
    await assertNotFrozen(trx, orderId);
    const { name, quantity, product_id: productId } = wanted;
    const item = newItem(deps, { id: draft, productId, lineId: line, unit, content, now });
    // The draft may have delivered a unit of another order at this moment.
    if (!(await insertItem(trx, item))) throw deliveredBefore();
    await followWaitingUnits(trx, orderId);
    await enqueueOrderMail(deps, trx, 'unit-delivered', order);
    const summary = `Delivered ${quantity > 1 ? `number ${unit} of ` : ''}“${name}”`;
    await writeOrderAudit(deps, trx, { actor, orderId, action: 'order.unit-delivered', summary });
  });
}

const deliveredBefore = () => sentBefore('TRANSITION_REFUSED', 'delivered a unit already, with the text of that time.');
