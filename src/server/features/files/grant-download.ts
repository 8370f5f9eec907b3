import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import { formatShopDay, shopDayOf } from '../../../shared/format.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { Client } from '../../platform/http/client.ts';
import { recordReveals } from '../inventory/inventory.queries.ts';
import { assertItemsOpen } from '../orders/order-status.ts';
import { findOrder, lockOrder } from '../orders/orders.queries.ts';
import { findCurrentFile } from './files.queries.ts';
import { findGrants, findSoldFile, insertGrant, listDownloads, renewToken } from './grants.queries.ts';

type DownloadableFile = NonNullable<DeliveredItems['items'][number]['items'][number]['file']>;

const GRANT_MS = 24 * 60 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

export interface DownloadGrant {
  id: string;
  /** For a cookie of the browser that asked; only its hash is stored. */
  token: string;
  expiresAt: Date;
  /** Null without a limit. */
  downloadsLeft: number | null;
}

interface AskForDownload {
  orderId: string;
  itemId: string;
  /** Null when a mailed code opened the order. */
  userId: string | null;
  /** What the grant ends with: a session, or the lookup of a mailed code. */
  sessionId: string;
  client: Client;
}

/** Grants a buyer who is signed in. Throws NOT_FOUND, and what grantToSession throws. */
export async function grantDownload(deps: Deps, input: AskForDownload & { userId: string }): Promise<DownloadGrant> {
  await deps.limits.count('reveal', { user: input.userId });
  const found = await findOrder(deps.db, input.orderId);
  if (found?.user_id !== input.userId) throw new AppError('NOT_FOUND', 'Order not found');
  return grantToSession(deps, input);
}

/**
 * Lets a session download the newest version of a file for 24 hours, after the caller has checked access. Counts once: asked
 * again, the session gets its grant with a new token. Each grant is a reveal in the ledger. Throws NOT_FOUND, and
 * ITEM_NOT_AVAILABLE after the last download or day.
 */
export async function grantToSession(deps: Deps, input: AskForDownload): Promise<DownloadGrant> {
  const { orderId, userId, sessionId, client } = input;
  const token = randomToken();
  const tokenHash = hashToken(token);
  return deps.db.transaction().execute(async (trx) => {
    // Locked, so that a refund either comes first and nothing is granted, or knows that this was downloaded.
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
    const grants = await findGrants(trx, { itemId: item.itemId, fileId: file.id });
    const leftAfter = (count: number) => (item.limit === null ? null : Math.max(0, item.limit - count));
    const own = grants.find((grant) => grant.session_id === sessionId && grant.expires_at > now);
    if (own) {
      await renewToken(trx, own.id, tokenHash);
      return { id: own.id, token, expiresAt: own.expires_at, downloadsLeft: leftAfter(grants.length) };
    }
    if (leftAfter(grants.length) === 0) {
      throw new AppError('ITEM_NOT_AVAILABLE', 'All downloads of this file are used. Please contact support.');
    }
    const grant = { id: uuidv7(), item_id: item.itemId, file_id: file.id, session_id: sessionId, created_at: now };
    const expiresAt = new Date(now.getTime() + GRANT_MS);
    await insertGrant(trx, { ...grant, token_hash: tokenHash, expires_at: expiresAt });
    const by = { user_id: userId, ip: client.ip, user_agent: client.userAgent };
    await recordReveals(trx, [{ item_id: item.itemId, order_id: orderId, ...by, at: now }]);
    return { id: grant.id, token, expiresAt, downloadsLeft: leftAfter(grants.length + 1) };
  });
}

/** The files of an order as its page shows them, by the ids of their items. */
export async function readDownloads(db: Database, orderId: string): Promise<Map<string, DownloadableFile>> {
  const files = await listDownloads(db, orderId);
  return new Map(
    files.map(({ itemId, name, bytes, version, used, hadOther, ...sold }) => [
      itemId,
      {
        ...{ name, bytes, version },
        isNewVersion: hadOther && used === 0,
        downloadsLeft: sold.limit === null ? null : Math.max(0, sold.limit - used),
        until: lastMoment(sold)?.toISOString() ?? null,
      },
    ]),
  );
}

/** When the downloads of an item end; null when they do not. */
const lastMoment = ({ deliveredAt, days }: { deliveredAt: Date; days: number | null }): Date | null =>
  days === null ? null : new Date(deliveredAt.getTime() + days * DAY_MS);
