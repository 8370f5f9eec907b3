import { v7 as uuidv7 } from 'uuid';
import { DAY_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { formatShopDay, shopDayOf } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Client } from '../../platform/http/client.ts';
import {
  downloadsLeft,
  findCurrentFile,
  findGrants,
  findSoldFile,
  insertGrant,
  lastMoment,
  renewToken,
} from '../files/files.queries.ts';
import type { DownloadGrant } from '../files/send-file.ts';
import { recordReveals } from '../inventory/inventory.queries.ts';
import { assertItemsOpen } from './order-status.ts';
import { lockOrder } from './orders.queries.ts';
import { assertOwnOrder } from './own-orders.queries.ts';
import { assertNotFrozen } from './unfreeze-order.ts';

const GRANT_MS = DAY_MS;

interface AskForDownload {
  orderId: string;
  itemId: string;
  /** Null when a mailed code opened the order. */
  userId: string | null;
  /** The session, or the lookup by a mailed code. The grant ends with it. */
  sessionId: string;
  client: Client;
}

/** Grants a download to a signed-in buyer. Throws NOT_FOUND, RATE_LIMITED, and what grantToSession throws. */
export async function grantDownload(deps: Deps, input: AskForDownload & { userId: string }): Promise<DownloadGrant> {
  await deps.limits.count('reveal', { user: input.userId });
  await assertOwnOrder(deps.db, input.orderId, input.userId);
  return grantToSession(deps, input);
}

/**
 * Lets a session download the newest version of a file for 24 hours. The caller must have checked access. A session
 * that asks again gets the same grant with a new token, which does not count as another download. Each new grant is a
 * reveal in the ledger. Throws NOT_FOUND, ITEM_FROZEN, and ITEM_NOT_AVAILABLE after the last download or the last day.
 */
export async function grantToSession(deps: Deps, input: AskForDownload): Promise<DownloadGrant> {
  const { orderId, userId, sessionId, client } = input;
  const token = randomToken();
  const tokenHash = hashToken(token);
  return deps.db.transaction().execute(async (trx) => {
    // With the lock, a concurrent refund either commits first, and nothing is granted, or sees that the file was
    // downloaded.
    const order = await lockOrder(trx, orderId);
    const now = deps.clock.now();
    assertItemsOpen(order, now);
    const item = order.state === 'fulfilled' ? await findSoldFile(trx, input) : undefined;
    const file = item && (await findCurrentFile(trx, item.productId));
    if (!item || !file) throw new AppError('NOT_FOUND', 'There is no such file');
    const until = lastMoment(item);
    if (until && until <= now) {
      throw new AppError(
        'ITEM_NOT_AVAILABLE',
        `This file could be downloaded until ${formatShopDay(shopDayOf(until))}`,
      );
    }
    if (!item.seen) await assertNotFrozen(trx, orderId);
    const grants = await findGrants(trx, { itemId: item.itemId, fileId: file.id });
    const own = grants.find((grant) => grant.session_id === sessionId && grant.expires_at > now);
    if (own) {
      await renewToken(trx, own.id, tokenHash);
      return { id: own.id, token, expiresAt: own.expires_at, downloadsLeft: downloadsLeft(item.limit, grants.length) };
    }
    if (downloadsLeft(item.limit, grants.length) === 0) {
      throw new AppError('ITEM_NOT_AVAILABLE', 'All downloads of this file are used. Please contact support.');
    }
    const grant = { id: uuidv7(), item_id: item.itemId, file_id: file.id, session_id: sessionId, created_at: now };
    const expiresAt = new Date(now.getTime() + GRANT_MS);
    await insertGrant(trx, { ...grant, token_hash: tokenHash, expires_at: expiresAt });
    const by = { user_id: userId, ip: client.ip, user_agent: client.userAgent };
    await recordReveals(trx, [{ item_id: item.itemId, order_id: orderId, ...by, at: now }]);
    return { id: grant.id, token, expiresAt, downloadsLeft: downloadsLeft(item.limit, grants.length + 1) };
  });
}
