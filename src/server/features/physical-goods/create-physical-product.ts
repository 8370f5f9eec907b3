import { v7 as uuidv7 } from 'uuid';
import type { CreatePhysicalProduct } from '../../../shared/admin-catalog.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { assertNewName } from '../catalog/assert-new-name.ts';
import { insertPhysicalProduct } from './physical-goods.queries.ts';

/** Adds a product and answers its id. The same draft again makes no second one. Throws SAME_NAME. */
export function createPhysicalProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  {
    actor,
    product: { draft, price, isActive, onSameName, ...product },
  }: { actor: Actor; product: CreatePhysicalProduct },
): Promise<string> {
  const id = draft ?? uuidv7();
  const priceCents = toCents(price);
  return deps.db.transaction().execute(async (trx) => {
    await assertNewName(trx, { table: 'physical_products', id, name: product.name }, onSameName);
    const isNew = await insertPhysicalProduct(trx, {
      ...product,
      id,
      price_cents: priceCents,
      is_active: isActive,
      created_at: deps.clock.now(),
    });
    if (isNew) {
      await writeAudit(deps, trx, {
        actor,
        action: 'physical-product.created',
        subject: { type: 'physical-product', id },
        summary: `Created "${product.name}" for ${formatPrice(priceCents)}, ${product.stock} in stock`,
      });
    }
    return id;
  });
}
