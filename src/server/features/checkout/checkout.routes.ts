import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BodyOf } from '../../../shared/api.ts';
import { AppError } from '../../../shared/errors.ts';
import { pricesOf, toDollars } from '../../../shared/pricing.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { clientOf, type Viewer } from '../../platform/http/client.ts';
import type { Route } from '../../platform/http/route.ts';
import { isAuthorised } from '../../platform/payments/payments.ts';
import { findUser } from '../accounts/accounts.queries.ts';
import { openGuestAccount } from '../accounts/claim-account.ts';
import { presentUser, setDeviceCookie } from '../accounts/sessions.ts';
import { enqueueOrderMail } from '../mails/send-mail.ts';
import { isOpen, presentOrder, presentOwnOrder, waitsForEmail } from '../orders/order-status.ts';
import { type FullOrder, listOrderLines, readFullOrder } from '../orders/orders.queries.ts';
import {
  type CheckoutBinding,
  clearCheckoutCookie,
  ensureCheckoutSecret,
  findBoundOrder,
  findCheckout,
  isBoundTo,
  type PaymentState,
  presentCheckout,
  presentIntent,
  presentPayment,
  setCheckoutCookie,
} from './bound-order.ts';
import { resumeHold } from './holds.queries.ts';
import { openPayment } from './open-payment.ts';
import { NOT_CHARGED, NOT_KNOWN, retrievePaced, WILL_BE_FINISHED, whileBuyerWaits } from './payment-intent.ts';
import { checkShippingAddress, listAddressCountries, previewCart, requestedCart } from './quote-cart.ts';
import { receivePaymentEvent } from './reconcile-payments.ts';
import { abandonOrder, countDecline, endHoldOfClosedPage } from './release-order.ts';
import { placePaidOrder, settleOrder } from './settle-order.ts';
import type { CheckoutBuyer } from './write-order.ts';

/** `opening`: of the calls that open payments, which wait for the same products. */
export function checkoutRoutes(route: Route, deps: Deps, opening: Deps): void {
  quoteRoutes(route, opening);
  openingRoutes(route, opening);
  finishingRoutes(route, deps);
  openedOrderRoutes(route, deps);
  waitingOrderRoutes(route, deps);
}

function quoteRoutes(route: Route, deps: Deps): void {
  const { shippingZones: zones } = deps.config;
  const countries = listAddressCountries(zones);

  route('GET /shipping/countries', async () => ({ data: countries }));

  route('POST /orders/quote', async ({ body: { orderItems, country: typed } }) => {
    const now = deps.clock.now();
    const quote = await previewCart(deps.db, requestedCart({ orderItems }), { zones, country: typed, now });
    // Before the country is known, the shipping of physical goods has no price.
    const shippingPrice = typed || !quote.needsShipping ? toDollars(quote.shippingCents) : null;
    const { needsShipping, freeAbove: freeShippingAbove } = quote;
    return { data: { ...pricesOf(quote), needsShipping, shippingPrice, freeShippingAbove } };
  });
}

type OpeningCall = { request: FastifyRequest; reply: FastifyReply; body: BodyOf<'POST /orders/create-payment-intent'> };

function openingRoutes(route: Route, deps: Deps): void {
  const { shippingZones: zones } = deps.config;

  for (const orders of ['digital-orders', 'orders'] as const) {
    const onlyDigital = orders === 'digital-orders';
    route(`POST /${orders}/create-payment-intent`, (call) =>
      openPaymentOfCart(call, customerOf(call.viewer, call.body), onlyDigital),
    );
    route(`POST /${orders}/guest/create-payment-intent`, (call) =>
      openPaymentOfCart(call, guestOf(call.body), onlyDigital),
    );
  }

  const customerOf = (viewer: Viewer, body: OpeningCall['body']) => ({
    ...viewer,
    email: body.contactEmail ?? viewer.email,
    name: body.contactName ?? viewer.name,
    phone: body.contactPhone ?? viewer.phone,
  });

  const guestOf = (body: BodyOf<'POST /orders/guest/create-payment-intent'>): CheckoutBuyer => {
    const { guestEmail: email, guestName: name, guestPhone: phone = '' } = body;
    return { userId: null, email, name, phone };
  };

  async function openPaymentOfCart({ request, reply, body }: OpeningCall, buyer: CheckoutBuyer, onlyDigital: boolean) {
    const checkout = await findCheckout(deps, request, reply);
    const input = {
      cart: {
        ...requestedCart(body),
        shippingAddress: body.shippingAddress && checkShippingAddress(zones, body.shippingAddress),
        onlyDigital,
      },
      buyer,
      onRepeat: body.onRepeat,
      ip: request.ip,
      previous: checkout.order,
      browserSecret: checkout.secret,
      closed: checkout.closed,
      bind: (binding: CheckoutBinding) => setCheckoutCookie(deps, reply, binding),
    };
    return presentIntent(await whileBuyerWaits(deps, NOT_CHARGED, (signal) => openPayment(deps, { ...input, signal })));
  }
}

function finishingRoutes(route: Route, deps: Deps): void {
  // Both paths finish orders of either kind, because the stored order has the lines.
  for (const path of ['/digital-orders', '/orders'] as const) {
    route(`POST ${path}`, async ({ body, viewer }) => ({
      data: presentOwnOrder(await placeOrder(body, { userId: viewer.userId }), viewer),
    }));

    route(`POST ${path}/guest`, async ({ body, request, reply }) => {
      const order = await placeOrder(body, { userId: null, guestEmail: body.guestEmail });
      return answerGuest(request, reply, order, body.guestPassword);
    });
  }

  function placeOrder(body: BodyOf<'POST /digital-orders'>, buyer: { userId: string | null; guestEmail?: string }) {
    const order = { paymentIntentId: body.paymentResult.id, cart: requestedCart(body), ...buyer };
    return whileBuyerWaits(deps, WILL_BE_FINISHED, () => placePaidOrder(deps, order));
  }

  route('POST /digital-orders/guest/checkout', async ({ body, request, reply }) => {
    const bound = await findBoundOrder(deps, request);
    if (!bound?.order.guest) throw new AppError('NOT_FOUND', 'There is no order to finish in this browser');
    const order = await whileBuyerWaits(deps, WILL_BE_FINISHED, () =>
      settleOrder(deps, bound.order.id, { byBuyer: true }),
    );
    return answerGuest(request, reply, await readFullOrder(deps.db, order), body.password);
  });

  async function answerGuest(request: FastifyRequest, reply: FastifyReply, order: FullOrder, password: string) {
    const boundBrowser = isBoundTo(deps, request, order);
    const opened = await openGuestAccount(deps, { order, boundBrowser, password, client: clientOf(request) });
    const data = { ...presentOrder(order), access: opened.access };
    if (opened.access !== 'signed-in') return { data };
    setDeviceCookie(reply, opened.device);
    return { data: { ...data, token: opened.token, user: presentUser(opened.user) } };
  }
}

/** The calls about the order that this browser has opened, of guests and of customers. */
function openedOrderRoutes(route: Route, deps: Deps): void {
  route('GET /digital-orders/guest/checkout', async ({ request, reply }) => {
    ensureCheckoutSecret(deps, request, reply);
    const { order, seen } = await findCheckout(deps, request, reply);
    if (!order || seen) return { data: null };
    if (order.state === 'pending') await resumeHold(deps.db, order);
    const state = await readPaymentState(order);
    return { data: presentCheckout(state, await needsPassword(order)) };
  });

  route('GET /digital-orders/guest/checkout/payment', async ({ request }) => {
    const bound = await findBoundOrder(deps, request);
    return { data: bound ? presentPayment(await readPaymentState(bound.order)) : null };
  });

  /** Returns the state of an order's payment. `authorised`: the provider says that a pending order is paid. */
  async function readPaymentState(order: OrderRow): Promise<PaymentState> {
    const lines = await listOrderLines(deps.db, order.id);
    const { state, payment_intent_id: intentId } = order;
    if (state !== 'pending' || intentId === null) return { order, lines, authorised: false };
    const intent = await whileBuyerWaits(deps, NOT_KNOWN, () => retrievePaced(deps, { ...order, intentId }, 'page'));
    if (intent.declineId !== undefined) await countDecline(deps, order, intent.declineId);
    return { order, lines, authorised: isAuthorised(intent) };
  }

  async function needsPassword(order: OrderRow): Promise<boolean> {
    if (!order.guest) return false;
    if (order.user_id === null) return isOpen(order);
    const owner = order.made_account ? await findUser(deps.db, order.user_id) : undefined;
    return owner?.password_hash === null;
  }

  route('DELETE /digital-orders/guest/checkout', async ({ request, reply }) => {
    const bound = await findBoundOrder(deps, request);
    if (!bound || !waitsForEmail(bound.order)) clearCheckoutCookie(deps, reply);
    else setCheckoutCookie(deps, reply, { orderId: bound.order.id, secret: bound.secret, seen: true });
  });

  route('POST /digital-orders/guest/checkout/abandon', async ({ body: { orderId, pageIsClosed }, request }) => {
    const { order } = (await findBoundOrder(deps, request, orderId)) ?? {};
    if (order?.state !== 'pending') return;
    const end = pageIsClosed ? endHoldOfClosedPage : abandonOrder;
    await whileBuyerWaits(deps, NOT_KNOWN, () => end(deps, order.id));
  });
}

/** The calls about a paid order that waits for its e-mail to be verified. */
function waitingOrderRoutes(route: Route, deps: Deps): void {
  route('GET /digital-orders/guest/waiting', async ({ request, reply }) => {
    const bound = await findBoundOrder(deps, request);
    if (bound && waitsForEmail(bound.order)) {
      return { data: { orderId: bound.order.id, email: bound.order.contact_email } };
    }
    if (bound?.seen) clearCheckoutCookie(deps, reply);
    return { data: null };
  });

  route('POST /digital-orders/guest/waiting/verify-link', async ({ request }) => {
    const bound = await findBoundOrder(deps, request);
    if (!bound || !waitsForEmail(bound.order)) {
      throw new AppError('NOT_FOUND', 'This browser has no waiting order any more');
    }
    const { order } = bound;
    await deps.limits.count('verify-link', { address: request.ip, device: order.id });
    await deps.db.transaction().execute((trx) => enqueueOrderMail(deps, trx, 'order-delivered', order));
  });
}

// An event of a dispute has up to 150,000 characters of evidence twice, as they are and as they were.
const EVENT_LIMIT_BYTES = 2 ** 20;

/** The provider's webhook, which is not in the contract. Needs the raw body: the signature covers the bytes. */
export function webhookRoutes(app: FastifyInstance, deps: Deps): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  const options = { bodyLimit: EVENT_LIMIT_BYTES, schema: { hide: true } as object };
  app.post('/api/webhooks/stripe', options, async (request) => {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || !Buffer.isBuffer(request.body)) {
      throw new AppError('WEBHOOK_INVALID', 'The event is not signed');
    }
    await receivePaymentEvent(deps, deps.payments.readEvent(request.body, signature));
    return { success: true };
  });
}
