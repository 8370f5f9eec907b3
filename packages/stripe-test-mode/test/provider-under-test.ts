import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { createMemoryStore, emptyState } from '../src/memory-store.ts';
import type { Keys, Store, StoredEvent } from '../src/store.ts';
import { createStripeTestMode, type StripeTestMode } from '../src/stripe-test-mode.ts';

/** A provider over HTTP with a webhook endpoint. The suites of this folder test it with any store. */
export interface ProviderUnderTest extends Browser {
  keys: Keys;
  store: Store;
  /** Creates an SDK that calls the provider over HTTP, without the base path. */
  sdk(secretKey: string): Stripe;
  url: string;
  openDispute: StripeTestMode['openDispute'];
  changeDispute: StripeTestMode['changeDispute'];
  /** Opens a further provider on the same store, as another process would; webhooks are not delivered. */
  openAnother(): Promise<Pick<StripeTestMode, 'keys' | 'httpClient'>>;
  clock: { now(): Date };
  /** Moves the clock. */
  pass(milliseconds: number): void;
  webhooks: { body: Buffer; signature: string }[];
  answerWebhooksWith(status: number): void;
  /** Undelivered events. */
  listEvents(): Promise<Pick<StoredEvent, 'id' | 'type' | 'payload' | 'attempts'>[]>;
  /** Everything in the store, as text. */
  dump(): Promise<string>;
  logLines: string[];
  stop(): Promise<void>;
}

export type StartProvider = (options: { deliverWebhooks: boolean }) => Promise<ProviderUnderTest>;

/** Starts the package alone: its HTTP listener, with everything in memory. */
export const startInMemory: StartProvider = async ({ deliverWebhooks }) => {
  let passedMs = 0;
  let webhookStatus = 200;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  const logLines: string[] = [];
  const note = (details: object, message: string) => {
    logLines.push(`${JSON.stringify(details)} ${message}`);
  };
  const state = emptyState();
  const store = createMemoryStore(state);
  const options = { store, clock, log: { warn: note, error: note }, basePath: '/test-mode' };
  const provider = await createStripeTestMode(options);
  const webhooks: { body: Buffer; signature: string }[] = [];
  const server = createServer(async (request, response) => {
    note({ path: request.url?.split('?')[0] }, 'request');
    if (request.url !== '/webhooks') return provider.listener(request, response);
    webhooks.push({ body: await bodyOf(request), signature: String(request.headers['stripe-signature']) });
    return response.writeHead(webhookStatus).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (deliverWebhooks) provider.startWebhooks(`${url}/webhooks`);
  return {
    ...provider,
    ...browserAt(url, provider.keys.publishableKey),
    store,
    url,
    sdk: (secretKey) => sdkAt(url, secretKey),
    openAnother: () => createStripeTestMode(options),
    clock,
    pass: (milliseconds) => {
      passedMs += milliseconds;
    },
    webhooks,
    answerWebhooksWith: (status) => {
      webhookStatus = status;
    },
    listEvents: async () => [...state.events.values()],
    dump: async () => {
      const { intents, refunds, responses, events } = state;
      return JSON.stringify([intents, refunds, responses, events].map((rows) => [...rows.values()]));
    },
    logLines,
    stop: async () => {
      await provider.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function sdkAt(url: string, secretKey: string): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
}

export interface BrowserResponse {
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

/** The calls of a card form, with the publishable key unless `headers` say otherwise. */
export interface Browser {
  browser(
    method: 'GET' | 'POST',
    path: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<BrowserResponse>;
  /** Confirms with a valid card by default. */
  confirm(clientSecret: string, card?: CardFields): Promise<BrowserResponse>;
  answerChallenge(clientSecret: string, outcome: 'complete' | 'fail'): Promise<BrowserResponse>;
}

export function browserAt(url: string, publishableKey: string): Browser {
  const browser: Browser['browser'] = async (method, path, fields = {}, headers) => {
    const form = new URLSearchParams(fields);
    const endpoint = `${url}/test-mode/v1/${path}`;
    const options = { headers: headers ?? { authorization: `Bearer ${publishableKey}` } };
    const response =
      method === 'GET'
        ? await fetch(`${endpoint}?${form}`, options)
        : await fetch(endpoint, { ...options, method, body: form });
    return { status: response.status, body: (await response.json()) as ProviderBody };
  };
  const idOf = (clientSecret: string) => clientSecret.split('_secret_')[0] ?? '';
  return {
    browser,
    confirm: (clientSecret, card = {}) =>
      browser('POST', `payment_intents/${idOf(clientSecret)}/confirm`, {
        client_secret: clientSecret,
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': card.number ?? '4242 4242 4242 4242',
        'payment_method_data[card][exp_month]': card.exp_month ?? '12',
        'payment_method_data[card][exp_year]': card.exp_year ?? '2045',
        'payment_method_data[card][cvc]': card.cvc ?? '123',
      }),
    answerChallenge: (clientSecret, outcome) =>
      browser('POST', `payment_intents/${idOf(clientSecret)}/challenge`, { client_secret: clientSecret, outcome }),
  };
}

/** A new intent over 5 dollars, for a card. */
export async function createIntent(
  { sdk, keys }: ProviderUnderTest,
  { amount = 500, idempotencyKey }: { amount?: number; idempotencyKey?: string } = {},
) {
  const intent = await sdk(keys.secretKey).paymentIntents.create(
    { amount, currency: 'usd', capture_method: 'manual', allowed_payment_method_types: ['card'] },
    idempotencyKey === undefined ? {} : { idempotencyKey },
  );
  return { ...intent, clientSecret: intent.client_secret ?? '' };
}

export async function createAuthorised(provider: ProviderUnderTest): Promise<string> {
  const { id, clientSecret } = await createIntent(provider);
  await provider.confirm(clientSecret);
  return id;
}
