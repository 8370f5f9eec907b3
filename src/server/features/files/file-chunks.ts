import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/item-cipher.ts';
import type { ProductFileRow } from '../../platform/database/tables.ts';
import { type ChunkRow, findChunk } from './files.queries.ts';

/**
 * Bytes of a chunk before encryption; only the last chunk of a file is smaller. Must divide PIECE_BYTES. Small chunks
 * are collected as young garbage: with 256 KiB the process needed 50 MB more (npm run bench:downloads).
 */
export const CHUNK_BYTES = 16 * 1024;

/** Chunks per statement. */
export const CHUNKS_AT_ONCE = 8;

type StoredFile = Pick<ProductFileRow, 'id' | 'bytes'>;

/** Decrypts a chunk; undefined when it is not stored. Throws BrokenSeal when its row was altered. */
export async function openChunk(
  { db, cipher }: Pick<Deps, 'db' | 'cipher'>,
  file: StoredFile,
  number: number,
): Promise<Buffer | undefined> {
  const row = await findChunk(db, file.id, number);
  return row && decryptChunk({ cipher }, file, row);
}

export async function decryptChunk(
  { cipher }: Pick<Deps, 'cipher'>,
  { id, bytes }: StoredFile,
  { number, key_id: keyId, nonce, ciphertext }: ChunkRow,
): Promise<Buffer> {
  const clear = await cipher.decryptChunk({ fileId: id, fileBytes: bytes, number, keyId, nonce, ciphertext });
  if (clear.length === Math.min(CHUNK_BYTES, bytes - number * CHUNK_BYTES)) return clear;
  throw new BrokenSeal('The length of the chunk does not fit its position in the file');
}
