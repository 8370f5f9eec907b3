import { MAX_CART_LINES } from '../../shared/cart-rules.ts';
import type { DigitalProduct } from '../../shared/catalog.ts';
import { call } from '../lib/api-client.ts';
import type { CartEntry } from '../lib/cart-storage.ts';
import { storage } from '../lib/storage.ts';
import { toCartProduct, withSeenPrice } from './cart-prices.ts';

// Saved carts can hold anything; one id the server cannot read would refuse the whole question.
const readableId = /^[0-9a-f-]{36}$/;

/** Reads prices and stock of the cart anew and removes what the shop no longer sells; answers the names of the latter. */
export async function refreshCart(): Promise<string[]> {
  const asked = storage.guestCart.read().slice(0, MAX_CART_LINES);
  if (asked.length === 0) return [];
  const products = await listProducts(asked.map(({ product }) => product._id));
  const isShort = asked.some(
    ({ product, quantity }) => quantity > (products.get(product._id)?.stock ?? quantity),
  );
  const held = isShort ? await countUnitsHeldHere() : new Map<string, number>();
  const now = new Date();
  const gone = asked.filter(({ product }) => !products.has(product._id)).map(({ product }) => product);
  // The cart may have changed while the answer was on its way: only products that were asked about are touched.
  const entries = storage.guestCart.read().flatMap((entry): CartEntry[] => {
    const { _id } = entry.product;
    if (gone.some((product) => product._id === _id)) return [];
    const product = products.get(_id);
    return [product ? refreshed(entry, product, { held: held.get(_id) ?? 0, now }) : entry];
  });
  storage.guestCart.write(entries);
  return gone.map(({ name }) => name);
}

async function listProducts(ids: string[]): Promise<Map<string, DigitalProduct>> {
  const readable = ids.filter((id) => readableId.test(id));
  if (readable.length === 0) return new Map();
  const { data } = await call('GET /digital-products', {
    query: { ids: readable.join(','), limit: MAX_CART_LINES },
  });
  return new Map(data.map((product) => [product._id, product]));
}

/** Units by product that this browser's own unpaid order holds: out of stock for everybody else, and not for this cart. */
async function countUnitsHeldHere(): Promise<Map<string, number>> {
  const { data } = await call('GET /digital-orders/guest/checkout');
  if (data?.state !== 'open') return new Map();
  return new Map(data.orderItems.map(({ product, quantity }) => [product, quantity]));
}

function refreshed(
  entry: CartEntry,
  product: DigitalProduct,
  { held, now }: { held: number; now: Date },
): CartEntry {
  const stock = product.stock + held;
  return {
    // An entry that another version of the shop wrote has no price that was seen.
    ...withSeenPrice(entry, now),
    ...entry,
    product: toCartProduct({ ...product, stock, reserved: product.reserved && stock === 0 }, now),
  };
}
