import { sql } from 'kysely';
import { DEFAULT_CLOSED_MESSAGE } from '../../../shared/content.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { type Database, firstRowOf, hasRow, type Transaction } from '../../platform/database/database.ts';
import type { ClosedRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { createResponseCache } from '../../platform/http/response-cache.ts';
import type { Route } from '../../platform/http/route.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { maskTyped } from '../inventory/mask-secrets.ts';

/** A column for statements of the checkout: the message to buyers while the shop is closed, null while it is open. */
export const closedMessage = sql<string | null>`(SELECT message FROM shop_closed)`;

/** Undefined while the shop is open. */
export const findClosed = (db: Database) => firstRowOf<ClosedRow>(db)`SELECT since, reason, message FROM shop_closed`;

/** Closes the shop. If it is closed already, `since` is kept. */
export const putClosed = (trx: Transaction, { since, reason, message }: ClosedRow) =>
  sql`
    INSERT INTO shop_closed (since, reason, message) VALUES (${since}, ${reason}, ${message})
    ON CONFLICT (is_only) DO UPDATE SET reason = excluded.reason, message = excluded.message`.execute(trx);

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
    if (!(await hasRow(trx)`DELETE FROM shop_closed RETURNING since`)) return;
    await writeAudit(deps, trx, { actor, action: 'shop.opened', subject, summary: `Opened the shop: ${reason}` });
  });
}

const RETRY_AFTER_SECONDS = 300;

/** Throws SHOP_CLOSED if `closedMessage` returned a message. */
export function assertOpen(message: string | null | undefined): void {
  if (typeof message !== 'string') return;
  throw new AppError('SHOP_CLOSED', message, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

export type ClosedText = ReturnType<typeof createClosedText>;

/** Returns a function that reads the message to buyers; null while the shop is open. */
export function createClosedText({ readDb, clock }: Pick<Deps, 'readDb' | 'clock'>) {
  const cached = createResponseCache(clock);
  return () => cached('closed', async () => ({ data: { text: (await findClosed(readDb))?.message ?? null } }));
}

export function closingRoutes(route: Route, deps: Deps, closedText: ClosedText): void {
  route('GET /shop/closed', closedText);

  route('GET /admin/shop/closed', async () => {
    const closed = await findClosed(deps.db);
    return { data: closed ? { ...closed, since: closed.since.toISOString() } : null };
  });

  route('POST /admin/shop/close', async ({ body, actor }) => {
    const reason = await maskTyped(deps, actor, body.reason);
    const message = body.message && (await maskTyped(deps, actor, body.message));
    return closeShop(deps, { reason, message, actor });
  });
  route('POST /admin/shop/open', async ({ body, actor }) =>
    openShop(deps, { reason: await maskTyped(deps, actor, body.reason), actor }),
  );
}
