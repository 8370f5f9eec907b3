import { type Insertable, sql } from 'kysely';
import { type Database, firstRowOf, rowsOf, type Transaction } from '../../platform/database/open-database.ts';
import type { ProductFileRow, Tables } from '../../platform/database/tables.ts';
import { isCurrentFile } from '../inventory/stock.queries.ts';

export type ChunkRow = Tables['file_chunks'];

/** The published versions, newest first. */
export const listFileVersions = (db: Database, productId: string): Promise<ProductFileRow[]> =>
  db
    .selectFrom('product_files')
    .selectAll()
    .where('product_id', '=', productId)
    .where('published_at', 'is not', null)
    .orderBy('version', 'desc')
    .execute();

export const findCurrentFile = (db: Database, productId: string): Promise<ProductFileRow | undefined> =>
  db
    .selectFrom('product_files')
    .selectAll()
    .where('product_id', '=', productId)
    .where(isCurrentFile)
    .executeTakeFirst();

/** Finds a version that is being uploaded. */
export const findUpload = (db: Database, { id, fileId }: { id: string; fileId: string }) =>
  db
    .selectFrom('product_files')
    .selectAll()
    .where('id', '=', fileId)
    .where('product_id', '=', id)
    .where('published_at', 'is', null)
    .executeTakeFirst();

/** Locks an upload until the transaction ends, so that no piece is written meanwhile. */
export const lockUpload = (trx: Transaction, upload: { id: string; fileId: string }) =>
  firstRowOf<ProductFileRow>(trx)`
    SELECT * FROM product_files
    WHERE id = ${upload.fileId} AND product_id = ${upload.id} AND published_at IS NULL FOR UPDATE`;

export const insertFile = (trx: Transaction, file: Insertable<Tables['product_files']>) =>
  trx.insertInto('product_files').values(file).execute();

/** Deletes the unfinished uploads of a product, with their chunks. */
export const removeUploads = (trx: Transaction, productId: string) =>
  trx.deleteFrom('product_files').where('product_id', '=', productId).where('published_at', 'is', null).execute();

/** Returns false when the version was published or removed meanwhile. */
export async function saveChunks(trx: Transaction, fileId: string, chunks: ChunkRow[]): Promise<boolean> {
  const open = await firstRowOf(trx)`
    SELECT id FROM product_files WHERE id = ${fileId} AND published_at IS NULL FOR SHARE`;
  if (!open) return false;
  await trx
    .insertInto('file_chunks')
    .values(chunks)
    .onConflict((known) =>
      known
        .columns(['file_id', 'number'])
        .doUpdateSet((eb) => ({
          key_id: eb.ref('excluded.key_id'),
          nonce: eb.ref('excluded.nonce'),
          ciphertext: eb.ref('excluded.ciphertext'),
        })),
    )
    .execute();
  return true;
}

export const findChunk = (db: Database, fileId: string, number: number): Promise<ChunkRow | undefined> =>
  db
    .selectFrom('file_chunks')
    .select(['file_id', 'number', 'key_id', 'nonce', 'ciphertext'])
    .where('file_id', '=', fileId)
    .where('number', '=', number)
    .executeTakeFirst();

/** Makes an upload the version that is sold. The upload must be locked; a product has only one (startUpload). */
export async function publishVersion(
  trx: Transaction,
  { file, sha256, tellsBuyers, now }: { file: ProductFileRow; sha256: Buffer; tellsBuyers: boolean; now: Date },
): Promise<ProductFileRow> {
  await sql`
    UPDATE product_files SET superseded_at = ${now}
    WHERE product_id = ${file.product_id} AND ${isCurrentFile}`.execute(trx);
  const [published] = await rowsOf<ProductFileRow>(trx)`
    UPDATE product_files SET sha256 = ${sha256}, published_at = ${now}, tells_buyers = ${tellsBuyers}, version = 1 + (
      SELECT coalesce(max(version), 0) FROM product_files WHERE product_id = ${file.product_id})
    WHERE id = ${file.id} RETURNING *`;
  return published as ProductFileRow;
}
