import type { Updateable } from 'kysely';
import { formatPrice } from '../../../shared/currency.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';

type Changes = Updateable<Tables['products']>;

const words: Partial<Record<keyof ProductRow, string>> = {
  delivery_instructions: 'delivery instructions',
  warranty_days: 'warranty',
  is_active: 'status',
};

const same = (before: unknown, after: unknown) =>
  before instanceof Date && after instanceof Date ? before.getTime() === after.getTime() : before === after;

/** What an edit makes different, in plain words for the audit log. */
export function describeChanges(row: ProductRow, changes: Changes): string {
  const changed = (Object.keys(changes) as (keyof Changes)[])
    .filter((column) => changes[column] !== undefined && !same(row[column], changes[column]))
    .map((column) => {
      if (column === 'price_cents')
        return `price ${formatPrice(row.price_cents)} to ${formatPrice(Number(changes.price_cents))}`;
      if (column.startsWith('discount_')) return 'discount';
      if (column.startsWith('flash_')) return 'flash sale';
      return words[column] ?? column;
    });
  return changed.length === 0 ? 'nothing' : [...new Set(changed)].join(', ');
}
