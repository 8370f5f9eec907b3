import { isDeepStrictEqual } from 'node:util';
import { LINE_FULL, MAX_UNITS_PER_LINE } from '../../../shared/cart-rules.ts';
import type { BuyerAnswer } from '../../../shared/catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import {
  effectivePrice,
  MAX_ORDER_CENTS,
  sameTotal,
  type Totals,
  toDollars,
  totalsOf,
} from '../../../shared/pricing.ts';
import {
  type AddressCountry,
  type ShippedLine,
  type ShippingAddress,
  type ShippingZone,
  shippingCentsOf,
  zoneOf,
} from '../../../shared/shipping.ts';
import type { Deps } from '../../deps.ts';
import { checkAddress, countryCodeOf, countryNames, hasPostcode, statesOf } from '../../platform/countries.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { priceTermsOfRow } from '../catalog/offers.ts';
import {
  keepQuotedProducts,
  listQuotedProducts,
  lockQuotedProducts,
  type QuotedProduct,
} from '../catalog/products.queries.ts';
import { assertOpen } from '../closing/closing.ts';
import { readAnswers } from '../delivery/delivery.queries.ts';
import { addressOfOrder, listOrderLines } from '../orders/orders.queries.ts';

export interface RequestedLine {
  /** Place in the cart, from 1, which becomes the place of the line in the order. */
  position: number;
  productId: string;
  /** The name that the browser showed, for the message that it is not on sale: it may have been renamed since. */
  name: string;
  quantity: number;
  /**
   * The buyer's answers to the product's fields. Used when the payment is opened, and ignored when the order is placed.
   */
  answers?: BuyerAnswer[];
}

/** What the browser asks to buy. Further inputs of the price, e.g. a coupon, go here: callers pass on the cart. */
export interface RequestedCart {
  /** Each product once, sorted by id, because products are locked in this sequence. */
  lines: RequestedLine[];
  /** The total that the shopper saw, in dollars. It is compared with the shop's total unless undefined. */
  seenTotal?: number | undefined;
  /** The address to ship to, as checkShippingAddress returns it. */
  shippingAddress?: ShippingAddress | undefined;
  /** Rejects physical goods with PRODUCT_UNAVAILABLE. */
  onlyDigital?: boolean | undefined;
}

interface CartBody {
  orderItems: { product: string; name: string; quantity: number; answers?: BuyerAnswer[] | undefined }[];
  totalPrice?: number | undefined;
}

/** Reads the cart of a call, one line for each product. Throws VALIDATION_FAILED when a line has too many units. */
export const requestedCart = ({ orderItems, totalPrice }: CartBody): RequestedCart => ({
  lines: linesOf(orderItems),
  seenTotal: totalPrice,
});

function linesOf(orderItems: CartBody['orderItems']): RequestedLine[] {
  const lines = new Map<string, RequestedLine>();
  for (const { product, name, quantity, answers = [] } of orderItems) {
    const known = lines.get(product);
    const units = quantity + (known?.quantity ?? 0);
    if (units > MAX_UNITS_PER_LINE) throw new AppError('VALIDATION_FAILED', LINE_FULL, 'orderItems');
    const position = known?.position ?? lines.size + 1;
    const given = known?.answers ?? answers.filter(({ value }) => value !== '');
    lines.set(product, { position, productId: product, name, quantity: units, answers: given });
  }
  return [...lines.values()].sort((a, b) => (a.productId < b.productId ? -1 : 1));
}

/** Whether an order consists of exactly the lines of this cart. */
export function sameLines({ lines }: RequestedCart, ordered: OrderLineRow[]): boolean {
  const quantities = new Map(ordered.map((line) => [line.product_id, line.quantity]));
  return lines.length === ordered.length && lines.every((line) => quantities.get(line.productId) === line.quantity);
}

const sameSeenTotal = ({ seenTotal }: RequestedCart, totalCents: number): boolean =>
  seenTotal === undefined || sameTotal(seenTotal, toDollars(totalCents));

/** Throws PRICE_CHANGED when the shopper saw a different total. */
export function assertSeenTotal(cart: RequestedCart, totalCents: number): void {
  if (sameSeenTotal(cart, totalCents)) return;
  throw new AppError('PRICE_CHANGED', 'Price verification failed. Please refresh and try again.');
}

/** Whether an unpaid order matches this cart: the lines, answers, shipping address, and the total that was shown. */
export async function isOrderOfCart(deps: Deps, order: OrderRow, cart: RequestedCart): Promise<boolean> {
  // Each field of the cart is named, so that a new field does not compile until the order is compared with it, too.
  const { lines, seenTotal: _, shippingAddress, onlyDigital: __, ...others } = cart;
  others satisfies Record<string, never>;
  const address = addressOfOrder(order);
  const sameAddress = address === null || isDeepStrictEqual(address, shippingAddress);
  if (!sameAddress || !sameSeenTotal(cart, order.total_cents)) return false;
  const ordered = await listOrderLines(deps.db, order.id);
  if (!sameLines(cart, ordered)) return false;
  const answers = await readAnswers(deps, order.id);
  const answersTo = new Map(ordered.map(({ id, product_id: product }) => [product, answers.get(id) ?? []]));
  return lines.every((line) =>
    isDeepStrictEqual(sortedByLabel(line.answers ?? []), sortedByLabel(answersTo.get(line.productId) ?? [])),
  );
}

const sortedByLabel = (answers: BuyerAnswer[]) => answers.toSorted((one, other) => (one.label < other.label ? -1 : 1));

export interface QuotedLine {
  position: number;
  product: QuotedProduct;
  quantity: number;
  unitPriceCents: number;
  /** The line has the price of a flash sale with limited units: writeOrder must count its units as taken. */
  takesFlashUnits: boolean;
}

interface QuoteOptions {
  zones: readonly ShippingZone[];
  /** The country that the order is shipped to, by name or code; undefined while it is not known. */
  country: string | undefined;
  now: Date;
}

export interface CartQuote extends Totals {
  lines: QuotedLine[];
  needsShipping: boolean;
  /** Shipping is free for physical goods worth this many dollars or more; null if never, or without a country. */
  freeAbove: number | null;
}

/**
 * Prices a cart now, in cents of USD, by the server's prices alone. If any product of the cart has a flash sale with
 * limited units, all products of the cart are locked until the transaction ends, and read again under the lock. So of
 * two buyers of the last unit, the second waits here and is quoted the price after the sale. Throws SHOP_CLOSED,
 * PRODUCT_UNAVAILABLE, SHIPPING_UNAVAILABLE, VALIDATION_FAILED without a needed address, and PRICE_CHANGED.
 */
export async function quoteCart(
  trx: Transaction,
  cart: RequestedCart,
  { zones, now }: Omit<QuoteOptions, 'country'>,
): Promise<CartQuote> {
  const ids = cart.lines.map((line) => line.productId);
  const found = await keepQuotedProducts(trx, ids);
  assertOpen(found[0]?.closed);
  const isLimited = found.some((row) => row.flash_units_limit !== null);
  const rows = isLimited ? await lockQuotedProducts(trx, ids) : found;
  const quote = priceCart(rows, cart, { zones, country: cart.shippingAddress?.country, now });
  if (quote.needsShipping && !cart.shippingAddress) {
    throw new AppError('VALIDATION_FAILED', 'Please enter the address to ship to', 'shippingAddress');
  }
  assertSeenTotal(cart, quote.totalCents);
  return quote;
}

/** Prices a cart for a shopper who is not paying yet. Locks nothing and compares no total. */
export async function previewCart(db: Database, cart: RequestedCart, options: QuoteOptions): Promise<CartQuote> {
  const ids = cart.lines.map((line) => line.productId);
  return priceCart(await listQuotedProducts(db, ids), cart, options);
}

function priceCart(rows: QuotedProduct[], cart: RequestedCart, { zones, country, now }: QuoteOptions): CartQuote {
  const products = new Map(rows.map((row) => [row.id, row]));
  const lines = cart.lines.map(({ position, productId, name, quantity }): QuotedLine => {
    const product = products.get(productId);
    if (!product?.is_active || (cart.onlyDigital && product.kind !== 'digital')) {
      throw new AppError('PRODUCT_UNAVAILABLE', `"${name}" is no longer available`);
    }
    const { unitPriceCents, source } = effectivePrice(priceTermsOfRow(product), quantity, now);
    const takesFlashUnits = source === 'flash-sale' && product.flash_units_limit !== null;
    return { position, product, quantity, unitPriceCents, takesFlashUnits };
  });
  const shipped = lines
    .filter(({ product }) => product.kind === 'physical')
    .map((line) => ({ ...line, weightGrams: line.product.weight_grams }));
  const needsShipping = shipped.length > 0;
  const { shippingCents, freeAbove } =
    needsShipping && country ? quoteShipping(zones, country, shipped) : { shippingCents: 0, freeAbove: null };
  const totals = totalsOf(lines, shippingCents);
  if (totals.totalCents > MAX_ORDER_CENTS) {
    throw new AppError('VALIDATION_FAILED', 'An order can be worth at most $999,999.99', 'orderItems');
  }
  return { lines, needsShipping, freeAbove, ...totals };
}

type Zones = readonly ShippingZone[];

/** Lists every country, sorted by name, and whether the shop ships there. */
export const listAddressCountries = (zones: Zones): AddressCountry[] =>
  [...countryNames]
    .map(([code, name]) => ({
      code,
      name,
      states: statesOf(code) ?? null,
      hasPostcode: hasPostcode(code),
      isShippedTo: zoneOf(zones, code) !== undefined,
    }))
    .sort((one, other) => one.name.localeCompare(other.name));

/** Normalises an address. Throws what checkAddress throws, and SHIPPING_UNAVAILABLE for a country in no zone. */
export function checkShippingAddress(zones: Zones, address: ShippingAddress): ShippingAddress {
  findCountry(zones, address.country);
  return checkAddress(address, { path: 'shippingAddress' });
}

function findCountry(zones: Zones, country: string) {
  const code = countryCodeOf(country);
  const zone = code === undefined ? undefined : zoneOf(zones, code);
  const name = countryNames.get(code ?? '') ?? country;
  if (code === undefined) {
    throw new AppError('VALIDATION_FAILED', 'Please choose a country', 'shippingAddress.country');
  }
  if (!zone) throw new AppError('SHIPPING_UNAVAILABLE', `We do not ship to ${name}`, 'shippingAddress.country');
  return { code, name, zone };
}

/**
 * Returns the price of shipping these lines to a country, in cents of USD. Throws VALIDATION_FAILED for an unknown
 * country, and SHIPPING_UNAVAILABLE for a country in no zone or when no rate fits.
 */
function quoteShipping(zones: Zones, country: string, lines: readonly ShippedLine[]) {
  const { name, zone } = findCountry(zones, country);
  const cents = shippingCentsOf(zone, lines);
  if (cents !== undefined) return { shippingCents: cents, freeAbove: zone.freeAbove ?? null };
  throw new AppError('SHIPPING_UNAVAILABLE', `This is too much for one delivery to ${name}. Please take fewer.`);
}
