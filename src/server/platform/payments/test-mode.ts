import { createStripeTestMode, type StripeTestMode } from '@kedai/stripe-test-mode';
import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Database } from '../database/database.ts';
import type { Clock } from '../database/database-clock.ts';
import type { Payments } from './payments.ts';
import { createStripePayments } from './stripe-gateway.ts';
import { createTestModeStore } from './test-mode-store.queries.ts';

const PATH = '/test-mode';
const WEBHOOK_PATH = '/api/webhooks/stripe';
const LARGEST_BODY_BYTES = 16 * 1024;

/** The provider of packages/stripe-test-mode with its state in the shop's database (docs/test-mode.md). */
interface TestModeProvider
  extends Pick<
    StripeTestMode,
    'keys' | 'httpClient' | 'stop' | 'openDispute' | 'changeDispute' | 'openFraudWarning' | 'endRefund'
  > {
  /** The Stripe gateway, connected to the provider without a socket. */
  payments: Payments;
  /** The HTTP API, under `/test-mode`. */
  plugin: FastifyPluginAsync;
  publishableKey: string;
  /** Tells whether the provider in this database has the keys of this process; a restored backup may have others. */
  isConfigured(db: Database): Promise<boolean>;
  /** Delivers webhooks to this shop from now on, by the request that Stripe would make, without a socket. */
  deliverTo(shop: Pick<FastifyInstance, 'inject'>): void;
}

/** Opens the provider in `db`. Processes that share it use the same keys, and one of them delivers each event. */
export async function openTestModeProvider(options: {
  db: Database;
  log: FastifyBaseLogger;
  clock: Clock;
  /** Written into the metadata of the shop's payments. */
  shopId?: string;
}): Promise<TestModeProvider> {
  const { db, log, clock, shopId } = options;
  const provider = await createStripeTestMode({ store: createTestModeStore(db), clock, log, basePath: PATH });
  const { keys, httpClient } = provider;
  return {
    ...provider,
    payments: createStripePayments({ ...keys, httpClient, clock, shopId, maxNetworkRetries: 1 }),
    plugin: providerRoutes(provider),
    publishableKey: keys.publishableKey,
    isConfigured: async (database) => (await createTestModeStore(database).findKeys())?.secretKey === keys.secretKey,
    deliverTo: (shop) =>
      provider.startWebhooks(async ({ payload, signature }) => {
        const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
        return (await shop.inject({ method: 'POST', url: WEBHOOK_PATH, headers, payload })).statusCode;
      }),
  };
}

const providerRoutes =
  ({ handle }: StripeTestMode): FastifyPluginAsync =>
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: LARGEST_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    app.route({
      method: ['GET', 'POST'],
      url: '/v1/*',
      logLevel: 'warn',
      schema: { hide: true },
      handler: async ({ method, url, body, headers }, reply) => {
        const { authorization, 'idempotency-key': key } = headers;
        const response = await handle({
          method,
          url,
          body: typeof body === 'string' ? body : '',
          authorization,
          idempotencyKey: Array.isArray(key) ? key[0] : key,
        });
        return reply
          .status(response.status)
          .headers({ ...response.headers, 'content-type': 'application/json', 'cache-control': 'no-store' })
          .send(response.body);
      },
    });
  };
