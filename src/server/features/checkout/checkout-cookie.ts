import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { purposes } from '../accounts/verifications.queries.ts';
import { findOrder } from '../orders/orders.queries.ts';

/** What ties a browser to the order it pays: the only proof a guest has before there is an account. */
export interface CheckoutBinding {
  orderId: string;
  /** The same for all orders of a browser until one is paid, so that its unpaid ones can be counted. */
  secret: string;
  /** Its buyer knows that it is paid and waits for its e-mail to be verified. */
  seen?: boolean;
}

const COOKIE = 'checkout';
const PATH = '/api';
const DAY_SECONDS = 24 * 60 * 60;

const value = z.string().check(z.regex(/^[0-9a-f-]{36}\.[\w-]{43}(\.seen)?$/));

export function setCheckoutCookie(
  reply: FastifyReply,
  { orderId, secret, seen = false }: CheckoutBinding,
  secure: boolean,
): void {
  reply.setCookie(COOKIE, `${orderId}.${secret}${seen ? '.seen' : ''}`, {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: PATH,
    // An order that waits for its e-mail is remembered as long as its mailed link works.
    maxAge: seen ? purposes['order-claim'].lifeMs / 1_000 : DAY_SECONDS,
  });
}

export function clearCheckoutCookie(reply: FastifyReply): void {
  reply.clearCookie(COOKIE, { path: PATH });
}

/** The order of the request's checkout cookie, when its secret is the right one. */
export async function findBoundOrder(
  db: Database,
  request: FastifyRequest,
): Promise<{ order: OrderRow; secret: string; seen: boolean } | undefined> {
  const binding = readBinding(request);
  const order = binding && (await findOrderOfSecret(db, binding.orderId, binding.secret));
  return order && { order, secret: binding.secret, seen: binding.seen };
}

/** Another order that this browser opened, e.g. in another tab, since when the cookie names a later one. */
export async function findOrderOfBrowser(
  db: Database,
  request: FastifyRequest,
  orderId: string,
): Promise<OrderRow | undefined> {
  const binding = readBinding(request);
  return binding && findOrderOfSecret(db, orderId, binding.secret);
}

function readBinding(request: FastifyRequest): Required<CheckoutBinding> | undefined {
  const cookie = value.safeParse(request.server.parseCookie(request.headers.cookie ?? '')[COOKIE]);
  if (!cookie.success) return undefined;
  const [orderId = '', secret = '', seen] = cookie.data.split('.');
  return z.uuid().safeParse(orderId).success ? { orderId, secret, seen: seen !== undefined } : undefined;
}

async function findOrderOfSecret(
  db: Database,
  orderId: string,
  secret: string,
): Promise<OrderRow | undefined> {
  const order = await findOrder(db, orderId);
  const isOwn = order?.checkout_hash && timingSafeEqual(order.checkout_hash, hashToken(secret));
  return isOwn ? order : undefined;
}
