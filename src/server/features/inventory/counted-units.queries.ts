import { sql } from 'kysely';
import { ENDLESS_STOCK } from '../../../shared/cart-rules.ts';

export const isCurrentFile = sql`published_at IS NOT NULL AND superseded_at IS NULL`;

/**
 * Whether a product has the content or file that every buyer gets; without it the product is not on sale. True for
 * products that need neither.
 */
export const hasContent = sql<boolean>`CASE products.delivery
  WHEN 'shared' THEN EXISTS (SELECT FROM shared_contents WHERE product_id = products.id)
  WHEN 'file' THEN EXISTS (SELECT FROM product_files WHERE product_id = products.id AND ${isCurrentFile})
  ELSE true END`;

/** Units of counted goods that can be bought now. */
export const countedStock = sql<number>`CASE WHEN ${hasContent} THEN coalesce(products.stock, ${sql.lit(ENDLESS_STOCK)}) ELSE 0 END`;
