import { ALWAYS_ALLOWED, MAX_UNPAID_UNITS, maxPerGuest } from '../../../shared/cart-rules.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { networkOf, wideNetworkOf } from '../../platform/http/client.ts';
import { WIDE_NETWORK_FACTOR } from '../../platform/rate-limits/rules.ts';
import { countFlashHeld, findProductToHold, lockAndCountUnpaid, type Unpaid } from './holds.queries.ts';
import type { QuotedLine, RequestedLine } from './quote-cart.ts';

const MAX_ORDERS = 3;
const MAX_ORDERS_OF_NETWORK = 20;
const MAX_UNITS_OF_CUSTOMER = 200;

const LEAVE_OTHER = 'Finish or leave your other checkout first.';
const NETWORK_IS_BUSY = 'Please try again in a few minutes, or sign in if you have bought here before.';

export interface Holder {
  /** Null for a guest. */
  userId: string | null;
  /** SHA-256 of the checkout cookie's secret. */
  checkoutHash: Buffer;
  ip: string;
}

/**
 * Throws HOLD_LIMIT when this order would exceed what a buyer may hold unpaid (docs/security.md, Limits). The e-mail
 * does not identify a buyer, because anybody can type any address. The count stays locked until the transaction ends,
 * so concurrent orders are counted one after the other. Returns the buyer's network and what is held per product; null
 * for a customer who has paid before, whose orders do not count for the network.
 */
export async function assertMayHold(
  trx: Transaction,
  lines: RequestedLine[],
  { userId, checkoutHash, ip }: Holder,
): Promise<CountedHolds | null> {
  const network = networkOf(ip);
  const unpaid = await lockAndCountUnpaid(trx, {
    userId,
    checkoutHash,
    network,
    wideNetwork: wideNetworkOf(ip),
    lines,
  });
  const units = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  if (unpaid.ownOrders >= MAX_ORDERS) {
    throw refused(`You have ${MAX_ORDERS} unpaid orders, which is the most at once. ${LEAVE_OTHER}`);
  }
  if (unpaid.hasPaid) {
    assertUnits(units, unpaid.ownUnits, MAX_UNITS_OF_CUSTOMER);
    return null;
  }
  for (const line of lines) await assertShare(trx, line, unpaid);
  assertUnits(units, unpaid.ownUnits, MAX_UNPAID_UNITS);
  assertNetwork(unpaid, units);
  return { network, products: unpaid.products };
}

type CountedHolds = Pick<Unpaid, 'products'> & { network: string };

/**
 * Throws HOLD_LIMIT when the buyer would hold too large a share of a limited flash sale. The sale is checked apart from
 * the product, because it may have far fewer units. The product must be locked.
 */
export async function assertFlashShare(
  trx: Transaction,
  { product, quantity }: QuotedLine,
  { userId, checkoutHash }: Holder,
  { network, products }: CountedHolds,
): Promise<void> {
  const counted = products[product.id] ?? { own: 0, network: 0 };
  if (Math.max(counted.own, counted.network) + quantity <= ALWAYS_ALLOWED) return;
  const held = await countFlashHeld(trx, product.id, { userId, checkoutHash, network });
  const max = maxPerGuest((product.flash_units_limit ?? 0) - product.flash_units_taken + held.all);
  assertWithin(max, quantity, held, `"${product.name}" at the price of its flash sale`);
}

async function assertShare(trx: Transaction, line: RequestedLine, { products }: Unpaid): Promise<void> {
  const { own, network, stock } = products[line.productId] ?? { own: 0, network: 0, stock: null };
  if (stock === null) return;
  const max = maxPerGuest(stock);
  if (Math.max(own, network) + line.quantity <= max) return;
  const { name = line.name, isEndless = false } = (await findProductToHold(trx, line.productId)) ?? {};
  if (!isEndless) assertWithin(max, line.quantity, { own, network }, `"${name}"`);
}

function assertWithin(max: number, units: number, held: { own: number; network: number }, what: string): void {
  if (held.own + units > max) {
    throw refused(`You can hold at most ${max} of ${what} at once.${held.own > 0 ? ` ${LEAVE_OTHER}` : ''}`);
  }
  if (held.network + units > max) {
    throw refused(`At most ${max} of ${what} can be held from one network at once. ${NETWORK_IS_BUSY}`);
  }
}

function assertUnits(units: number, held: number, max: number): void {
  if (held + units <= max) return;
  throw refused(`You can hold at most ${max} items at once.${held > 0 ? ` ${LEAVE_OTHER}` : ''}`);
}

function assertNetwork({ networkOrders, networkUnits, wideOrders, wideUnits }: Unpaid, units: number): void {
  for (const [orders, held, factor] of [
    [networkOrders, networkUnits, 1],
    [wideOrders, wideUnits, WIDE_NETWORK_FACTOR],
  ] as const) {
    const [maxOrders, maxUnits] = [MAX_ORDERS_OF_NETWORK * factor, MAX_UNPAID_UNITS * factor];
    if (orders < maxOrders && held + units <= maxUnits) continue;
    throw refused(
      `At most ${maxUnits} items in ${maxOrders} orders can wait for their payment from one network. ${NETWORK_IS_BUSY}`,
    );
  }
}

const refused = (message: string) => new AppError('HOLD_LIMIT', message);
