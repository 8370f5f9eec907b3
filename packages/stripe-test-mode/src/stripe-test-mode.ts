import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Stripe } from 'stripe';
import type { Provider } from './call.ts';
import { endRefundAtBank } from './change-intent.ts';
import { changeDispute, openDispute, openFraudWarning } from './claims.ts';
import { createInProcessClient, createListener } from './connections.ts';
import { createRequestHandler, type HandleRequest, type Log } from './handle-request.ts';
import { createMemoryStore } from './memory-store.ts';
import type { DisputeFacts, Keys, RefundEnd, Store } from './store.ts';
import { createWebhooks, type SendWebhook } from './webhooks.ts';

export interface StripeTestModeOptions {
  /** In memory unless given. Several processes may share one store. */
  store?: Store;
  /** The system's unless given. */
  clock?: { now(): Date };
  /** Made on first use and kept in the store unless given. */
  keys?: Keys;
  /** Prefix of all paths, as `/test-mode`; none unless given. */
  basePath?: string;
  /** Silent unless given. */
  log?: Log;
}

export interface StripeTestMode {
  /** For a Stripe SDK, for the browser, and to check webhook signatures. */
  keys: Keys;
  /** The API over HTTP, for `http.createServer`. */
  listener: RequestListener;
  /** The API without HTTP, to be mounted in any web framework. */
  handle: HandleRequest;
  /** For a Stripe SDK in the same process: `new Stripe(keys.secretKey, { httpClient })` needs no socket. */
  httpClient: Stripe.HttpClient;
  /** Sends webhooks to a URL, or by a function, from now on; until then events wait in the store. */
  startWebhooks(to: string | SendWebhook): void;
  /** Ends the deliveries. */
  stop(): Promise<void>;
  /**
   * Opens a buyer's dispute of a captured payment; webhooks report it. With `facts` it is e.g. an inquiry, or a dispute
   * of a part.
   */
  openDispute(intentId: string, facts?: Partial<DisputeFacts>): Promise<void>;
  /** Moves the dispute of a payment to another status, as a bank does; a webhook reports it. */
  changeDispute(intentId: string, to: Pick<DisputeFacts, 'status'> & Partial<DisputeFacts>): Promise<void>;
  /** Opens an early fraud warning of the bank about a captured payment; a webhook reports it. */
  openFraudWarning(intentId: string): Promise<void>;
  /** Ends a pending refund, or sends back one that had succeeded, as a bank does; a webhook reports it. */
  endRefund(refundId: string, end: RefundEnd): Promise<void>;
}

/** Opens a Stripe-compatible provider on a store. */
export async function createStripeTestMode(options: StripeTestModeOptions = {}): Promise<StripeTestMode> {
  const { store = createMemoryStore(), clock = { now: () => new Date() }, log = silent } = options;
  const keys = options.keys ?? (await getOrMakeKeys(store, clock.now()));
  const webhooks = createWebhooks({ store, clock, keys }, log);
  const provider: Provider = { store, clock, keys, lastSeen: new Map(), eventWritten: webhooks.add };
  const handle = createRequestHandler(provider, log, options.basePath ?? '');
  return {
    keys,
    handle,
    listener: createListener(handle),
    httpClient: createInProcessClient(handle),
    startWebhooks: webhooks.start,
    stop: webhooks.stop,
    openDispute: (intentId, facts) => openDispute(provider, intentId, facts),
    changeDispute: (intentId, to) => changeDispute(provider, intentId, to),
    openFraudWarning: (intentId) => openFraudWarning(provider, intentId),
    endRefund: (refundId, end) => endRefundAtBank(provider, refundId, end),
  };
}

const silent: Log = { warn: () => undefined, error: () => undefined };

/** Processes that start together on one store get the same keys. */
async function getOrMakeKeys(store: Store, now: Date): Promise<Keys> {
  const stored = await store.findKeys();
  if (stored) return stored;
  const [publishableKey, secretKey, webhookSecret] = [newKey('pk_test_'), newKey('sk_test_'), newKey('whsec_')];
  await store.insertKeys({ publishableKey, secretKey, webhookSecret }, now);
  const made = await store.findKeys();
  if (!made) throw new Error('The test mode provider has no keys');
  return made;
}

const newKey = (prefix: string) => prefix + randomBytes(24).toString('hex');
