import { CART_FULL, MAX_CART_LINES, refusalToAdd, refusalToSet } from '../../shared/cart-rules.ts';
import type { Product, ProductKind } from '../../shared/catalog.ts';
import { call } from '../lib/api-client.ts';
import { type CartProduct, guestCart, type SavedLine } from '../lib/cart-storage.ts';
import { storage } from '../lib/storage.ts';
import { maxAtOnce, type PricedLine, toCartProduct, withSeenPrice } from './cart-lines.ts';
import { loadProducts } from './shop.ts';

export interface PurchasedUnits {
  product: string;
  quantity: number;
}

const unitsOf = (product: Pick<CartProduct, 'stock' | 'maxPerGuest'>) => ({
  stock: product.stock,
  maxAtOnce: maxAtOnce(product, storage.token.read() === null),
});

export const quantitiesById = (units: readonly PurchasedUnits[]) =>
  new Map(units.map(({ product, quantity }) => [product, quantity]));

export const findLine = (id: string) => guestCart.read().find(({ product }) => product._id === id);

/** Writes a line whose quantity the shopper has just chosen. */
function saveChosen(line: SavedLine) {
  const lines = guestCart.read();
  const chosen = withSeenPrice(line);
  const place = lines.findIndex(({ product }) => product._id === line.product._id);
  guestCart.write(place === -1 ? [...lines, chosen] : lines.with(place, chosen));
}

/** Adds units of a product. Returns a message if this is not possible. */
export function add(product: Product, quantity = 1): string | undefined {
  const before = findLine(product._id);
  const inCart = before?.quantity ?? 0;
  const refusal = refusalToAdd(quantity, { inCart, ...unitsOf(product) });
  if (refusal !== undefined) return refusal;
  if (before === undefined && guestCart.read().length >= MAX_CART_LINES) return CART_FULL;
  saveChosen({ ...before, product: toCartProduct(product), quantity: inCart + quantity });
  return undefined;
}

/** Changes the quantity of a line. Returns a message if this is not possible. */
export function setQuantity(id: string, quantity: number): string | undefined {
  const line = findLine(id);
  if (line === undefined || quantity < 1) return undefined;
  const refusal = refusalToSet(quantity, { inCart: line.quantity, ...unitsOf(line.product) });
  if (refusal === undefined) saveChosen({ ...line, quantity });
  return refusal;
}

export function remove(id: string) {
  guestCart.write(guestCart.read().filter(({ product }) => product._id !== id));
}

/** Restores a removed line at its place in `order`, the ids of the lines as they were shown. */
export function putBack(line: PricedLine, order: readonly string[]) {
  const { product, quantity, unitPriceCents, previousPriceCents = unitPriceCents } = line;
  const lines = guestCart.read();
  if (lines.length >= MAX_CART_LINES || lines.some((other) => other.product._id === product._id)) return;
  const restored = { product, quantity, seenPriceCents: previousPriceCents };
  guestCart.write([...lines, restored].sort(inSequence(order)));
}

/** Compares lines by their place in `order`, a list of product ids; lines that are not in it come last. */
export function inSequence(order: readonly string[]) {
  const placeOf = ({ product: { _id } }: Pick<SavedLine, 'product'>) => order.indexOf(_id) + 1 || order.length + 1;
  return (one: Pick<SavedLine, 'product'>, other: Pick<SavedLine, 'product'>) => placeOf(one) - placeOf(other);
}

/** Whether the stored cart, which other tabs may have changed, has at least these units. */
export function hasInCart(units: readonly PurchasedUnits[]): boolean {
  return units.every(({ product, quantity }) => (findLine(product)?.quantity ?? 0) >= quantity);
}

// A stored cart may contain anything, and one malformed id would make the server reject the whole request.
const validId = /^[0-9a-f-]{36}$/;

/** Updates prices and stock, and removes what the shop no longer sells; returns the names of the removed products. */
export async function refreshProducts(): Promise<string[]> {
  const asked = guestCart.read();
  if (asked.length === 0) return [];
  const products = await loadProductsById(asked.map(({ product }) => product));
  await addUnitsHeldHere([...products.values()]);
  const gone = asked.map(({ product }) => product).filter(({ _id }) => !products.has(_id));
  // The cart may have changed during the call, so only products in the request are updated.
  const lines = guestCart.read().flatMap((line): SavedLine[] => {
    const { _id } = line.product;
    const product = products.get(_id);
    if (product === undefined) return gone.some((other) => other._id === _id) ? [] : [line];
    // Lines of an earlier version of the shop have no seen price.
    return [{ ...withSeenPrice(line), ...line, product: toCartProduct(product) }];
  });
  guestCart.write(lines);
  return gone.map(({ name }) => name);
}

/** Returns the products that are still on sale, by their ids. */
export async function loadProductsById(products: readonly Pick<CartProduct, 'kind' | '_id'>[]) {
  const ofKind = async (wanted: ProductKind) => {
    const ids = products.flatMap(({ kind, _id }) => (kind === wanted && validId.test(_id) ? [_id] : []));
    if (ids.length === 0) return [];
    return (await loadProducts(wanted, { ids: ids.join(','), limit: MAX_CART_LINES })).data;
  };
  const found = await Promise.all([ofKind('digital'), ofKind('physical')]);
  return new Map(found.flat().map((product) => [product._id, product]));
}

/** Counts the units that this browser's own unpaid order holds as stock, because this cart can be paid with them. */
export async function addUnitsHeldHere(products: readonly Product[]): Promise<void> {
  if (products.every(({ _id, stock }) => (findLine(_id)?.quantity ?? 0) <= stock)) return;
  const held = await countUnitsHeldHere();
  for (const product of products) {
    product.stock += held.get(product._id) ?? 0;
    product.reserved &&= product.stock === 0;
  }
}

async function countUnitsHeldHere(): Promise<Map<string, number>> {
  const { data } = await call('GET /digital-orders/guest/checkout');
  return quantitiesById(data?.state === 'open' ? data.orderItems : []);
}
