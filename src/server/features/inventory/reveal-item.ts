import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Client } from '../../platform/http/client.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { findSecretBesideSession } from '../authenticators/authenticators.queries.ts';
import { acceptCode } from '../authenticators/codes.ts';
import { insertReveals } from './inventory.queries.ts';
import { openItem } from './open-item.ts';
import { findStockItem, type StockItem } from './stock.queries.ts';

export interface RevealItem {
  productId: string;
  itemId: string;
  userId: string;
  sessionId: string;
  /** Of the administrator's authenticator, at this moment. */
  code: string;
  reason: string;
  actor: Actor;
  client: Client;
}

/**
 * One secret in clear, for an administrator who proves with a code that it is them, as when signing in, and says why.
 * Nothing is answered that is not in the ledger and in the audit log; to its buyer it stays unseen. Throws NOT_FOUND,
 * TWO_FACTOR_NOT_SET_UP, INVALID_CODE, RATE_LIMITED.
 */
export async function revealItem(
  deps: Deps,
  { productId, itemId, userId, sessionId, code, reason, actor, client }: RevealItem,
): Promise<string> {
  const item = await findStockItem(deps.db, { productId, itemId });
  if (!item) throw new AppError('NOT_FOUND', 'Item not found');
  await assertProvenBy(deps, { userId, sessionId });
  return deps.limits.countFailures('admin-reveal', { session: sessionId }, () =>
    deps.db.transaction().execute(async (trx) => {
      if (!(await acceptCode(deps, trx, { userId, code }))) {
        throw new AppError('INVALID_CODE', 'Invalid 2FA code');
      }
      const content = await openItem(deps, item);
      await insertReveals(trx, [
        {
          ...{ item_id: itemId, order_id: orderOf(item), user_id: userId, reason },
          ...{ ip: client.ip, user_agent: client.userAgent, at: deps.clock.now() },
        },
      ]);
      await writeAudit(deps, trx, {
        actor,
        action: 'item.revealed',
        subject: { type: 'item', id: itemId },
        summary: `Read an item of "${item.product_name}": ${reason}`,
      });
      return content;
    }),
  );
}

/** Whoever has come by a session could set up an authenticator of their own in it: so it must have begun with a code. */
async function assertProvenBy(
  { db }: Pick<Deps, 'db'>,
  session: Pick<RevealItem, 'userId' | 'sessionId'>,
): Promise<void> {
  const { enabledAt, signedInAt } = (await findSecretBesideSession(db, session)) ?? {};
  if (enabledAt && signedInAt && enabledAt < signedInAt) return;
  throw new AppError(
    'TWO_FACTOR_NOT_SET_UP',
    enabledAt
      ? 'Two-factor authentication was set up after you signed in: please sign in again with a code first'
      : 'Please set up two-factor authentication in your profile first: reading an item needs a code',
  );
}

// An order that only holds it may never come to be.
const orderOf = ({ state, order_id }: StockItem) =>
  state === 'held' || state === 'allocated' ? null : order_id;
