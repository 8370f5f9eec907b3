import type { Insertable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { RESERVED } from '../../../shared/cart-rules.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { plural } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import { hashToken } from '../../platform/crypto/tokens.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { OrderRow, Tables } from '../../platform/database/tables.ts';
import { takeFlashUnits, takeStock } from '../catalog/counted-stock.queries.ts';
import { checkAnswers, writeAnswers } from '../delivery/delivery.queries.ts';
import { countStockOnSale } from '../inventory/inventory.queries.ts';
import { columnsOfAddress, columnsOfTotals, nextSweep } from '../orders/orders.queries.ts';
import { assertFlashShare, assertMayHold, type Holder } from './assert-may-hold.ts';
import type { CheckoutBinding } from './bound-order.ts';
import { insertOrderHoldingGoods, type PayableOrder } from './checkout.queries.ts';
import { countOwnHeld, HOLD_MS, lockAndFindRepeat, type PossibleRepeat } from './holds.queries.ts';
import { type QuotedLine, quoteCart, type RequestedCart } from './quote-cart.ts';

export interface CheckoutBuyer {
  /** Null for a guest. */
  userId: string | null;
  email: string;
  name: string;
  phone: string;
}

export interface WriteOrder {
  cart: RequestedCart;
  buyer: CheckoutBuyer;
  ip: string;
  checkoutSecret: string;
  /** Binds the browser to the new order. Called before the commit, whose answer can be lost though the order is stored. */
  bind: (binding: CheckoutBinding) => void;
  /** The order that this browser was paying before, if its checkout cookie has that order's secret. */
  previous: OrderRow | undefined;
  /** `ask` rejects a repeat of another order with REPEAT_ORDER, so that the browser can ask the buyer. */
  onRepeat?: 'ask' | 'allow' | undefined;
}

/**
 * Step 1 of the money path (docs/architecture.md): prices the cart, stores the order and holds its goods for 3 minutes,
 * all or nothing. Throws VALIDATION_FAILED, REPEAT_ORDER, HOLD_LIMIT, PRODUCT_UNAVAILABLE, PRICE_CHANGED or
 * OUT_OF_STOCK with nothing written.
 */
export async function writeOrder(deps: Deps, input: WriteOrder): Promise<PayableOrder> {
  const now = deps.clock.now();
  const orderId = uuidv7();
  const checkoutHash = hashToken(input.checkoutSecret);
  const order = await deps.db.transaction().execute(async (trx) => {
    const { userId } = input.buyer;
    const boundOrderId = input.previous?.id ?? null;
    if (input.onRepeat === 'ask') {
      await assertNotRepeated(trx, { lines: input.cart.lines, userId, checkoutHash, boundOrderId, now });
    }
    const holder = { userId, checkoutHash, ip: input.ip };
    const counted = deps.config.rateLimits ? await assertMayHold(trx, input.cart.lines, holder) : null;
    const quote = await quoteCart(trx, input.cart, { zones: deps.config.shippingZones, now });
    const lines = quote.lines.map((line) => ({ id: uuidv7(), ...line }));
    const answered = lines.map(({ id, product }) => {
      const given = input.cart.lines.find(({ productId }) => productId === product.id)?.answers ?? [];
      return { id, productId: product.id, answers: checkAnswers(product, given) };
    });
    for (const line of lines.filter(({ takesFlashUnits }) => takesFlashUnits)) {
      if (counted) await assertFlashShare(trx, line, holder, counted);
      await takeFlashUnits(trx, line.product.id, line.quantity);
    }
    await takeCounted(trx, lines, { holder, now });
    const { order: written, heldOfLine } = await insertOrderHoldingGoods(
      trx,
      {
        id: orderId,
        type: quote.needsShipping ? 'physical' : 'digital',
        state: 'pending',
        ...columnsOfBuyer(input.buyer),
        checkout_hash: checkoutHash,
        ip: input.ip,
        counted_network: counted?.network ?? null,
        ...columnsOfTotals(quote),
        ...(quote.needsShipping && input.cart.shippingAddress && columnsOfAddress(input.cart.shippingAddress)),
        created_at: now,
        hold_expires_at: new Date(now.getTime() + HOLD_MS),
        sweep_at: nextSweep(now),
      },
      lines.map((line) => columnsOfLine(orderId, line)),
    );
    for (const line of lines.filter(({ product }) => product.delivery === 'unique')) {
      await assertHeld(trx, line, heldOfLine.get(line.id) ?? 0, holder);
    }
    await writeAnswers(deps, trx, answered);
    input.bind({ orderId, secret: input.checkoutSecret });
    return written;
  });
  deps.metrics.order('pending');
  deps.crashPoint('order-written');
  return order;
}

const columnsOfBuyer = ({ userId, email, name, phone }: CheckoutBuyer) => ({
  user_id: userId,
  contact_email: email,
  guest: userId === null,
  guest_name: name,
  guest_phone: phone,
});

/** Whether an order has this buyer, with this contact. */
export function isOrderOfBuyer(order: OrderRow, buyer: CheckoutBuyer): boolean {
  const columns = columnsOfBuyer(buyer);
  return (Object.keys(columns) as (keyof typeof columns)[]).every((column) => order[column] === columns[column]);
}

type NewLine = QuotedLine & { id: string };

/** The line keeps what was sold: a later change of the product does not change it. */
const columnsOfLine = (
  orderId: string,
  { id, position, product, quantity, unitPriceCents, takesFlashUnits }: NewLine,
): Insertable<Tables['order_lines']> => ({
  id,
  order_id: orderId,
  position,
  product_id: product.id,
  name: product.name,
  image: product.image,
  quantity,
  unit_price_cents: unitPriceCents,
  takes_flash_units: takesFlashUnits,
  delivery_instructions: product.delivery_instructions,
  warranty_days: product.warranty_days,
  delivery: product.delivery,
  download_limit: product.download_limit,
  download_days: product.download_days,
  region: product.region,
  platform: product.platform,
  counted_state: product.delivery === 'unique' ? null : 'held',
  counted_units: product.delivery === 'unique' ? 0 : quantity,
});

/**
 * Takes the units of counted lines from the stock, except goods without a limit. Throws OUT_OF_STOCK for the first line
 * with too few units left, and for a product without content to deliver.
 */
async function takeCounted(
  trx: Transaction,
  lines: NewLine[],
  { holder, now }: { holder: Holder; now: Date },
): Promise<void> {
  const empty = lines.find(({ product }) => !product.has_content);
  if (empty) throw new AppError('OUT_OF_STOCK', `"${empty.product.name}" is sold out`);
  const counted = lines.filter(({ product }) => product.stock !== null);
  if (counted.length === 0) return;
  const wanted = counted.map(({ id, product, quantity }) => ({ id, productId: product.id, quantity }));
  const taken = await takeStock(trx, wanted, now);
  for (const line of counted) if (!taken.has(line.id)) await assertHeld(trx, line, 0, holder);
}

const RESERVED_BY_YOU =
  'You have reserved it in another tab or on another device: pay there, or try again in a few minutes';

async function assertHeld(trx: Transaction, { product, quantity }: QuotedLine, held: number, holder: Holder) {
  if (held === quantity) return;
  const stock = await countStockOnSale(trx, product.id);
  const left = held + stock.available;
  // If enough units are left but could not be held, a concurrent order has locked them.
  const isPartLeft = left > 0 && left < quantity;
  if (isPartLeft) throw new AppError('OUT_OF_STOCK', `Only ${left} of "${product.name}" available`);
  const isReserved = left > 0 || stock.held > held;
  if (!isReserved) throw new AppError('OUT_OF_STOCK', `"${product.name}" is sold out`);
  // The count of the buyer's own units includes those of this order.
  const isOwn = (await countOwnHeld(trx, product.id, holder)) > held;
  throw new AppError('OUT_OF_STOCK', `"${product.name}" is out of stock. ${isOwn ? RESERVED_BY_YOU : RESERVED}`);
}

/**
 * Throws REPEAT_ORDER if this buyer bought exactly the same goods in the last 10 minutes, or is paying for them in
 * another browser. For a user, an advisory lock is held until the transaction ends, so that of two simultaneous devices
 * only one succeeds.
 */
export async function assertNotRepeated(trx: Transaction, repeat: PossibleRepeat): Promise<void> {
  if (repeat.userId === null && repeat.boundOrderId === null) return;
  const found = await lockAndFindRepeat(trx, repeat);
  if (!found) return;
  const { isPaid, orderedAt } = found;
  const when = timeSince(orderedAt, repeat.now);
  const what = isPaid ? 'You bought this' : 'You started paying for this somewhere else';
  throw new AppError('REPEAT_ORDER', `${what} ${when}. Buy it again?`, undefined, { orderedAt });
}

function timeSince(then: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - then.getTime()) / MINUTE_MS);
  if (minutes < 1) return 'just now';
  return `${minutes} ${plural(minutes, 'minute')} ago`;
}
