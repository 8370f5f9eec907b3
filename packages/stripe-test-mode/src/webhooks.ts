import { Stripe } from 'stripe';
import type { Provider } from './call.ts';
import type { Log } from './handle-request.ts';
import type { StoredEvent } from './store.ts';
import { leaseEnd } from './stripe-objects.ts';

/** Sends a webhook; returns the HTTP status of the response, or throws. `signature` is the `stripe-signature` header. */
export type SendWebhook = (webhook: { payload: string; signature: string }) => Promise<number>;

export interface Webhooks {
  /** Delivers to a URL, or by a function, from now on. */
  start(to: string | SendWebhook): void;
  /** Takes an event that was committed. */
  add(event: StoredEvent): void;
  /** Waits for deliveries under way; the rest stays due in the store. */
  stop(): Promise<void>;
}

// Stripe's webhooks come after its responses, too. Sent at once, a webhook would coincide with the caller's work on the
// response.
const DELAY_MS = 300;
const POLL_MS = 2_000;
const BATCH = 16;
const LONGEST_QUEUE = 1_000;
const ANSWER_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/**
 * Delivers the events of this process from memory and polls the store for others that are due: retries, and events of a
 * process that died. An event that is lost from memory is still in the store.
 */
export function createWebhooks(provider: Omit<Provider, 'eventWritten' | 'lastSeen'>, log: Log): Webhooks {
  const { store, clock } = provider;
  // Events wait for one whole round, hence for DELAY_MS at least: `fresh` came since the last round, `ripe` before it.
  let fresh: StoredEvent[] = [];
  let ripe: StoredEvent[] = [];
  let send: SendWebhook | undefined;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> | undefined;
  let polledAt = Number.NEGATIVE_INFINITY;

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      round = deliverAll().finally(() => {
        round = undefined;
        if (send) schedule(DELAY_MS);
      });
    }, delayMs);
    timer.unref();
  }

  async function deliverAll(): Promise<void> {
    try {
      const due = ripe;
      ripe = fresh;
      fresh = [];
      while (send && due.length > 0) await deliver(send, due.splice(0, BATCH));
      if (performance.now() - polledAt >= POLL_MS) await deliverDue();
    } catch (error) {
      log.error({ err: error }, 'test mode events were not delivered');
    }
  }

  async function deliverDue(): Promise<void> {
    polledAt = performance.now();
    let taken = BATCH;
    while (send && taken === BATCH) {
      const now = clock.now();
      const events = await store.takeDueEvents({ now, until: leaseEnd(now), limit: BATCH });
      taken = events.length;
      if (taken > 0) await deliver(send, events);
    }
  }

  /** Events that are not answered with a 2xx become due again, later and later. */
  async function deliver(by: SendWebhook, events: StoredEvent[]): Promise<void> {
    const delivered = await Promise.all(events.map((event) => tryToSend(by, event)));
    const [done, failed] = [events.filter((_, i) => delivered[i]), events.filter((_, i) => !delivered[i])];
    if (done.length > 0) await store.deleteEvents(done.map(({ id }) => id));
    for (const { id, attempts } of failed) {
      const delayMs = Math.min(FIRST_RETRY_MS * 2 ** attempts, LONGEST_RETRY_MS);
      const nextAttemptAt = new Date(clock.now().getTime() + delayMs);
      await store.postponeEvent({ id, attempts: attempts + 1, nextAttemptAt });
    }
  }

  async function tryToSend(by: SendWebhook, { payload }: StoredEvent): Promise<boolean> {
    const timestamp = Math.floor(clock.now().getTime() / 1_000);
    const secret = provider.keys.webhookSecret;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    try {
      const status = await by({ payload, signature });
      return status >= 200 && status < 300;
    } catch (error) {
      log.warn({ err: error }, 'a test mode event could not be sent');
      return false;
    }
  }

  return {
    start: (to) => {
      send = typeof to === 'string' ? postTo(to) : to;
      schedule(0);
    },
    add: (event) => {
      if (send && fresh.length < LONGEST_QUEUE) fresh.push(event);
    },
    stop: async () => {
      send = undefined;
      clearTimeout(timer);
      await round;
    },
  };
}

function postTo(url: string): SendWebhook {
  return async ({ payload, signature }) => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const signal = AbortSignal.timeout(ANSWER_MS);
    return (await fetch(url, { method: 'POST', headers, body: payload, signal })).status;
  };
}
