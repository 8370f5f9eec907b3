import type { Database } from '../../platform/database/open-database.ts';

/** Lists the items that were delivered in place of faulty ones. One that came back may be another buyer's by now. */
export async function listReplacements(db: Database, orderId: string): Promise<{ name: string; at: Date | null }[]> {
  return db
    .selectFrom('order_lines')
    .innerJoin('items as faulty', 'faulty.order_line_id', 'order_lines.id')
    .innerJoin('items as replacement', (join) =>
      join
        .onRef('replacement.id', '=', 'faulty.replaced_by')
        .onRef('replacement.order_line_id', '=', 'faulty.order_line_id'),
    )
    .select(['order_lines.name', 'replacement.delivered_at as at'])
    .where('order_lines.order_id', '=', orderId)
    .execute();
}

/** Lists the items that a person delivered, without replacements. */
export const listManualDeliveries = (db: Database, orderId: string) =>
  db
    .selectFrom('order_lines')
    .innerJoin('items', 'order_line_id', 'order_lines.id')
    .select(['order_lines.name', 'items.delivered_at as at'])
    .where('order_id', '=', orderId)
    .where('delivery', '=', 'manual')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('items as faulty').select('faulty.id').whereRef('faulty.replaced_by', '=', 'items.id'))),
    )
    .execute();
