import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { AppError, sentBefore } from '../../../shared/errors.ts';
import type { Problem } from '../../../shared/problem-reports.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import { normalizeImage } from '../catalog/normalize-image.ts';
import { insertNotice } from '../notices/notices.queries.ts';
import { findItemAndLine, withoutSecrets } from '../orders/admin-orders.queries.ts';
import { isUnderWarranty } from '../orders/order-status.ts';
import { assertOwnOrder, findOrder, lockOwnOrder } from '../orders/orders.queries.ts';
import {
  countBuyerMessages,
  findPicture,
  findReport,
  hasOpenReport,
  type ItemReport,
  insertMessage,
  insertPicture,
  insertReport,
  listMessages,
  type MessageRow,
  updateReport,
} from './problem-reports.queries.ts';

type BuyerMessage = BodyOf<'POST /problem-reports/:id/messages'> & { userId: string };

/** Messages of the buyer in one report. */
export const MAX_BUYER_MESSAGES = 20;

const refused = (message: string) => new AppError('REPORT_REFUSED', message);

/** Returns a report on an order of the user. Throws NOT_FOUND otherwise. */
export async function getOwnReport(db: Database, id: string, userId: string): Promise<ItemReport> {
  const report = await findReport(db, id);
  if (!report || (await findOrder(db, report.order_id))?.user_id !== userId) {
    throw new AppError('NOT_FOUND', 'Problem report not found');
  }
  return report;
}

/**
 * Reports a delivered item under warranty, for its buyer. A draft makes only one report. Throws NOT_FOUND,
 * RATE_LIMITED, IMAGE_REFUSED, BUSY, and REPORT_REFUSED when it cannot be reported (now) or the draft had other values.
 */
export async function reportProblem(
  deps: Deps,
  input: BuyerMessage & { orderId: string; itemId: string; problem: Problem },
): Promise<void> {
  const { userId, orderId, itemId, problem, text, draft } = input;
  await assertOwnOrder(deps.db, orderId, userId);
  await deps.limits.count('problem-report', { user: userId });
  const picture = await preparePicture(deps, input);
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    const order = await lockOwnOrder(trx, orderId, userId);
    const masked = async () => ({ text: await withoutSecrets(deps, trx, { orderId, text }), picture });
    const sent = await findReport(trx, draft);
    if (sent) {
      const [first] = await listMessages(trx, [draft]);
      const isSame = sent.order_id === orderId && sent.item_id === itemId && sent.problem === problem;
      if (!first || !isSame) throw messageSentBefore();
      return assertSameMessage(deps, trx, first, await masked());
    }
    await assertReportable(trx, order, itemId, now);
    const report = { id: draft, order_id: orderId, item_id: itemId, problem, opened_at: now, waiting_since: now };
    if (!(await insertReport(trx, report))) throw messageSentBefore();
    await writeMessage(deps, trx, { id: uuidv7(), reportId: draft, userId: null, ...(await masked()) });
    await notifyOwnerOf(trx, draft, now);
  });
}

async function assertReportable(trx: Transaction, order: OrderRow, itemId: string, now: Date): Promise<void> {
  const found = await findItemAndLine(trx, order.id, itemId);
  if (!found) throw new AppError('NOT_FOUND', 'Item not found', 'item');
  if (!isUnderWarranty(order, found.line, found.item, now)) {
    throw refused('Only a delivered item under warranty can be reported');
  }
  if (await hasOpenReport(trx, itemId)) throw refused('You have reported this item already');
}

/**
 * Adds a message of the buyer. A draft writes only one message. Returns the id of the order. Throws like reportProblem.
 */
export async function replyToShop(deps: Deps, input: BuyerMessage & { reportId: string }): Promise<string> {
  const { userId, reportId, text, draft } = input;
  const { order_id: orderId } = await getOwnReport(deps.db, reportId, userId);
  await deps.limits.count('report-message', { user: userId });
  const picture = await preparePicture(deps, input);
  await deps.db.transaction().execute(async (trx) => {
    await lockOwnOrder(trx, orderId, userId);
    const message = { text: await withoutSecrets(deps, trx, { orderId, text }), picture };
    const sent = (await listMessages(trx, [reportId])).find(({ id }) => id === draft);
    if (sent) return assertSameMessage(deps, trx, sent, message);
    const { waiting_since } = await getUnclosed(trx, reportId);
    if ((await countBuyerMessages(trx, reportId)) >= MAX_BUYER_MESSAGES) {
      throw refused(`You have written ${MAX_BUYER_MESSAGES} messages. Please wait for the shop's decision.`);
    }
    await writeMessage(deps, trx, { id: draft, reportId, userId: null, ...message });
    // The deadline for the shop's answer counts from the first unanswered message.
    if (waiting_since !== null) return;
    const now = deps.clock.now();
    await updateReport(trx, reportId, { waiting_since: now });
    await notifyOwnerOf(trx, reportId, now);
  });
  return orderId;
}

/** Writes a notice each time that a report begins to wait for the shop. */
const notifyOwnerOf = (trx: Transaction, id: string, since: Date) =>
  insertNotice(trx, { kind: 'problem-report', subject: `${id} since ${since.toISOString()}`, aboutId: id }, since);

/** Closes a report for its buyer, and returns the id of the order. Throws NOT_FOUND, and REPORT_REFUSED if closed. */
export async function withdrawReport(deps: Deps, { userId, reportId }: { userId: string; reportId: string }) {
  const { order_id: orderId } = await getOwnReport(deps.db, reportId, userId);
  await deps.db.transaction().execute(async (trx) => {
    await lockOwnOrder(trx, orderId, userId);
    await getUnclosed(trx, reportId);
    const now = deps.clock.now();
    await updateReport(trx, reportId, { waiting_since: null, closed_at: now, outcome: 'withdrawn' });
  });
  return orderId;
}

/** Returns the current report, whose order must be locked. Throws REPORT_REFUSED when it is closed. */
export async function getUnclosed(trx: Transaction, id: string): Promise<ItemReport> {
  const report = await findReport(trx, id);
  if (!report || report.closed_at !== null) throw refused('This problem report is closed');
  return report;
}

/** Returns the picture of a message, re-encoded. Throws RATE_LIMITED, IMAGE_REFUSED, BUSY. */
async function preparePicture(
  { limits }: Pick<Deps, 'limits'>,
  { userId, picture }: BuyerMessage,
): Promise<Buffer | undefined> {
  if (picture === undefined) return undefined;
  await limits.count('report-picture', { user: userId });
  return (await normalizeImage(Buffer.from(picture, 'base64'), userId)).content;
}

/** Encrypts and stores a message. The order must be locked. Throws REPORT_REFUSED when the id is taken. */
export async function writeMessage(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  message: { id: string; reportId: string; userId: string | null; text: string; picture?: Buffer | undefined },
): Promise<void> {
  const { id, reportId, userId, text, picture } = message;
  const at = deps.clock.now();
  const seal = (part: 'text' | 'picture', content: Uint8Array) =>
    toColumns(deps.cipher.encryptReported({ part, messageId: id, content }));
  const about = { id, report_id: reportId, user_id: userId, has_picture: picture !== undefined, at };
  if (!(await insertMessage(trx, { ...about, ...seal('text', Buffer.from(text)) }))) throw messageSentBefore();
  if (picture) await insertPicture(trx, { message_id: id, ...seal('picture', picture), at });
}

export const messageSentBefore = () =>
  sentBefore('REPORT_REFUSED', 'sent this already, with another text. You can add another message.');

/** Throws REPORT_REFUSED unless a repeated message equals the stored one; a deleted picture counts as equal. */
export async function assertSameMessage(
  { cipher }: Pick<Deps, 'cipher'>,
  trx: Transaction,
  stored: MessageRow,
  { text, picture }: { text: string; picture?: Buffer | undefined },
): Promise<void> {
  const { id, report_id: reportId } = stored;
  const holds = async (part: 'text' | 'picture', row: Tables['report_pictures'] | MessageRow, content: Buffer) =>
    (await cipher.decryptReported({ part, messageId: id, ...fromColumns(row) })).equals(content);
  const kept = picture && (await findPicture(trx, { reportId, messageId: id }));
  const isSame =
    stored.has_picture === (picture !== undefined) &&
    (await holds('text', stored, Buffer.from(text))) &&
    (!kept || (await holds('picture', kept, picture)));
  if (!isSame) throw messageSentBefore();
}
