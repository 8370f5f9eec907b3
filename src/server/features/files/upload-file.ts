import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { PIECE_BYTES } from '../../../shared/delivery.ts';
import { AppError } from '../../../shared/errors.ts';
import { formatBytes } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import { BrokenSeal, fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ProductFileRow } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { lockProductsById } from '../catalog/products.queries.ts';
import { findProductName } from '../inventory/stock.queries.ts';
import {
  CHUNK_BYTES,
  type ChunkRow,
  type FileUpload,
  findCurrentFile,
  findUpload,
  insertFile,
  listChunks,
  lockUpload,
  publishVersion,
  removeUploads,
  saveChunks,
} from './files.queries.ts';

/** Begins a new version of a file, hidden until published. Deletes unfinished uploads. Throws NOT_FOUND. */
export async function startUpload(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { id, name, mediaType, bytes }: { id: string; name: string; mediaType: string; bytes: number },
): Promise<{ _id: string; pieces: number; pieceBytes: number }> {
  const _id = uuidv7();
  await db.transaction().execute(async (trx) => {
    await lockFileProduct(trx, id);
    await removeUploads(trx, id);
    const file = { id: _id, product_id: id, name, media_type: mediaType, bytes };
    await insertFile(trx, { ...file, created_at: clock.now() });
  });
  return { _id, pieces: Math.ceil(bytes / PIECE_BYTES), pieceBytes: PIECE_BYTES };
}

/** Encrypts and stores one piece. Throws NOT_FOUND, and VALIDATION_FAILED for another length or hash than announced. */
export async function savePiece(
  { db, cipher }: Pick<Deps, 'db' | 'cipher'>,
  { piece, sha256, content, ...upload }: FileUpload & { piece: number; sha256: string; content: Buffer },
): Promise<void> {
  const file = await findUpload(db, upload);
  if (!file) throw uploadGone();
  const begin = piece * PIECE_BYTES;
  if (content.length === 0 || content.length !== Math.min(PIECE_BYTES, file.bytes - begin)) {
    throw new AppError('VALIDATION_FAILED', 'The size of this piece does not fit the file', 'piece');
  }
  if (createHash('sha256').update(content).digest('hex') !== sha256) {
    throw new AppError('VALIDATION_FAILED', 'This piece was damaged on its way. Please send it again.', 'sha256');
  }
  const chunks: ChunkRow[] = [];
  for (let from = 0; from < content.length; from += CHUNK_BYTES) {
    const number = (begin + from) / CHUNK_BYTES;
    const clear = content.subarray(from, from + CHUNK_BYTES);
    const sealed = cipher.encryptChunk({ fileId: file.id, fileBytes: file.bytes, number, content: clear });
    chunks.push({ file_id: file.id, number, ...toColumns(sealed) });
  }
  const saved = await db.transaction().execute((trx) => saveChunks(trx, file.id, chunks));
  if (!saved) throw uploadGone();
}

/**
 * Reads the whole file back without a lock on the product, and publishes it as the version on sale. With `tellBuyers`,
 * a job mails earlier buyers. No effect if the version is on sale already, e.g. after a lost response. Throws
 * NOT_FOUND, and VALIDATION_FAILED while a piece is missing.
 */
export function publishFile(
  deps: Deps,
  { actor, tellBuyers = false, ...upload }: FileUpload & { actor: Actor; tellBuyers?: boolean | undefined },
): Promise<ProductFileRow> {
  return deps.db.transaction().execute(async (trx) => {
    const file = await lockUpload(trx, upload);
    if (!file) {
      const current = await findCurrentFile(trx, upload.id);
      if (current?.id === upload.fileId) return current;
      throw uploadGone();
    }
    const hash = createHash('sha256');
    const last = Math.ceil(file.bytes / CHUNK_BYTES) - 1;
    for (let from = 0; from <= last; from += CHUNKS_AT_ONCE) {
      const to = Math.min(last, from + CHUNKS_AT_ONCE - 1);
      const rows = await listChunks(trx, file.id, from, to);
      const clear = await decryptChunks(deps, file, { rows, from, to });
      if (!clear) throw new AppError('VALIDATION_FAILED', 'A piece of the file is missing. Please upload it again.');
      hash.update(clear);
    }
    const now = deps.clock.now();
    const published = await publishVersion(trx, { file, sha256: hash.digest(), tellsBuyers: tellBuyers, now });
    if (tellBuyers) await deps.jobs.enqueue(trx, 'tell-buyers', { fileId: published.id });
    const { name, bytes, version, sha256 } = published;
    const what = `version ${version}, ${formatBytes(bytes)}, SHA-256 ${sha256?.toString('hex')}`;
    const product = await findProductName(trx, upload.id);
    const notified = tellBuyers ? ', and had its buyers told' : '';
    const summary = `Published the file "${name}" of "${product}": ${what}${notified}`;
    const subject = { type: 'product' as const, id: upload.id };
    await writeAudit(deps, trx, { actor, action: 'file.published', subject, summary });
    return published;
  });
}

async function lockFileProduct(trx: Transaction, id: string) {
  const [product] = await lockProductsById(trx, [id]);
  if (product?.delivery !== 'file') throw new AppError('NOT_FOUND', 'Product not found');
  return product;
}

const uploadGone = () => new AppError('NOT_FOUND', 'This upload was cancelled. Please begin again.');

/** Chunks per statement. */
export const CHUNKS_AT_ONCE = 8;

/**
 * Decrypts the chunks `from` to `to`, both included. Returns undefined when one of them is not stored. Throws BrokenSeal
 * when a row was altered.
 */
export async function decryptChunks(
  { cipher }: Pick<Deps, 'cipher'>,
  { id, bytes }: Pick<ProductFileRow, 'id' | 'bytes'>,
  { rows, from, to }: { rows: ChunkRow[]; from: number; to: number },
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for (let number = from; number <= to; number += 1) {
    const row = rows[number - from];
    if (row?.number !== number) return undefined;
    const clear = await cipher.decryptChunk({ fileId: id, fileBytes: bytes, number, ...fromColumns(row) });
    if (clear.length !== Math.min(CHUNK_BYTES, bytes - number * CHUNK_BYTES)) {
      throw new BrokenSeal('The length of the chunk does not fit its position in the file');
    }
    chunks.push(clear);
  }
  return Buffer.concat(chunks);
}
