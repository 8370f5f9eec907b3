import { v7 as uuidv7 } from 'uuid';
import { DAY_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { formatShopDay, shopDayOf } from '../../../shared/format.ts';
import type { DeliveredItems, DeliveredUnit } from '../../../shared/orders.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { ItemRow, OrderLineRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { missingNumbers, readAnswers, waitingNumbers } from '../delivery/delivery.queries.ts';
import {
  downloadsLeft,
  findCurrentFile,
  findGrants,
  findSoldFile,
  insertGrant,
  lastMoment,
  readDownloads,
  renewToken,
} from '../files/files.queries.ts';
import type { DownloadGrant } from '../files/send-file.ts';
import { listSoldItems, recordReveals } from '../inventory/inventory.queries.ts';
import { readItem } from '../inventory/item-actions.ts';
import { assertNotFrozen, findRefusal } from './freezes.queries.ts';
import {
  assertItemsOpen,
  orderStatusOf,
  presentRefund,
  refundStatusOf,
  returnedQuantityOf,
  warrantyEnd,
} from './order-status.ts';
import {
  assertOwnOrder,
  type FullOrder,
  listAllUnits,
  lockOrder,
  type OrderLine,
  readFullOrder,
} from './orders.queries.ts';

interface Reveal {
  orderId: string;
  userId: string | null;
  client: Client;
}

/**
 * Decrypts the items of an order for its buyer and records each reveal in the same transaction: no secret leaves
 * without a record. Throws NOT_FOUND also for another's order, RATE_LIMITED and ITEM_NOT_AVAILABLE (or unpaid).
 */
export async function revealItems(deps: Deps, input: Reveal & { userId: string }): Promise<DeliveredItems> {
  const { orderId, userId } = input;
  await deps.limits.count('reveal', { user: userId });
  await assertOwnOrder(deps.db, orderId, userId);
  const units = (await listAllUnits(deps.db, orderId)).reduce((sum, line) => sum + line.units, 0);
  await deps.limits.count('revealed-units', { user: userId }, units);
  return revealOrder(deps, input);
}

/** Does the same after the caller has checked access. `userId` is null when a mailed code opened the order. */
export function revealOrder(deps: Deps, { orderId, userId, client }: Reveal): Promise<DeliveredItems> {
  return deps.db.transaction().execute(async (trx) => {
    const inTransaction = { ...deps, db: trx };
    // Under the lock, a concurrent refund or freeze commits first, or sees that the items were seen.
    const order = await readFullOrder(trx, await lockOrder(trx, orderId));
    const at = deps.clock.now();
    assertItemsOpen(order, at);
    const isDelivered = order.state === 'fulfilled';
    const items = isDelivered ? await listSoldItems(trx, orderId) : [];
    // A file counts as seen when its download is granted, not here.
    const fileLines = new Set(order.lines.filter(({ delivery }) => delivery === 'file').map(({ id }) => id));
    const files = fileLines.size > 0 ? await readDownloads(trx, orderId) : new Map<string, never>();
    const refusal = isDelivered ? await findRefusal(trx, orderId) : null;
    const open = async (item: SoldItem): Promise<OpenedItem> => {
      const refused = item.first_viewed_at === null ? refusal : null;
      const isClosed = refused !== null || fileLines.has(item.order_line_id ?? '');
      const content = isClosed ? null : await readItem(inTransaction, item);
      return { item, content, file: files.get(item.id) ?? null, refusal: refused };
    };
    const opened = await Promise.all(items.map(open));
    const answers = await readAnswers(inTransaction, orderId);
    const seen = opened.filter(({ content }) => content !== null);
    const by = { order_id: orderId, user_id: userId, ip: client.ip, user_agent: client.userAgent, at };
    await recordReveals(
      trx,
      seen.map(({ item }) => ({ item_id: item.id, ...by })),
    );
    const digital = order.lines.filter(({ kind }) => kind === 'digital');
    return {
      orderId,
      orderDate: order.created_at.toISOString(),
      status: orderStatusOf(order),
      refundStatus: refundStatusOf(order),
      refunds: order.refunds.map((refund) => presentRefund(refund, order.lines)),
      items: digital.map((line) => ({
        ...presentLineWithItems(order, line, opened),
        answers: answers.get(line.id) ?? [],
      })),
    };
  });
}

type SoldItem = Awaited<ReturnType<typeof listSoldItems>>[number];
type OpenedItem = Pick<DeliveredUnit, 'content' | 'file' | 'refusal'> & { item: SoldItem };

function presentLineWithItems(order: FullOrder, line: OrderLine, opened: readonly OpenedItem[]) {
  const delivered = opened.filter(({ item }) => item.order_line_id === line.id);
  const numbers = delivered.flatMap(({ item }) => item.unit ?? []);
  const waits = line.delivery === 'manual' && order.state === 'fulfilled';
  const returnedQuantity = returnedQuantityOf(order, line);
  return {
    line: line.id,
    productName: line.name,
    image: line.image,
    category: line.category,
    productType: line.kind,
    quantity: line.quantity,
    returnedQuantity,
    returnedNumbers: missingNumbers(line.quantity, numbers).slice(0, returnedQuantity),
    waitingNumbers: waits ? waitingNumbers({ ...line, delivered: numbers }) : [],
    region: line.region,
    platform: line.platform,
    deliveryInstructions: line.delivery_instructions,
    warranty: line.warranty_days,
    items: delivered.map(({ item, ...shown }) => ({
      id: item.id,
      number: item.unit ?? 1,
      isReplacement: item.is_replacement,
      ...shown,
      viewed: item.first_viewed_at !== null,
      deliveredAt: (item.delivered_at ?? order.created_at).toISOString(),
      warrantyUntil: warrantyOf(line, item)?.toISOString() ?? null,
    })),
  };
}

const warrantyOf = ({ warranty_days: days }: OrderLineRow, { delivered_at: deliveredAt }: ItemRow): Date | null =>
  deliveredAt && days > 0 ? warrantyEnd(deliveredAt, days) : null;

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
    // Under the lock, a concurrent refund commits first, or sees that the file was downloaded.
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
