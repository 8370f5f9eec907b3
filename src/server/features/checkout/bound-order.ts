import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CheckoutStatus, PaymentStatus } from '../../../shared/checkout.ts';
import { pricesOf, toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import { hashToken, randomToken } from '../../platform/crypto/tokens.ts';
import type { OrderLineRow, OrderRow } from '../../platform/database/tables.ts';
import { readSecretCookie, readTokenCookie } from '../../platform/http/client.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { purposes } from '../accounts/accounts.queries.ts';
import { isPaid, stateNames, waitsForEmail } from '../orders/order-status.ts';
import { totalsOfOrder } from '../orders/orders.queries.ts';
import { findOrderAndClosed, findUnpaidOrderAndClosed, type PayableOrder } from './checkout.queries.ts';

/** Binds a browser to the order that it pays. Until a guest has an account, the cookie is their only proof. */
export interface CheckoutBinding {
  orderId: string;
  /** A browser keeps its secret until one of its orders is paid, so that its unpaid orders can be counted. */
  secret: string;
  /** The buyer has seen that the order is paid and waits for its e-mail to be verified. */
  seen?: boolean;
}

const DAY_SECONDS = 24 * 60 * 60;

type CookieDeps = Pick<Deps, 'config'>;
type BindingDeps = Pick<Deps, 'db' | 'config'>;

// No other host of the domain may set these cookies: the buyer would pay for an order that somebody else has opened, or
// write one that somebody else finds by its secret. That needs the prefix, and the path '/'.
const cookieName = ({ config }: CookieDeps, name: 'checkout' | 'checkoutSecret') =>
  config.secureCookies ? `__Host-${name}` : name;

export function setCheckoutCookie(
  deps: CookieDeps,
  reply: FastifyReply,
  { orderId, secret, seen = false }: CheckoutBinding,
): void {
  reply.setCookie(cookieName(deps, 'checkout'), `${orderId}.${secret}${seen ? '.seen' : ''}`, {
    path: '/',
    // The cookie of an order that waits for its e-mail lasts as long as the mailed link works.
    maxAge: seen ? purposes['order-claim'].lifeMs / 1_000 : DAY_SECONDS,
  });
}

export function clearCheckoutCookie(deps: CookieDeps, reply: FastifyReply): void {
  for (const name of ['checkout', 'checkoutSecret'] as const) reply.clearCookie(cookieName(deps, name), { path: '/' });
}

/**
 * Gives the browser the secret of its next order, unless it has one. The response of the call that opens a payment can
 * be lost, and the checkout cookie with it. The next call finds that order by this secret (findCheckout).
 */
export function ensureCheckoutSecret(deps: CookieDeps, request: FastifyRequest, reply: FastifyReply): void {
  const name = cookieName(deps, 'checkoutSecret');
  if (readTokenCookie(request, name) !== undefined) return;
  reply.setCookie(name, randomToken(), { path: '/', maxAge: DAY_SECONDS });
}

/**
 * Returns the order of the request's checkout cookie, if it has the order's secret. With `orderId`, returns that order,
 * e.g. one that the same browser opened in another tab. `closed` is the message while the shop is closed.
 */
export async function findBoundOrder(deps: BindingDeps, request: FastifyRequest, orderId?: string) {
  const binding = readBinding(deps, request);
  const found = binding && (await findOrderAndClosed(deps.db, orderId ?? binding.orderId));
  if (!found || !hasSecret(found, binding.secret)) return undefined;
  const { closed, ...order } = found;
  return { ...binding, order, closed };
}

interface Checkout {
  order?: OrderRow;
  /** The secret of the browser's next order. */
  secret: string | undefined;
  seen?: boolean;
  closed?: string | null;
}

/**
 * Returns the order that this browser is paying. If the checkout cookie names no order or a cancelled one, that is the
 * unpaid order with the browser's secret, and the cookie names it from now on.
 */
export async function findCheckout(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<Checkout> {
  const bound = await findBoundOrder(deps, request);
  const secret = readTokenCookie(request, cookieName(deps, 'checkoutSecret')) ?? bound?.secret;
  if (secret === undefined || (bound && bound.order.state !== 'cancelled')) return { ...bound, secret };
  const unpaid = await findUnpaidOrderAndClosed(deps.db, hashToken(secret));
  if (!unpaid) return { ...bound, secret };
  const { closed, ...order } = unpaid;
  setCheckoutCookie(deps, reply, { orderId: order.id, secret });
  return { secret, order, closed };
}

/**
 * Clears the checkout cookie if its order is over and matches `which`, because another person may use the browser from
 * now on. The cookie of a payment under way stays, so that a page in another tab does not take it for unpaid.
 */
export async function forgetCheckout(
  deps: BindingDeps,
  { request, reply, which }: { request: FastifyRequest; reply: FastifyReply; which: (order: OrderRow) => boolean },
): Promise<void> {
  const bound = await findBoundOrder(deps, request);
  const isOver = bound && (isPaid(bound.order) || bound.order.state === 'cancelled');
  if (isOver && which(bound.order)) clearCheckoutCookie(deps, reply);
}

/** Whether the request's checkout cookie names this order, with the right secret. */
export function isBoundTo(deps: CookieDeps, request: FastifyRequest, order: OrderRow): boolean {
  const binding = readBinding(deps, request);
  return binding?.orderId === order.id && hasSecret(order, binding.secret);
}

function readBinding(deps: CookieDeps, request: FastifyRequest): Required<CheckoutBinding> | undefined {
  const cookie = readSecretCookie(request, cookieName(deps, 'checkout'));
  return cookie && { orderId: cookie.id, secret: cookie.secret, seen: cookie.mark === 'seen' };
}

const hasSecret = ({ checkout_hash: hash }: OrderRow, secret: string): boolean =>
  hash !== null && timingSafeEqual(hash, hashToken(secret));

/** An order with its lines; `authorised`: the provider says that a pending order is paid. */
export interface PaymentState {
  order: OrderRow;
  lines: readonly OrderLineRow[];
  authorised: boolean;
}

export const presentIntent = ({ order, intent }: { order: PayableOrder; intent: PaymentIntent }) => ({
  clientSecret: intent.clientSecret,
  orderId: order.id,
  validatedAmounts: pricesOf(totalsOfOrder(order)),
});

export function presentCheckout({ order, lines, authorised }: PaymentState, needsPassword: boolean): CheckoutStatus {
  const state = authorised && order.state === 'pending' ? 'paid' : stateNames[order.state].checkout;
  return {
    orderId: order.id,
    state: waitsForEmail(order) ? 'waiting' : state,
    guest: order.guest,
    needsPassword,
    email: order.contact_email,
    totalPrice: toDollars(order.total_cents),
    paymentIntentId: order.payment_intent_id ?? '',
    orderItems: itemsOf(lines),
  };
}

const itemsOf = (lines: PaymentState['lines']) =>
  lines.map((line) => ({ product: line.product_id, quantity: line.quantity }));

/** The state of a payment for pages other than the checkout; null when there is nothing left to wait for. */
export function presentPayment({ order, lines, authorised }: PaymentState): PaymentStatus | null {
  const state = waitsForEmail(order) ? 'waiting' : authorised ? 'paid' : stateNames[order.state].progress;
  return state && { orderId: order.id, state, orderItems: itemsOf(lines) };
}
