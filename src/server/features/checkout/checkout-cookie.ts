import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { hashToken } from '../../platform/crypto/random-token.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { findOrder } from '../orders/orders.queries.ts';

/** What ties a browser to the order it pays: the only proof a guest has before there is an account. */
export interface CheckoutBinding {
  orderId: string;
  secret: string;
}

const COOKIE = 'checkout';
const PATH = '/api';
const MAX_AGE_SECONDS = 24 * 60 * 60;

const value = z.string().check(z.regex(/^[0-9a-f-]{36}\.[\w-]{43}$/));

export function setCheckoutCookie(
  reply: FastifyReply,
  { orderId, secret }: CheckoutBinding,
  secure: boolean,
): void {
  reply.setCookie(COOKIE, `${orderId}.${secret}`, {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: PATH,
    maxAge: MAX_AGE_SECONDS,
  });
}

export function clearCheckoutCookie(reply: FastifyReply): void {
  reply.clearCookie(COOKIE, { path: PATH });
}

/** The order of the request's checkout cookie, when its secret is the right one. */
export async function findBoundOrder(
  db: Database,
  request: FastifyRequest,
): Promise<{ order: OrderRow; secret: string } | undefined> {
  const cookie = value.safeParse(request.server.parseCookie(request.headers.cookie ?? '')[COOKIE]);
  if (!cookie.success) return undefined;
  const [orderId = '', secret = ''] = cookie.data.split('.');
  if (!z.uuid().safeParse(orderId).success) return undefined;
  const order = await findOrder(db, orderId);
  if (!order?.checkout_hash || !timingSafeEqual(order.checkout_hash, hashToken(secret))) return undefined;
  return { order, secret };
}
