import type { Order } from '../../shared/orders.ts';
import { add, findLine, loadProductsById } from './cart-actions.ts';

type Item = Order['orderItems'][number];

/**
 * Puts the products of an order that are still on sale into the cart. `added` also counts products that the cart had
 * already; `problems` are the messages about missing products and units.
 */
export async function buyAgain(items: readonly Item[]): Promise<{ added: number; problems: string[] }> {
  const products = await loadProductsById(
    items.map(({ product, productType }) => ({ _id: product, kind: productType })),
  );
  const problems: string[] = [];
  let added = 0;
  for (const { product: id, name, quantity } of items) {
    const product = products.get(id);
    if (!product || product.stock === 0) {
      problems.push(`${name} is not available at the moment`);
      continue;
    }
    // The line gets as many units as were bought, including units that are in the cart already.
    const wanted = Math.min(quantity, product.stock) - (findLine(id)?.quantity ?? 0);
    const refusal = wanted > 0 ? add(product, wanted) : undefined;
    if (refusal) problems.push(`${name}: ${refusal}`);
    else added += 1;
    if (!refusal && product.stock < quantity) problems.push(`${name}: Only ${product.stock} items available`);
  }
  return { added, problems };
}
