import { sql } from 'kysely';
import { type Database, rowsOf } from '../../platform/database/open-database.ts';
import { isCurrentFile } from '../inventory/stock.queries.ts';
import { CHUNK_BYTES } from './upload-file.ts';

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
