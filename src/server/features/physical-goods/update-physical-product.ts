import type { UpdatePhysicalProduct } from '../../../shared/admin-catalog.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { PhysicalProductRow } from '../../platform/database/tables.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { assertNewName } from '../catalog/assert-new-name.ts';
import { assertSameVersion } from '../catalog/assert-same-version.ts';
import { lockPhysicalProduct, savePhysicalProduct } from './physical-goods.queries.ts';

/**
 * Writes what `changes` name and leaves the rest. Throws NOT_FOUND, SAME_NAME, and EDIT_CONFLICT when the product was
 * changed since `changes.version` was read; then nothing is written.
 */
export function updatePhysicalProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, id, changes: given }: { actor: Actor; id: string; changes: UpdatePhysicalProduct },
): Promise<void> {
  const { version, onSameName, ...changes } = given;
  const { price, isActive, ...texts } = changes;
  return deps.db.transaction().execute(async (trx) => {
    const row = await lockPhysicalProduct(trx, id);
    if (!row) throw new AppError('NOT_FOUND', 'Product not found');
    assertSameVersion(row, version);
    if (texts.name !== undefined && texts.name !== row.name)
      await assertNewName(trx, { table: 'physical_products', id, name: texts.name }, onSameName);
    // Kysely leaves out what is undefined.
    await savePhysicalProduct(trx, id, {
      ...texts,
      price_cents: price === undefined ? undefined : toCents(price),
      is_active: isActive,
    });
    await writeAudit(deps, trx, {
      actor,
      action: 'physical-product.updated',
      subject: { type: 'physical-product', id },
      summary: summaryOf(row, changes),
    });
  });
}

function summaryOf(row: PhysicalProductRow, changes: UpdatePhysicalProduct): string {
  const { price, stock, isActive } = changes;
  const details = [
    price !== undefined && `price ${formatPrice(row.price_cents)} to ${formatPrice(toCents(price))}`,
    stock !== undefined && `stock ${row.stock} to ${stock}`,
    isActive !== undefined && (isActive ? 'active' : 'inactive'),
    ...Object.keys(changes).filter((field) => !['price', 'stock', 'isActive'].includes(field)),
  ];
  return `Changed "${row.name}": ${details.filter(Boolean).join(', ')}`;
}
