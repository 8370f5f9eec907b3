import { v7 as uuidv7 } from 'uuid';
import { formatPrice } from '../../../shared/currency.ts';
import { AppError } from '../../../shared/errors.ts';
import { toCents } from '../../../shared/pricing.ts';
import type { UpdateDigitalProduct } from '../../../shared/products.ts';
import type { ProductKind } from '../../../shared/statistics.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { hasSameName, insertProduct } from './products.queries.ts';

/** The fields of a product of either kind; each call's schema says which are required and which its kind has. */
interface ProductFields {
  name: string;
  description: string;
  category: string;
  image: string;
  /** Dollars. */
  price: number;
  featured?: boolean | undefined;
  deliveryInstructions?: string | undefined;
  /** Days. */
  warranty?: number | undefined;
  brand?: string | undefined;
  stock?: number | undefined;
  isActive?: boolean | undefined;
}

export interface ProductInput extends ProductFields {
  /** The id, chosen by the form. */
  draft?: string | undefined;
  onSameName?: 'ask' | 'allow' | undefined;
}

export type ProductChanges = { [Field in keyof ProductFields]?: ProductFields[Field] | undefined } & Pick<
  UpdateDigitalProduct,
  'discount' | 'flashSale' | 'version' | 'onSameName'
>;

/** Adds a product of a kind and returns its id. The same draft again adds no second one. Throws SAME_NAME. */
export function createProduct(
  deps: Pick<Deps, 'db' | 'cipher' | 'clock'>,
  { actor, kind, product }: { actor: Actor; kind: ProductKind; product: ProductInput },
): Promise<string> {
  const id = product.draft ?? uuidv7();
  const { name, description, category, image, price, brand = null, stock = null } = product;
  return deps.db.transaction().execute(async (trx) => {
    await assertNewName(trx, { kind, id, name }, product.onSameName);
    const isNew = await insertProduct(trx, {
      ...columnsOf(product),
      ...{ id, kind, name, description, category, image, price_cents: toCents(price), brand, stock },
      created_at: deps.clock.now(),
    });
    if (isNew) {
      await writeAudit(deps, trx, {
        actor,
        ...auditNames(kind, 'created', id),
        summary: `Created "${name}" for ${formatPrice(toCents(price))}${stock === null ? '' : `, ${stock} in stock`}`,
      });
    }
    return id;
  });
}

/** Two products of one name look the same in lists and orders, so an administrator confirms it. Throws SAME_NAME. */
export async function assertNewName(
  trx: Transaction,
  product: { kind: ProductKind; id: string; name: string },
  onSameName: 'ask' | 'allow' | undefined,
): Promise<void> {
  if (onSameName !== 'ask' || !(await hasSameName(trx, product))) return;
  throw new AppError('SAME_NAME', `Another product is named "${product.name}". Use the name again?`);
}

/** The columns of the fields of a form. A field that is left out is undefined, which Kysely leaves out, too. */
export const columnsOf = (fields: ProductChanges) => ({
  name: fields.name,
  description: fields.description,
  category: fields.category,
  image: fields.image,
  price_cents: fields.price === undefined ? undefined : toCents(fields.price),
  delivery_instructions: fields.deliveryInstructions,
  featured: fields.featured,
  warranty_days: fields.warranty,
  stock: fields.stock,
  brand: fields.brand,
  is_active: fields.isActive,
});

/** How the audit log names a verb and its product. The names of each kind are in entries that cannot be changed. */
export function auditNames(kind: ProductKind, verb: string, id: string) {
  const type = kind === 'physical' ? ('physical-product' as const) : ('product' as const);
  return { action: `${type}.${verb}`, subject: { type, id } };
}
