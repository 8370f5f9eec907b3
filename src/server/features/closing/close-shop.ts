import { DEFAULT_CLOSED_MESSAGE } from '../../../shared/content.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.queries.ts';
import { deleteClosed, putClosed } from './closing.queries.ts';

type ClosingDeps = Pick<Deps, 'db' | 'cipher' | 'clock'>;

const subject = { type: 'shop', id: 'closed' } as const;

/** Closes the shop: after the commit no process begins a payment. Called again, changes reason and message. */
export async function closeShop(
  deps: ClosingDeps,
  { reason, message = DEFAULT_CLOSED_MESSAGE, actor }: { reason: string; message?: string | undefined; actor: Actor },
): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    await putClosed(trx, { since: deps.clock.now(), reason, message });
    const summary = `Closed the shop: ${reason}. Buyers read: ${message}`;
    await writeAudit(deps, trx, { actor, action: 'shop.closed', subject, summary });
  });
}

/** Opens the shop; has no effect while it is open. */
export async function openShop(deps: ClosingDeps, { reason, actor }: { reason: string; actor: Actor }): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    if (!(await deleteClosed(trx))) return;
    await writeAudit(deps, trx, { actor, action: 'shop.opened', subject, summary: `Opened the shop: ${reason}` });
  });
}

const RETRY_AFTER_SECONDS = 300;

/** Throws SHOP_CLOSED if `closedMessage` returned a message. */
export function assertOpen(message: string | null | undefined): void {
  if (typeof message !== 'string') return;
  throw new AppError('SHOP_CLOSED', message, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
