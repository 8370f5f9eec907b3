import type { Updateable } from 'kysely';
import type { UpdateDigitalProduct } from '../../../shared/admin-catalog.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { withdrawUnsoldItems } from '../inventory/inventory.queries.ts';
import { saveProduct } from './admin-catalog.queries.ts';
import { assertNewName } from './assert-new-name.ts';
import { assertSameVersion } from './assert-same-version.ts';
import { settleFlashUnits } from './catalog.queries.ts';
import { describeChanges } from './describe-changes.ts';
import { lockProduct } from './lock-product.ts';
import { assertOffersWithinPrice, discountColumns, flashSaleColumns } from './offer-columns.ts';

type Columns = Updateable<Tables['products']>;

/**
 * Writes what `changes` name and leaves the rest. Throws NOT_FOUND, VALIDATION_FAILED, SAME_NAME, and EDIT_CONFLICT when
 * the product was changed since `changes.version` was read; then nothing is written.
 */
export function updateProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, id, changes }: { actor: Actor; id: string; changes: UpdateDigitalProduct },
): Promise<void> {
  return deps.db.transaction().execute(async (trx) => {
    const row = await lockProduct(trx, id);
    assertSameVersion(row, changes.version);
    const columns = columnsOf(row, changes, deps.clock.now());
    assertOffersWithinPrice(row, changes);
    if (changes.name !== undefined && changes.name !== row.name)
      await assertNewName(trx, { table: 'products', id, name: changes.name }, changes.onSameName);
    await saveProduct(trx, id, columns);
    // Another sale counts from nothing, also when orders of the one before it are given up.
    if (columns.flash_units_taken === 0 && row.flash_units_taken > 0) await settleFlashUnits(trx, id);
    // What the deletion withdrew stays withdrawn, and so does what abandoned payments gave back since.
    if (changes.isActive && row.deleted_at) await withdrawUnsoldItems(trx, id, row.deleted_at);
    await writeAudit(deps, trx, {
      actor,
      subject: { type: 'product', id },
      ...auditOf(row, changes, columns),
    });
  });
}

function columnsOf(
  row: ProductRow,
  { discount, flashSale, ...changes }: UpdateDigitalProduct,
  now: Date,
): Columns {
  // Kysely leaves out what is undefined.
  return {
    name: changes.name,
    description: changes.description,
    category: changes.category,
    image: changes.image,
    price_cents: changes.price === undefined ? undefined : toCents(changes.price),
    delivery_instructions: changes.deliveryInstructions,
    featured: changes.featured,
    warranty_days: changes.warranty,
    is_active: changes.isActive,
    ...(changes.isActive && { deleted_at: null }),
    ...(discount !== undefined && discountColumns(discount)),
    ...(flashSale !== undefined && flashSaleColumns(row, flashSale, now)),
  };
}

/** Activating and deactivating have a name of their own. */
function auditOf(
  row: ProductRow,
  { version: _, onSameName: __, ...changes }: UpdateDigitalProduct,
  columns: Columns,
) {
  if (Object.keys(changes).join() !== 'isActive') {
    return {
      action: 'product.updated',
      summary: `Changed "${row.name}": ${describeChanges(row, columns)}`,
    };
  }
  return changes.isActive
    ? { action: 'product.activated', summary: `Activated "${row.name}"` }
    : { action: 'product.deactivated', summary: `Deactivated "${row.name}"` };
}
