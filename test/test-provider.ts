import Fastify from 'fastify';
import { pino } from 'pino';
import { openDatabase } from '../src/server/platform/database/open-database.ts';
import { openTestModeProvider } from '../src/server/platform/payments/test-mode/provider.ts';
import { createTestDatabase } from './database.ts';

export interface BrowserAnswer {
  status: number;
  body: ProviderBody;
}

interface ProviderBody {
  id?: string;
  status?: string;
  next_action?: { type: string; use_stripe_sdk: { type: string } } | null;
  last_payment_error?: { code: string; message: string } | null;
  metadata?: object;
  error?: {
    type: string;
    code?: string;
    decline_code?: string;
    param?: string;
    message: string;
    payment_intent?: ProviderBody;
  };
}

export interface CardFields {
  number?: string;
  exp_month?: string;
  exp_year?: string;
  cvc?: string;
}

/**
 * The test mode provider with its HTTP surface on a free port, under `/test-mode` as in the shop and at the root for a
 * Stripe SDK of one's own, beside a webhook endpoint that keeps what it is sent.
 */
export async function startTestProvider(options: { deliverWebhooks?: boolean } = {}) {
  const database = await createTestDatabase();
  const db = openDatabase(database.connectionString);
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  const logLines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logLines.push(line) });
  const deliverWebhooks = options.deliverWebhooks ?? false;
  const provider = await openTestModeProvider({ db, log, clock, deliverWebhooks });

  const app = Fastify({ loggerInstance: log });
  await app.register(provider.plugin, { prefix: '/test-mode' });
  await app.register(provider.plugin);
  const webhooks: { body: Buffer; signature: string }[] = [];
  let webhookStatus = 200;
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.post<{ Body: Buffer }>('/api/webhooks/stripe', async (request, reply) => {
    webhooks.push({ body: request.body, signature: String(request.headers['stripe-signature']) });
    return reply.status(webhookStatus).send();
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  provider.start(app);

  async function browser(
    method: 'GET' | 'POST',
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = { authorization: `Bearer ${provider.publishableKey}` },
  ): Promise<BrowserAnswer> {
    const form = new URLSearchParams(fields);
    const address = `${url}/test-mode/v1/${path}`;
    const response =
      method === 'GET'
        ? await fetch(`${address}?${form}`, { headers })
        : await fetch(address, { method, headers, body: form });
    return { status: response.status, body: (await response.json()) as ProviderBody };
  }

  return {
    ...provider,
    db,
    url,
    connectionString: database.connectionString,
    log,
    logLines,
    clock,
    webhooks,
    browser,
    answerWebhooksWith: (status: number) => {
      webhookStatus = status;
    },
    pass: (milliseconds: number) => {
      passedMs += milliseconds;
    },

    /** As the card form does; a valid card number unless said otherwise. */
    confirm: (clientSecret: string, card: CardFields = {}) =>
      browser('POST', `payment_intents/${idOf(clientSecret)}/confirm`, {
        client_secret: clientSecret,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': card.number ?? '4242 4242 4242 4242',
        'payment_method_data[card][exp_month]': card.exp_month ?? '12',
        'payment_method_data[card][exp_year]': card.exp_year ?? '2045',
        'payment_method_data[card][cvc]': card.cvc ?? '123',
      }),
    answerChallenge: (clientSecret: string, outcome: 'complete' | 'fail') =>
      browser('POST', `payment_intents/${idOf(clientSecret)}/challenge`, {
        client_secret: clientSecret,
        outcome,
      }),

    async stop() {
      await provider.stop();
      await app.close();
      await db.destroy();
      await database.drop();
    },
  };
}

export type TestProvider = Awaited<ReturnType<typeof startTestProvider>>;

const idOf = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';
