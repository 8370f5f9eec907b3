import type { DigitalProduct } from '../../shared/catalog.ts';
import { priceTermsOf } from '../../shared/price-terms.ts';
import { effectivePrice, toDollars } from '../../shared/pricing.ts';
import type { CartEntry, CartProduct } from '../lib/cart-storage.ts';

export interface CartLine {
  product: CartProduct;
  quantity: number;
  /** Cents of USD that each unit costs now, at this quantity. */
  unitPriceCents: number;
}

const termsOf = (product: CartProduct) => priceTermsOf({ ...product, price: product.regularPrice });

/** Prices a line by the rule the server charges by (DESIGN.md section 9), at `now`. */
export function priceLine({ product, quantity }: CartEntry, now: Date): CartLine {
  return {
    product,
    quantity,
    unitPriceCents: effectivePrice(termsOf(product), quantity, now).unitPriceCents,
  };
}

/** Of a line that asks for more than there is; undefined when there is enough. */
export function stockNote({ product: { stock }, quantity }: CartEntry): string | undefined {
  if (stock >= quantity) return undefined;
  return stock === 0 ? 'Out of stock at the moment' : `${stock} available at the moment`;
}

/** What the cart keeps of a product; its `price` is that of one unit at `now`, in dollars. */
export function toCartProduct(product: DigitalProduct, now: Date): CartProduct {
  const { _id, name, image, stock, discount, flashSale } = product;
  const { unitPriceCents } = effectivePrice(priceTermsOf(product), 1, now);
  return {
    _id,
    name,
    image,
    stock,
    discount,
    flashSale,
    price: toDollars(unitPriceCents),
    regularPrice: product.price,
  };
}

/** The next moment, in milliseconds since 1970, at which an offer in the cart starts or ends. */
export function nextPriceChange(entries: readonly CartEntry[], now: Date): number | undefined {
  const moments = entries.flatMap(({ product }) => {
    const { discount, flashSale } = termsOf(product);
    return [discount?.startsAt, discount?.endsAt, flashSale?.startsAt, flashSale?.endsAt];
  });
  const ahead = moments.flatMap((moment) => (moment && moment > now ? [moment.getTime()] : []));
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}
