import { v7 as uuidv7 } from 'uuid';
import type { CreateDigitalProduct } from '../../../shared/admin-catalog.ts';
import { formatPrice } from '../../../shared/currency.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { type Actor, writeAudit } from '../audit/write-audit.ts';
import { insertProduct } from './admin-catalog.queries.ts';
import { assertNewName } from './assert-new-name.ts';

/** Puts a product on sale and answers its id. The same draft again makes no second one. Throws SAME_NAME. */
export function createProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, product }: { actor: Actor; product: CreateDigitalProduct },
): Promise<string> {
  const id = product.draft ?? uuidv7();
  const priceCents = toCents(product.price);
  return deps.db.transaction().execute(async (trx) => {
    await assertNewName(trx, { table: 'products', id, name: product.name }, product.onSameName);
    const isNew = await insertProduct(trx, {
      id,
      name: product.name,
      description: product.description,
      category: product.category,
      image: product.image,
      price_cents: priceCents,
      featured: product.featured ?? false,
      delivery_instructions: product.deliveryInstructions ?? '',
      warranty_days: product.warranty ?? 0,
      created_at: deps.clock.now(),
    });
    if (isNew) {
      await writeAudit(deps, trx, {
        actor,
        action: 'product.created',
        subject: { type: 'product', id },
        summary: `Created "${product.name}" for ${formatPrice(priceCents)}`,
      });
    }
    return id;
  });
}
