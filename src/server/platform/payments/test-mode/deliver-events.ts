import { Stripe } from 'stripe';
import { deleteEvents, postponeEvent, type UndeliveredEvent } from './events.queries.ts';
import type { Provider } from './provider-call.ts';

/** Sends one signed event to the shop's webhook endpoint; answers the HTTP status, or throws. */
export type PostEvent = (delivery: { payload: string; signature: string }) => Promise<number>;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 5 * 60_000;

/** Delivers events at once; those that the shop does not take with a 2xx come due again, later and later. */
export async function deliverEvents(
  provider: Provider,
  post: PostEvent,
  events: UndeliveredEvent[],
): Promise<void> {
  const taken = await Promise.all(events.map((event) => isTaken(provider, post, event)));
  const [delivered, refused] = [events.filter((_, i) => taken[i]), events.filter((_, i) => !taken[i])];
  if (delivered.length > 0) await deleteEvents(provider.db, { ids: delivered.map(({ id }) => id) });
  for (const { id, attempts } of refused) {
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** attempts, LONGEST_RETRY_MS);
    const nextAttemptAt = new Date(provider.clock.now().getTime() + delayMs);
    await postponeEvent(provider.db, { id, attempts: attempts + 1, nextAttemptAt });
  }
}

async function isTaken(provider: Provider, post: PostEvent, { payload }: UndeliveredEvent): Promise<boolean> {
  const secret = provider.account.webhookSecret;
  try {
    const status = await post({
      payload,
      signature: Stripe.webhooks.generateTestHeaderString({
        payload,
        secret,
        timestamp: Math.floor(provider.clock.now().getTime() / 1_000),
      }),
    });
    return status >= 200 && status < 300;
  } catch (error) {
    provider.log.warn({ err: error }, 'a test mode event could not be sent');
    return false;
  }
}
