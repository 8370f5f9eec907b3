import { randomUUID } from 'node:crypto';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyPluginAsync, LogController } from 'fastify';
import { locales, config as zodConfig } from 'zod/mini';
import type { Shop } from '../shared/content.ts';
import { coversRoutes } from './demo/covers.routes.ts';
import { mailboxRoutes } from './demo/mailbox.ts';
import type { Deps } from './deps.ts';
import { accountsRoutes } from './features/accounts/accounts.routes.ts';
import { createAuthenticate } from './features/accounts/sessions.ts';
import { adminRoutes } from './features/admin/admin.routes.ts';
import { cartRoutes } from './features/cart/cart.ts';
import { adminProductsRoutes, catalogRoutes, imageFiles } from './features/catalog/catalog.routes.ts';
import { createPublicCatalog } from './features/catalog/present-product.ts';
import { forgetCheckout } from './features/checkout/bound-order.ts';
import { checkoutRoutes, webhookRoutes } from './features/checkout/checkout.routes.ts';
import { releaseOrder } from './features/checkout/release-order.ts';
import { closingRoutes, createClosedText } from './features/closing/closing.ts';
import { contentRoutes, createInfoPages } from './features/content/content.routes.ts';
import { pagesRoutes } from './features/content/pages.routes.ts';
import { deliveryRoutes } from './features/delivery/delivery.routes.ts';
import { downloadFiles } from './features/files/send-file.ts';
import { inventoryRoutes } from './features/inventory/inventory.routes.ts';
import { notificationsRoutes } from './features/notifications/notifications.routes.ts';
import { orderLookupRoutes } from './features/order-lookup/order-lookup.routes.ts';
import { orderPageRoutes } from './features/order-page/order-page.routes.ts';
import { ordersRoutes } from './features/orders/orders.routes.ts';
import { problemReportsRoutes } from './features/problem-reports/problem-reports.routes.ts';
import { createPublishedReviews } from './features/reviews/present-review.ts';
import { reviewsRoutes } from './features/reviews/reviews.routes.ts';
import { usersRoutes } from './features/users/users.routes.ts';
import type { Database } from './platform/database/database.ts';
import { apiDocs } from './platform/http/api-docs.ts';
import { BODY_LIMIT_BYTES, limitBodies, limitResponses } from './platform/http/body-budget.ts';
import { browserFiles } from './platform/http/browser-files.ts';
import { createForwardedClient } from './platform/http/client.ts';
import { refuseUnparsed, sendError, unreadable } from './platform/http/errors.ts';
import { healthRoutes, type Readiness } from './platform/http/health.ts';
import { createHttpServer, hasOneHost, observeRequests, securityHeaders } from './platform/http/http-server.ts';
import { type CallPolicy, createRoute } from './platform/http/route.ts';
import type { Tracing } from './platform/tracing/tracing.ts';

interface AppParts {
  /** Shares of `deps.db`: for the calls of accounts, logins and order lookups, and for the calls that open payments. */
  shares: Record<'accounts' | 'opening', Database>;
  shop: Shop;
  policy?: CallPolicy | undefined;
  /** The API of the built-in provider; undefined if Stripe takes the cards. */
  testMode: FastifyPluginAsync | undefined;
  readiness: Readiness;
  tracing: Tracing;
}

/** Builds the web server. This function is the shop's table of contents, from the outside in. */
export async function buildApp(deps: Deps, parts: AppParts): Promise<FastifyInstance> {
  zodConfig(locales.en());
  const { config } = deps;
  const ofAccounts = { ...deps, db: parts.shares.accounts };
  const headers = await securityHeaders({ production: config.production, stripe: config.stripe !== undefined });
  const app = Fastify({
    // Level `warn` omits Fastify's line about its address, because the last line of the start names it.
    loggerInstance: deps.log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true }),
    // createForwardedClient has already reduced the header to a single address.
    trustProxy: config.trustProxy !== false && ((_address, hop) => hop === 0),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: 'idle',
    // While the server closes, a request on an open connection is answered, and then the connection is closed.
    return503OnClosing: false,
    serverFactory: (handler) => createHttpServer(handler),
    // Consecutive numbers would reveal how busy the shop is.
    genReqId: () => randomUUID(),
    // The same as in the browser's router.
    routerOptions: { maxParamLength: 100, ignoreTrailingSlash: true },
    // Handles malformed URLs, for which no hook runs.
    frameworkErrors: (error, request, reply) => sendError(error, request, reply.headers(headers)),
    clientErrorHandler: (error, socket) => refuseUnparsed(error, socket, headers),
  });
  app.server.on('checkExpectation', ({ socket }) => refuseUnparsed({ code: 'UNKNOWN_EXPECTATION' }, socket, headers));
  app.setErrorHandler(sendError);
  const useForwardedClient = config.trustProxy === false ? undefined : createForwardedClient(config.trustProxy);
  app.addHook('onRequest', (request, reply, done) => {
    useForwardedClient?.(request.raw);
    reply.headers(headers);
    if (parts.readiness.isDraining()) reply.header('connection', 'close');
    done(hasOneHost(request.raw) ? undefined : unreadable());
  });
  limitBodies(app);
  limitResponses(app);
  parts.tracing.traceRequests(app);
  observeRequests(app, deps);
  // Few calls read cookies, so they are not parsed for other calls. `parseOptions` are what every cookie is set with.
  const parseOptions = { httpOnly: true, sameSite: 'lax', secure: config.secureCookies } as const;
  await app.register(cookie, { hook: false, parseOptions });
  await apiDocs(app, { storeName: config.storeName, withAdmin: !config.production, limits: deps.limits });

  healthRoutes(app, parts.readiness);
  const route = createRoute(app, createAuthenticate(deps), deps.limits, parts.policy);
  const catalog = createPublicCatalog(deps);
  const reviews = createPublishedReviews(deps);
  const infoPages = createInfoPages(config);
  const closedText = createClosedText(deps);
  contentRoutes(route, { shop: parts.shop, infoPages });
  catalogRoutes(route, catalog);
  adminProductsRoutes(route, ofAccounts);
  reviewsRoutes(route, ofAccounts, reviews);
  cartRoutes(route, ofAccounts);
  checkoutRoutes(route, deps, { ...deps, db: parts.shares.opening });
  ordersRoutes(route, ofAccounts, releaseOrder);
  orderPageRoutes(route, ofAccounts);
  orderLookupRoutes(route, ofAccounts);
  problemReportsRoutes(route, ofAccounts);
  accountsRoutes(route, ofAccounts, forgetCheckout);
  closingRoutes(route, ofAccounts, closedText);
  adminRoutes(route, ofAccounts, parts.policy);
  notificationsRoutes(route, ofAccounts);
  usersRoutes(route, ofAccounts);
  inventoryRoutes(route, ofAccounts);
  deliveryRoutes(route, ofAccounts);

  await app.register((scope, _options, done) => {
    webhookRoutes(scope, deps);
    done();
  });
  imageFiles(app, deps);
  downloadFiles(app, deps);
  if (parts.testMode) await app.register(parts.testMode, { prefix: '/test-mode' });
  if (parts.shop.demoAccounts.length > 0) await app.register(coversRoutes);
  if (parts.shop.mailbox !== null) await app.register(mailboxRoutes(config));
  const built = await browserFiles(app);
  pagesRoutes(app, deps, { shop: parts.shop, catalog, reviews, infoPages, closedText, built });
  return app;
}
