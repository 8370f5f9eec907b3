import { LOW_STOCK, type LowStockEntry } from '../../../shared/statistics.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/open-database.ts';

/** Nobody restocks more than this at once; how many there are says the count. */
const MOST_LISTED = 100;
const SALES_DAYS = 30;

const availableItems = sql`FROM items WHERE product_id = products.id AND state = 'available'`;

// Of a product with a million keys, too, no more are looked at than it takes to see that there are enough.
const lowStock: RawBuilder<unknown> = sql`
  SELECT id, 'digital' AS kind, name, image, category, (SELECT count(*)::integer ${availableItems}) AS available
  FROM products WHERE kind = 'digital' AND is_active AND NOT EXISTS (SELECT ${availableItems} OFFSET ${sql.lit(LOW_STOCK - 1)})
  UNION ALL
  SELECT id, 'physical', name, image, category, stock FROM products WHERE kind = 'physical' AND is_active AND stock < ${sql.lit(LOW_STOCK)}`;

export async function countLowStock(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*)::integer AS n FROM (${lowStock}) AS low`.execute(db);
  return rows[0]?.n ?? 0;
}

/** What runs out first at the top: what is gone and sells, then by days of cover; what does not sell at all last. */
export async function listLowStock(db: Database): Promise<LowStockEntry[]> {
  const { rows } = await sql<LowStockEntry>`
    SELECT low.id AS product, kind, name, image, category, available, coalesce(units_30, 0) AS "soldLast30Days",
      round(available * ${sql.lit(SALES_DAYS)}::numeric / nullif(units_30, 0), 1)::double precision AS "daysOfCover"
    FROM (${lowStock}) AS low LEFT JOIN product_sales ON product_id = low.id
    ORDER BY "daysOfCover" NULLS LAST, units_30 DESC NULLS LAST, available, name, low.id
    LIMIT ${MOST_LISTED}`.execute(db);
  return rows;
}
