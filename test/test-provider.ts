import { createStripeTestMode } from '@kedai/stripe-test-mode';
import Fastify from 'fastify';
import { sql } from 'kysely';
import { pino } from 'pino';
import { browserAt, sdkAt } from '../packages/stripe-test-mode/test/provider-under-test.ts';
import { openDatabase } from '../src/server/platform/database/open-database.ts';
import { openTestModeProvider } from '../src/server/platform/payments/test-mode.ts';
import { createTestModeStore } from '../src/server/platform/payments/test-mode-store.queries.ts';
import { createTestDatabase } from './database.ts';

/**
 * Starts the test-mode provider on a database of its own and a free port: under `/test-mode` as in the shop, and at the
 * root for a Stripe SDK. A webhook endpoint beside it keeps what it receives.
 */
export async function startTestProvider(options: { deliverWebhooks?: boolean } = {}) {
  const database = await createTestDatabase();
  const db = openDatabase(database.connectionString);
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  const logLines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logLines.push(line) });
  const provider = await openTestModeProvider({ db, log, clock });

  const app = Fastify({ loggerInstance: log });
  await app.register(provider.plugin, { prefix: '/test-mode' });
  await app.register(provider.plugin);
  const webhooks: { body: Buffer; signature: string }[] = [];
  let webhookStatus = 200;
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post<{ Body: Buffer }>('/api/webhooks/stripe', async (request, reply) => {
    webhooks.push({ body: request.body, signature: String(request.headers['stripe-signature']) });
    return reply.status(webhookStatus).send();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  if (options.deliverWebhooks) provider.deliverTo(app);

  return {
    ...provider,
    ...browserAt(url, provider.publishableKey),
    db,
    url,
    connectionString: database.connectionString,
    log,
    logLines,
    clock,
    webhooks,
    answerWebhooksWith: (status: number) => {
      webhookStatus = status;
    },
    pass: (milliseconds: number) => {
      passedMs += milliseconds;
    },

    store: createTestModeStore(db),
    sdk: (secretKey: string) => sdkAt(url, secretKey),
    openAnother: () => createStripeTestMode({ store: createTestModeStore(db), clock, log }),
    listEvents: () => db.selectFrom('test_mode_events').selectAll().execute(),
    dump: async () => {
      const tables = ['intents', 'refunds', 'events', 'idempotency_keys'];
      const rows = tables.map((name) =>
        sql<{ row: string }>`SELECT t::text AS row FROM ${sql.table(`test_mode_${name}`)} t`.execute(db),
      );
      return (await Promise.all(rows)).flatMap((result) => result.rows.map(({ row }) => row)).join('\n');
    },

    async stop() {
      await provider.stop();
      await app.close();
      await db.destroy();
      await database.drop();
    },
  };
}
