import { isDeepStrictEqual } from 'node:util';
import type { Updateable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { ProductKind } from '../../../shared/catalog.ts';
import { formatDollars, formatPrice } from '../../../shared/currency.ts';
import { AppError, sentBefore } from '../../../shared/errors.ts';
import { formatCount } from '../../../shared/format.ts';
import { toCents } from '../../../shared/pricing.ts';
import type {
  CreateDigitalProduct,
  CreatePhysicalProduct,
  UpdateDigitalProduct,
  UpdatePhysicalProduct,
} from '../../../shared/products.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ProductRow, Tables } from '../../platform/database/tables.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { restoreUnsoldItems, withdrawMoreItems, withdrawUnsoldItems } from '../inventory/stock.queries.ts';
import { noteRaisedStock } from '../notices/notices.queries.ts';
import { detachFlashUnits, recordCounts, sumCounts } from './counted-stock.queries.ts';
import { assertOffersWithinPrice, describeOffer, discountColumns, flashSaleColumns } from './offers.ts';
import { hasSameName, insertProduct, lockAgainstUploads, lockProductsById, saveProduct } from './products.queries.ts';

/** The fields of a product of either kind, in dollars and days. The schema of each call decides which a kind has. */
export type ProductInput = Omit<CreateDigitalProduct, 'category'> &
  Partial<Omit<CreatePhysicalProduct, keyof CreateDigitalProduct>> & { category: string };
export type ProductChanges = Omit<UpdateDigitalProduct, 'category'> &
  Omit<UpdatePhysicalProduct, keyof UpdateDigitalProduct> & { category?: string | undefined };

type EditedFields = Omit<ProductChanges, 'version' | 'onSameName' | 'stockWas'>;
type StoredFields = Omit<EditedFields, 'discount' | 'flashSale' | 'undoDelete'>;
type Columns = Updateable<Tables['products']>;

/**
 * Creates a product and returns its id. A repeated call with the same draft creates nothing. Throws SAME_NAME, and
 * VALIDATION_FAILED when the draft was sent before with other values.
 */
export function createProduct(
  deps: Deps,
  { actor, kind, product }: { actor: Actor; kind: ProductKind; product: ProductInput },
): Promise<string> {
  const id = product.draft ?? uuidv7();
  const { name, description, category, price, delivery = 'unique', brand = null } = product;
  // A product that sells items from stock has no counted stock.
  const stock = kind === 'digital' && delivery === 'unique' ? null : (product.stock ?? null);
  return deps.db.transaction().execute(async (trx) => {
    await assertNewName(trx, { kind, id, name }, product.onSameName);
    const required = { id, kind, name, description, category, brand, stock };
    const columns = {
      ...columnsOf(product),
      ...required,
      image: product.images?.[0] ?? product.image,
      price_cents: toCents(price),
      is_draft: product.isActive === false,
      delivery: kind === 'digital' ? delivery : null,
    };
    const isNew = await insertProduct(trx, { ...columns, created_at: deps.clock.now() });
    if (!isNew) {
      const row = await lockProduct(trx, kind, id);
      // Units may have been sold since.
      const before = { ...row, stock: row.stock === null ? null : await sumCounts(trx, id) };
      if (describeChanges(before, columns) !== NOTHING) throw sentBefore('VALIDATION_FAILED', MADE_BEFORE);
      return id;
    }
    if (stock !== null) await recordCounts(trx, [id], deps.clock.now());
    await noteRaisedStock(trx, id);
    const made = product.isActive === false ? 'Drafted' : 'Created';
    const summary = `${made} "${name}" for ${formatDollars(price)}${stock === null ? '' : `, ${formatCount(stock)} in stock`}`;
    await writeAudit(deps, trx, { actor, ...auditNames(kind, 'created', id), summary });
    return id;
  });
}

const MADE_BEFORE = 'added this product already, with other values. Find it in the list and change it there.';

/** Products with the same name look the same in lists and orders, so an administrator confirms. Throws SAME_NAME. */
async function assertNewName(
  trx: Transaction,
  product: { kind: ProductKind; id: string; name: string },
  onSameName: 'ask' | 'allow' | undefined,
): Promise<void> {
  if (onSameName !== 'ask' || !(await hasSameName(trx, product))) return;
  throw new AppError('SAME_NAME', `Another product is named "${product.name}". Use the name again?`);
}

/** The columns of a form's fields. Kysely ignores undefined ones. A field that is missing here does not compile. */
function columnsOf(fields: StoredFields): Omit<Columns, `${'discount' | 'flash'}_${string}`> {
  const columns: Record<keyof StoredFields, Columns> = {
    name: { name: fields.name },
    description: { description: fields.description },
    category: { category: fields.category },
    image: { image: fields.image },
    images: fields.images ? { image: fields.images[0], more_images: fields.images.slice(1) } : {},
    price: { price_cents: fields.price === undefined ? undefined : toCents(fields.price) },
    deliveryInstructions: { delivery_instructions: fields.deliveryInstructions },
    featured: { featured: fields.featured },
    warranty: { warranty_days: fields.warranty },
    stock: { stock: fields.stock },
    lowStock: { low_stock: fields.lowStock },
    region: { region: fields.region === '' ? null : fields.region },
    platform: { platform: fields.platform === '' ? null : fields.platform },
    downloadLimit: { download_limit: fields.downloadLimit },
    downloadDays: { download_days: fields.downloadDays },
    buyerFields: { buyer_fields: fields.buyerFields && JSON.stringify(fields.buyerFields) },
    brand: { brand: fields.brand },
    weight: { weight_grams: fields.weight },
    length: { length_mm: fields.length },
    width: { width_mm: fields.width },
    height: { height_mm: fields.height },
    isActive: { is_active: fields.isActive },
  };
  return Object.assign({}, ...Object.values(columns));
}

/** Action and subject of an audit entry. The names differ by kind, because existing entries cannot be changed. */
function auditNames(kind: ProductKind, verb: string, id: string) {
  const type = kind === 'physical' ? ('physical-product' as const) : ('product' as const);
  return { action: `${type}.${verb}`, subject: { type, id } };
}

const OUTDATED =
  'Someone else changed this product meanwhile. Load the newer version and look at what you changed once more.';

/**
 * Updates the fields in `changes`. Throws NOT_FOUND, VALIDATION_FAILED, SAME_NAME, and EDIT_CONFLICT when the product
 * was changed since `changes.version` was read; then nothing is written. Values that the product has already have no
 * effect, e.g. when an answer was lost or two administrators do the same, except a stock: units that were returned
 * meanwhile may have made the same number.
 */
export function updateProduct(
  deps: Deps,
  { actor, kind, id, changes }: { actor: Actor; kind: ProductKind; id: string; changes: ProductChanges },
): Promise<void> {
  const { version, onSameName, stockWas, ...edited } = changes;
  const { discount, flashSale, undoDelete, ...fields } = edited;
  return deps.db.transaction().execute(async (trx) => {
    const row = await lockProduct(trx, kind, id);
    // A product that sells items from stock has no counted stock.
    const typedStock = row.delivery === 'unique' ? undefined : fields.stock;
    const isCounted = typeof typedStock === 'number';
    const undoesDelete = row.deleted_at !== null && (fields.isActive || undoDelete);
    const columns: Columns = {
      ...columnsOf(fields),
      stock: typedStock,
      ...(undoesDelete && { deleted_at: null }),
      ...(fields.isActive && { is_draft: false }),
      ...(discount !== undefined && discountColumns(discount)),
      ...(flashSale !== undefined && flashSaleColumns(row, flashSale, deps.clock.now())),
    };
    if (!isCounted && describeChanges(row, columns) === NOTHING) return;
    if (version !== undefined && version !== row.version) throw new AppError('EDIT_CONFLICT', OUTDATED);
    if (isCounted) columns.stock = stockAfterCount(row, typedStock, stockWas);
    assertOffersWithinPrice(row, changes);
    if (fields.name !== undefined && fields.name !== row.name)
      await assertNewName(trx, { kind, id, name: fields.name }, onSameName);
    await saveProduct(trx, id, columns);
    if (isCounted) await recordCounts(trx, [id], deps.clock.now());
    // A new sale counts from zero, also when orders of the sale before it are cancelled.
    if (columns.flash_units_taken === 0 && row.flash_units_taken > 0) await detachFlashUnits(trx, id);
    const restored = undoesDelete ? await restoreUnsoldItems(trx, id, deps.clock.now()) : 0;
    await noteRaisedStock(trx, id);
    const { summary, ...entry } = auditOf(row, edited, columns);
    const onSaleAgain = restored > 0 ? `; ${restored} unsold on sale again` : '';
    await writeAudit(deps, trx, { actor, ...entry, summary: `${summary}${onSaleAgain}` });
  });
}

/** Returns the new stock after an administrator typed one. Units that were sold since the form was loaded stay sold. */
function stockAfterCount(row: ProductRow, stock: number, seen: number | null | undefined): number {
  if (row.stock === null || seen === null) return stock;
  const stockWas = seen ?? row.stock;
  const counted = row.stock + stock - stockWas;
  if (counted >= 0) return counted;
  const message = `${formatCount(stockWas - row.stock)} were sold meanwhile, so fewer are left than that`;
  throw new AppError('VALIDATION_FAILED', message, 'stock');
}

/**
 * Takes a product off sale and withdraws its unsold items, until it is activated or the deletion is undone. Buyers keep
 * sold items, and open payments are still delivered. No effect on a deleted product. Throws NOT_FOUND.
 */
export async function deleteProduct(deps: Deps, { actor, kind, id }: { actor: Actor; kind: ProductKind; id: string }) {
  const now = deps.clock.now();
  await deps.db.transaction().execute(async (trx) => {
    await lockAgainstUploads(trx, id);
    const { name, deleted_at: deletedAt } = await lockProduct(trx, kind, id);
    if (deletedAt) return;
    await saveProduct(trx, id, { is_active: false, deleted_at: now });
    await withdrawUnsoldItems(trx, id);
    const summary = `Deleted "${name}", which is inactive now`;
    await writeAudit(deps, trx, { actor, ...auditNames(kind, 'deleted', id), summary });
  });
  while (await withdrawMoreItems(deps.db, id));
}

async function lockProduct(trx: Transaction, kind: ProductKind, id: string): Promise<ProductRow> {
  const [row] = await lockProductsById(trx, [id]);
  if (row?.kind !== kind) throw new AppError('NOT_FOUND', 'Product not found');
  return row;
}

/** Activating, deactivating, publishing and undoing a deletion have actions of their own. */
function auditOf(row: ProductRow, changes: EditedFields, columns: Columns) {
  const { kind, id, name } = row;
  const entry = (verb: string, summary: string) => ({ ...auditNames(kind, verb, id), summary });
  if (row.deleted_at !== null && changes.undoDelete) return entry('restored', `Undid the deletion of "${name}"`);
  if (Object.keys(changes).join() !== 'isActive') {
    return entry('updated', `Changed "${name}": ${describeChanges(row, columns)}`);
  }
  if (row.is_draft && changes.isActive) return entry('published', `Published "${name}"`);
  return changes.isActive ? entry('activated', `Activated "${name}"`) : entry('deactivated', `Deactivated "${name}"`);
}

const columnWords: Partial<Record<keyof Columns, string>> = {
  delivery_instructions: 'delivery instructions',
  warranty_days: 'warranty',
  low_stock: 'low stock',
  weight_grams: 'weight',
  length_mm: 'length',
  width_mm: 'width',
  height_mm: 'height',
  more_images: 'pictures',
  buyer_fields: 'fields of its buyer',
  download_limit: 'limit of downloads',
  download_days: 'days of downloads',
};

const NOTHING = 'nothing';

function describeChanges(row: ProductRow, changes: Columns): string {
  const changed = (Object.keys(changes) as (keyof Columns)[])
    .filter((column) => changes[column] !== undefined && !isDeepStrictEqual(row[column], asRead(changes, column)))
    .map((column) => {
      if (column === 'price_cents')
        return `price ${formatPrice(row.price_cents)} to ${formatPrice(Number(changes.price_cents))}`;
      if (column === 'stock') return `stock ${row.stock ?? 'without limit'} to ${changes.stock ?? 'without limit'}`;
      if (column === 'is_active') return changes.is_active ? 'active' : 'inactive';
      if (column.startsWith('discount_')) return describeOffer('discount', row, changes);
      if (column.startsWith('flash_')) return describeOffer('flash sale', row, changes);
      return columnWords[column] ?? column;
    });
  return changed.length === 0 ? NOTHING : [...new Set(changed)].join(', ');
}

/** Returns the new value of a column for the comparison; JSON parsed, because jsonb keeps keys in another sequence. */
const asRead = (changes: Columns, column: keyof Columns) =>
  column === 'buyer_fields' ? JSON.parse(String(changes.buyer_fields)) : changes[column];
