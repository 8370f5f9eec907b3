import { sentBefore } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { normalizeImage } from '../catalog/normalize-image.ts';
import { findPicture, insertMessage, insertPicture, type MessageRow } from './problem-reports.queries.ts';

export interface SentMessage {
  text: string;
  /** Idempotency key that the form chooses once. */
  draft: string;
}

export interface BuyerMessage extends SentMessage {
  /** In base64. */
  picture?: string | undefined;
}

/** Returns the picture of a message, re-encoded. Throws IMAGE_REFUSED, BUSY. */
export const preparePicture = async ({ picture }: BuyerMessage): Promise<Buffer | undefined> =>
  picture === undefined ? undefined : (await normalizeImage(Buffer.from(picture, 'base64'))).content;

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

/**
 * Throws REPORT_REFUSED unless a repeated message equals the stored one. A picture that was deleted since counts as
 * equal.
 */
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
