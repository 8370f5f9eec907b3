import { type Insertable, type Selectable, sql } from 'kysely';
import { DAY_MS } from '../../../shared/durations.ts';
import type { DeliveredUnit } from '../../../shared/orders.ts';
import {
  type Database,
  firstRowOf,
  hasRow,
  rowOf,
  rowsOf,
  type Transaction,
} from '../../platform/database/database.ts';
import type { ProductFileRow, Tables } from '../../platform/database/tables.ts';
import { isCurrentFile } from '../inventory/stock.queries.ts';

export type ChunkRow = Tables['file_chunks'];

export const listFileVersions = (db: Database, productId: string) => rowsOf<ProductFileRow>(db)`
  SELECT * FROM product_files WHERE product_id = ${productId} AND published_at IS NOT NULL ORDER BY version DESC`;

export const findCurrentFile = (db: Database, productId: string) => firstRowOf<ProductFileRow>(db)`
  SELECT * FROM product_files WHERE product_id = ${productId} AND ${isCurrentFile}`;

/** An unfinished upload, by the ids of its product and of itself. */
export type FileUpload = { id: string; fileId: string };

const uploadRow = ({ id, fileId }: FileUpload) => sql`
  SELECT * FROM product_files WHERE id = ${fileId} AND product_id = ${id} AND published_at IS NULL`;

export const findUpload = (db: Database, upload: FileUpload) => firstRowOf<ProductFileRow>(db)`${uploadRow(upload)}`;

/** Locks an upload until the transaction ends, so that no piece is written meanwhile. */
export const lockUpload = (trx: Transaction, upload: FileUpload) =>
  firstRowOf<ProductFileRow>(trx)`${uploadRow(upload)} FOR UPDATE`;

export const insertFile = (trx: Transaction, file: Insertable<Tables['product_files']>) =>
  trx.insertInto('product_files').values(file).execute();

/** Deletes the unfinished uploads of a product, with their chunks. */
export const removeUploads = (trx: Transaction, productId: string) =>
  trx.deleteFrom('product_files').where('product_id', '=', productId).where('published_at', 'is', null).execute();

/** Returns false when the version was published or removed meanwhile. */
export async function saveChunks(trx: Transaction, fileId: string, chunks: ChunkRow[]): Promise<boolean> {
  const isOpen = await hasRow(trx)`
    SELECT FROM product_files WHERE id = ${fileId} AND published_at IS NULL FOR SHARE`;
  if (!isOpen) return false;
  await sql`
    ${trx.insertInto('file_chunks').values(chunks)}
    ON CONFLICT (file_id, number) DO UPDATE
    SET key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext`.execute(trx);
  return true;
}

/** Returns the stored chunks `from` to `to`, both included. */
export const listChunks = (db: Database, fileId: string, from: number, to: number) => rowsOf<ChunkRow>(db)`
  SELECT file_id, number, key_id, nonce, ciphertext FROM file_chunks
  WHERE file_id = ${fileId} AND number BETWEEN ${from} AND ${to} ORDER BY number`;

/**
 * Makes an upload the version that is sold. The upload must be locked; a product has only one (startUpload). The clock of
 * the process that published the version before may be ahead.
 */
export async function publishVersion(
  trx: Transaction,
  { file, sha256, tellsBuyers, now }: { file: ProductFileRow; sha256: Buffer; tellsBuyers: boolean; now: Date },
): Promise<ProductFileRow> {
  await sql`
    UPDATE product_files SET superseded_at = greatest(published_at, ${now}::timestamptz)
    WHERE product_id = ${file.product_id} AND ${isCurrentFile}`.execute(trx);
  return rowOf<ProductFileRow>(trx)`
    UPDATE product_files SET sha256 = ${sha256}, published_at = ${now}, tells_buyers = ${tellsBuyers}, version = 1 + (
      SELECT coalesce(max(version), 0) FROM product_files WHERE product_id = ${file.product_id})
    WHERE id = ${file.id} RETURNING *`;
}

interface SoldFile {
  itemId: string;
  productId: string;
  deliveredAt: Date;
  limit: number | null;
  days: number | null;
}

const listDownloads = (db: Database, orderId: string) => rowsOf<
  Omit<SoldFile, 'productId'> &
    Pick<ProductFileRow, 'name' | 'bytes'> & {
      version: number;
      /** Number of grants of this version. `hadOther`: whether there are grants of another version. */
      used: number;
      hadOther: boolean;
    }
>(db)`
  SELECT items.id AS "itemId", delivered_at AS "deliveredAt", download_limit AS "limit", download_days AS days,
    product_files.name, bytes, product_files.version,
    (SELECT count(*)::integer FROM download_grants WHERE item_id = items.id AND file_id = product_files.id) AS used,
    EXISTS (SELECT FROM download_grants WHERE item_id = items.id AND file_id <> product_files.id) AS "hadOther"
  FROM order_lines JOIN items ON order_line_id = order_lines.id
    JOIN product_files ON product_files.product_id = items.product_id AND ${isCurrentFile}
  WHERE order_id = ${orderId} AND delivery = 'file' AND items.state = 'sold'`;

/** Finds a file item of the order that was not returned. */
export const findSoldFile = (db: Database, { orderId, itemId }: { orderId: string; itemId: string }) =>
  firstRowOf<SoldFile & { seen: boolean }>(db)`
    SELECT items.id AS "itemId", items.product_id AS "productId", delivered_at AS "deliveredAt",
      download_limit AS "limit", download_days AS days, first_viewed_at IS NOT NULL AS seen
    FROM items JOIN order_lines ON order_lines.id = order_line_id
    WHERE items.id = ${itemId} AND order_id = ${orderId} AND delivery = 'file' AND items.state = 'sold'`;

export const findGrants = (db: Database, { itemId, fileId }: { itemId: string; fileId: string }) =>
  rowsOf<Selectable<Tables['download_grants']>>(db)`
    SELECT * FROM download_grants WHERE item_id = ${itemId} AND file_id = ${fileId} ORDER BY created_at DESC`;

export const insertGrant = (trx: Transaction, grant: Insertable<Tables['download_grants']>) =>
  trx.insertInto('download_grants').values(grant).execute();

export const renewToken = (trx: Transaction, id: string, tokenHash: Buffer) =>
  trx.updateTable('download_grants').set({ token_hash: tokenHash }).where('id', '=', id).execute();

/** The credentials of a request: the grant in its path and the token in its cookie. */
export type GrantKey = { id: string; tokenHash: Buffer; now: Date };

/** A grant ends with a refund, a logout, a block, a correction of the e-mail (after a lookup), and after 24 hours. */
const liveGrant = ({ id, now }: Omit<GrantKey, 'tokenHash'>) => sql`
  download_grants JOIN items ON items.id = item_id
  WHERE download_grants.id = ${id} AND expires_at > ${now} AND items.state = 'sold' AND (
    EXISTS (
      SELECT FROM sessions JOIN users ON users.id = user_id
      WHERE sessions.id = session_id AND revoked_at IS NULL AND sessions.expires_at > ${now} AND blocked_at IS NULL)
    OR EXISTS (
      SELECT FROM verifications JOIN orders ON orders.id = order_id
      WHERE verifications.id = session_id AND purpose = 'order-lookup' AND used_at IS NOT NULL AND email = contact_email))`;

export const findGrantedFile = (db: Database, key: GrantKey) => firstRowOf<ProductFileRow>(db)`
  SELECT product_files.* FROM product_files WHERE id = (SELECT file_id FROM ${liveGrant(key)} AND token_hash = ${key.tokenHash})`;

/**
 * Returns the stored chunks `from` to `to`, both included; undefined once the grant has ended. The token was checked when
 * the download began (findGrantedFile): Download, pressed again, replaces the token and must not end a running download.
 */
export async function findGrantedChunks(db: Database, key: Omit<GrantKey, 'tokenHash'>, from: number, to: number) {
  const rows = await rowsOf<ChunkRow | { ciphertext: null }>(db)`
    SELECT file_chunks.file_id, file_chunks.number, key_id, nonce, ciphertext
    FROM (SELECT file_id FROM ${liveGrant(key)}) AS granted
    LEFT JOIN file_chunks ON file_chunks.file_id = granted.file_id AND number BETWEEN ${from} AND ${to}
    ORDER BY file_chunks.number`;
  return rows.length === 0 ? undefined : rows.filter((row) => row.ciphertext !== null);
}

type DownloadableFile = NonNullable<DeliveredUnit['file']>;

export async function readDownloads(db: Database, orderId: string): Promise<Map<string, DownloadableFile>> {
  const files = await listDownloads(db, orderId);
  return new Map(
    files.map(({ itemId, name, bytes, version, used, hadOther, ...sold }) => [
      itemId,
      {
        name,
        bytes,
        version,
        isNewVersion: hadOther && used === 0,
        downloadsLeft: downloadsLeft(sold.limit, used),
        until: lastMoment(sold)?.toISOString() ?? null,
      },
    ]),
  );
}

export const downloadsLeft = (limit: number | null, used: number): number | null =>
  limit === null ? null : Math.max(0, limit - used);

/** When the downloads of an item end; null when they do not. */
export const lastMoment = ({ deliveredAt, days }: { deliveredAt: Date; days: number | null }): Date | null =>
  days === null ? null : new Date(deliveredAt.getTime() + days * DAY_MS);

/**
 * Bytes of a chunk before encryption; only the last chunk of a file is smaller. Must divide PIECE_BYTES. Small chunks
 * are collected as young garbage: with 256 KiB the process needed 50 MB more (npm run bench:downloads).
 */
export const CHUNK_BYTES = 16 * 1024;

const TAG_BYTES = 16;

/** Incomplete files on sale, sold items without a file, and grants that are not in the ledger or exceed their limit. */
export const listFileFaults = (db: Database) => rowsOf<{ invariant: 'files'; fault: string }>(db)`
  SELECT 'files' AS invariant, format('version %s of the file of product %s has %s chunks with %s of its %s bytes', version,
      product_id, chunks, clear, bytes) AS fault
    FROM product_files, LATERAL (
      SELECT count(*) AS chunks, coalesce(sum(length(ciphertext) - ${sql.lit(TAG_BYTES)}), 0) AS clear
      FROM file_chunks WHERE file_id = product_files.id) AS stored
    WHERE ${isCurrentFile} AND (chunks <> ceil(bytes::numeric / ${sql.lit(CHUNK_BYTES)}) OR clear <> bytes)
  UNION
  SELECT 'files', format('item %s was sold, and product %s has no file', items.id, items.product_id)
    FROM items JOIN order_lines ON order_lines.id = order_line_id
    WHERE delivery = 'file' AND items.state = 'sold'
      AND NOT EXISTS (SELECT FROM product_files WHERE product_files.product_id = items.product_id AND ${isCurrentFile})
  UNION
  SELECT 'ledger', format('item %s has %s grants of downloads, and the ledger %s', items.id, granted, entered)
    FROM items JOIN order_lines ON order_lines.id = order_line_id,
      LATERAL (SELECT count(*) AS granted FROM download_grants WHERE item_id = items.id) AS grants,
      LATERAL (SELECT count(*) AS entered FROM reveals WHERE item_id = items.id AND order_id IS NOT NULL AND reason IS NULL) AS ledger
    WHERE delivery = 'file' AND granted <> entered
  UNION
  SELECT 'files', format('item %s has %s grants for one version, and its limit is %s', item_id, count(*), download_limit)
    FROM download_grants JOIN items ON items.id = item_id JOIN order_lines ON order_lines.id = order_line_id
    GROUP BY item_id, file_id, download_limit HAVING count(*) > download_limit
  ORDER BY 1, 2`;
