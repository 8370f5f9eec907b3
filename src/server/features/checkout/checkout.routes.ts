import type { createIntentBody } from '../../../shared/checkout.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { AppError } from '../../../shared/errors.ts';
import { toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { clientOf } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import type { PaymentIntent } from '../../platform/payments/payments.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { setDeviceCookie } from '../accounts/device-cookie.ts';
import { presentUser } from '../accounts/present-user.ts';
import { enqueueMail } from '../mails/enqueue-mail.ts';
import { listRefundsOfOrders } from '../orders/order-refunds.queries.ts';
import { waitsForEmail } from '../orders/order-states.ts';
import { listOrderLines, type OrderWithLines } from '../orders/orders.queries.ts';
import { presentOrder } from '../orders/present-order.ts';
import { cartLines } from './cart-lines.ts';
import type { PayableOrder } from './checkout.queries.ts';
import {
  type CheckoutBinding,
  clearCheckoutCookie,
  findBoundOrder,
  findOrderOfBrowser,
  setCheckoutCookie,
} from './checkout-cookie.ts';
import { countDecline } from './count-decline.ts';
import { resumeHold } from './holds.queries.ts';
import { openGuestAccount } from './open-guest-account.ts';
import { openPayment } from './open-payment.ts';
import { placeOrder } from './place-order.ts';
import { presentCheckout, presentPayment } from './present-checkout.ts';
import { abandonOrder } from './release-order.ts';
import { settleOrder } from './settle-order.ts';
import { NOT_CHARGED, NOT_KNOWN, WILL_BE_FINISHED, whileBuyerWaits } from './while-buyer-waits.ts';
import type { Buyer } from './write-order.ts';

export function checkoutRoutes(route: Route, deps: Deps): void {
  const secureCookie = deps.config.publicUrl.startsWith('https:');

  route('POST /digital-orders/create-payment-intent', ({ body, viewer, request, reply }) =>
    answerIntent(request, reply, body, { ...viewer, email: body.contactEmail ?? viewer.email }),
  );

  route('POST /digital-orders/guest/create-payment-intent', ({ body, request, reply }) => {
    const buyer = {
      userId: null,
      email: body.guestEmail,
      name: body.guestName,
      phone: body.guestPhone ?? '',
    };
    return answerIntent(request, reply, body, buyer);
  });

  async function answerIntent(
    request: FastifyRequest,
    reply: FastifyReply,
    body: Pick<z.output<typeof createIntentBody>, 'orderItems' | 'totalPrice' | 'onRepeat'>,
    buyer: Buyer,
  ) {
    const bound = await findBoundOrder(deps.db, request);
    const input = {
      cart: cartLines(body.orderItems),
      buyer,
      seenTotal: body.totalPrice,
      onRepeat: body.onRepeat,
      ip: request.ip,
      previous: bound?.order,
      previousSecret: bound?.secret,
      bind: (binding: CheckoutBinding) => setCheckoutCookie(reply, binding, secureCookie),
    };
    return presentIntent(
      await whileBuyerWaits(deps, NOT_CHARGED, (signal) => openPayment(deps, { ...input, signal })),
    );
  }

  route('POST /digital-orders', async ({ body, viewer }) => {
    const input = {
      paymentIntentId: body.paymentResult.id,
      userId: viewer.userId,
      cart: cartLines(body.orderItems),
      guestEmail: undefined,
      totalPrice: body.totalPrice,
    };
    const order = await whileBuyerWaits(deps, WILL_BE_FINISHED, () => placeOrder(deps, input));
    return { data: await presentPlaced(order) };
  });

  route('POST /digital-orders/guest', async ({ body, request, reply }) => {
    const input = {
      paymentIntentId: body.paymentResult.id,
      userId: null,
      cart: cartLines(body.orderItems),
      guestEmail: body.guestEmail,
      totalPrice: body.totalPrice,
    };
    const order = await whileBuyerWaits(deps, WILL_BE_FINISHED, () => placeOrder(deps, input));
    const bound = await findBoundOrder(deps.db, request);
    return answerGuest(request, reply, order, {
      boundBrowser: bound?.order.id === order.id,
      password: body.guestPassword,
    });
  });

  route('GET /digital-orders/guest/checkout', async ({ request }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (!bound || bound.seen) return { data: null };
    if (bound.order.state === 'pending') await resumeHold(deps.db, bound.order);
    const order = { ...bound.order, lines: await listOrderLines(deps.db, [bound.order.id]) };
    const authorised = await isAuthorised(order);
    return { data: presentCheckout(order, { authorised, needsPassword: await needsPassword(order) }) };
  });

  route('GET /digital-orders/guest/checkout/payment', async ({ request }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (!bound) return { data: null };
    const order = { ...bound.order, lines: await listOrderLines(deps.db, [bound.order.id]) };
    return { data: presentPayment(order, { authorised: await isAuthorised(order) }) };
  });

  /** The provider's word on a pending order. */
  async function isAuthorised(order: OrderRow): Promise<boolean> {
    const { state, payment_intent_id: intentId } = order;
    if (state !== 'pending' || intentId === null) return false;
    const intent = await whileBuyerWaits(deps, NOT_KNOWN, () => deps.payments.retrieveIntent(intentId));
    if (intent.declineId !== undefined) await countDecline(deps, order, intent.declineId);
    return intent.status === 'requires_capture' || intent.status === 'succeeded';
  }

  async function needsPassword(order: OrderRow): Promise<boolean> {
    if (!order.guest) return false;
    if (order.user_id === null) return order.state === 'pending' || order.state === 'capturing';
    const owner = order.made_account ? await findUser(deps.db, order.user_id) : undefined;
    return owner?.password_hash === null;
  }

  route('POST /digital-orders/guest/checkout', async ({ body, request, reply }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (!bound?.order.guest) throw new AppError('NOT_FOUND', 'There is no order to finish in this browser');
    const { id } = bound.order;
    const order = await whileBuyerWaits(deps, WILL_BE_FINISHED, () => settleOrder(deps, id));
    const lines = await listOrderLines(deps.db, [order.id]);
    const proof = { boundBrowser: true, password: body.password };
    return answerGuest(request, reply, { ...order, lines }, proof);
  });

  route('DELETE /digital-orders/guest/checkout', async ({ request, reply }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (bound && waitsForEmail(bound.order)) {
      setCheckoutCookie(reply, { orderId: bound.order.id, secret: bound.secret, seen: true }, secureCookie);
    } else {
      clearCheckoutCookie(reply);
    }
    return {};
  });

  route('GET /digital-orders/guest/waiting', async ({ request, reply }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (bound && waitsForEmail(bound.order)) {
      return { data: { orderId: bound.order.id, email: bound.order.contact_email } };
    }
    if (bound?.seen) clearCheckoutCookie(reply);
    return { data: null };
  });

  route('POST /digital-orders/guest/waiting/verify-link', async ({ request }) => {
    const bound = await findBoundOrder(deps.db, request);
    if (!bound || !waitsForEmail(bound.order)) {
      throw new AppError('NOT_FOUND', 'No order waits in this browser any more');
    }
    const { id: orderId, contact_email: recipient } = bound.order;
    await deps.limits.count('verify-link', { address: request.ip, device: orderId });
    const mail = { kind: 'order-delivered', recipient, orderId, userId: null } as const;
    await deps.db.transaction().execute((trx) => enqueueMail(deps, trx, mail));
    return {};
  });

  route('POST /digital-orders/guest/checkout/abandon', async ({ body, request }) => {
    const order = await findOrderOfBrowser(deps.db, request, body.orderId);
    if (order?.state === 'pending') {
      await whileBuyerWaits(deps, NOT_KNOWN, () => abandonOrder(deps, order, body));
    }
    return {};
  });

  /** It may be placed again, long after it was refunded. */
  async function presentPlaced(order: OrderWithLines) {
    return presentOrder({ ...order, refunds: await listRefundsOfOrders(deps.db, [order]) });
  }

  async function answerGuest(
    request: FastifyRequest,
    reply: FastifyReply,
    order: OrderWithLines,
    proof: { boundBrowser: boolean; password: string },
  ) {
    const door = await openGuestAccount(deps, { order, ...proof, client: clientOf(request) });
    const data = await presentPlaced(order);
    if (door.access !== 'signed-in') return { data: { ...data, access: door.access } };
    setDeviceCookie(deps, reply, door.device);
    return { data: { ...data, access: door.access, token: door.token, user: presentUser(door.user) } };
  }
}

function presentIntent({ order, intent }: { order: PayableOrder; intent: PaymentIntent }) {
  return {
    clientSecret: intent.clientSecret,
    orderId: order.id,
    validatedAmounts: {
      itemsPrice: toDollars(order.items_cents),
      taxPrice: toDollars(order.tax_cents),
      totalPrice: toDollars(order.total_cents),
    },
  };
}
