import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import type { ProductRow } from '../../platform/database/tables.ts';
import { lockProductsById } from './catalog.queries.ts';

/** One product, locked until the transaction ends; throws NOT_FOUND. */
export async function lockProduct(trx: Transaction, id: string): Promise<ProductRow> {
  const [row] = await lockProductsById(trx, [id]);
  if (!row) throw new AppError('NOT_FOUND', 'Product not found');
  return row;
}
