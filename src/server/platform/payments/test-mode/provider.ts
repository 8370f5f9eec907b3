import type { FastifyBaseLogger, FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Stripe } from 'stripe';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/open-database.ts';
import type { Payments } from '../payments.ts';
import { createStripePayments } from '../stripe-gateway.ts';
import { getOrMakeAccount, isAccount, type ProviderAccount } from './account.queries.ts';
import { deliverEvents } from './deliver-events.ts';
import { createEventCourier } from './event-courier.ts';
import { insertEvent, takeDueEvents } from './events.queries.ts';
import { createRequestHandler } from './handle-request.ts';
import { createHttpSurface } from './http-surface.ts';
import { createInProcessClient } from './in-process-client.ts';
import { findIntent } from './intents.queries.ts';
import { createLastSeenIntents } from './last-seen-intents.ts';
import { postEventsTo } from './post-event.ts';
import type { Provider } from './provider-call.ts';
import { disputeObject, providerEvent } from './stripe-objects.ts';

/** The built-in Stripe-compatible provider: docs/test-mode.md. */
export interface TestModeProvider {
  /** The gateway on the Stripe SDK, connected to the provider without a socket. */
  payments: Payments;
  /** The HTTP surface, to be registered under `/test-mode`. */
  plugin: FastifyPluginAsync;
  publishableKey: string;
  /** For a Stripe SDK of one's own over HTTP, and for signing a webhook in a test. */
  keys: ProviderAccount;
  /** For a Stripe SDK of one's own, as the fault tests have, which break it on purpose. */
  httpClient: Stripe.HttpClient;
  /** Whether the provider in this database still has the keys that this process uses. */
  isConfigured(db: Database): Promise<boolean>;
  /** Delivers webhooks to this shop from now on, unless they are switched off. */
  start(shop: Pick<FastifyInstance, 'inject'>): void;
  stop(): Promise<void>;
  /** A buyer disputes a captured payment with the bank: the shop hears of it by a webhook. */
  openDispute(intentId: string): Promise<void>;
}

/**
 * Opens the provider whose state is in `db`. Several processes may open it on one database: they agree on the keys,
 * and each event is delivered by one of them. Switched off, webhooks are written down and not delivered.
 */
export async function openTestModeProvider(options: {
  db: Database;
  log: FastifyBaseLogger;
  clock: Clock;
  deliverWebhooks: boolean;
  /** Whose payments the shop's own gateway makes. */
  shopId?: string;
}): Promise<TestModeProvider> {
  const { db, log, clock, deliverWebhooks, shopId } = options;
  const keys = await getOrMakeAccount(db, { now: clock.now() });
  const courier = createEventCourier(log);
  const provider: Provider = {
    db,
    log,
    clock,
    account: keys,
    lastSeen: createLastSeenIntents(),
    eventWritten: courier.add,
  };
  const handle = createRequestHandler(provider);
  const httpClient = createInProcessClient(handle);
  return {
    payments: createStripePayments({
      secretKey: keys.secretKey,
      webhookSecret: keys.webhookSecret,
      httpClient,
      clock,
      shopId,
      maxNetworkRetries: 1,
    }),
    plugin: createHttpSurface(handle),
    publishableKey: keys.publishableKey,
    keys,
    httpClient,
    isConfigured: (database) => isAccount(database, keys),
    start: (shop) => {
      if (!deliverWebhooks) return;
      const post = postEventsTo(shop);
      courier.start({
        deliver: (events) => deliverEvents(provider, post, events),
        takeDue: (limit) => takeDueEvents(db, { now: clock.now(), limit }),
      });
    },
    stop: courier.stop,
    openDispute: (intentId) => openDispute(provider, intentId),
  };
}

async function openDispute(provider: Provider, intentId: string): Promise<void> {
  const found = await findIntent(provider.db, { id: intentId });
  if (found?.intent.status !== 'succeeded') throw new Error('Only a captured payment can be disputed');
  const now = provider.clock.now();
  const event = providerEvent('charge.dispute.created', disputeObject(found.intent, now), now);
  await insertEvent(provider.db, { event, now });
  provider.eventWritten({ ...event, attempts: 0 });
}
