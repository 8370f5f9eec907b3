import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { hasSameName } from './admin-catalog.queries.ts';

/** Products of one name cannot be told apart in lists and orders, so an administrator confirms one. Throws SAME_NAME. */
export async function assertNewName(
  trx: Transaction,
  product: { table: 'products' | 'physical_products'; id: string; name: string },
  onSameName: 'ask' | 'allow' | undefined,
): Promise<void> {
  if (onSameName !== 'ask' || !(await hasSameName(trx, product))) return;
  throw new AppError('SAME_NAME', `Another product is named "${product.name}". Use the name again?`);
}
