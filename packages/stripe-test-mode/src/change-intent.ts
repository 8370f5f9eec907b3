import {
  type Call,
  intentFor,
  isSameSecret,
  ok,
  type Provider,
  type ProviderResponse,
  refusal,
  requiredField,
} from './call.ts';
import { endRefund, type IntentEventType, lapseIntent, type Transition } from './intent-transitions.ts';
import type { Intent, RefundEnd, StoredResponse } from './store.ts';
import { chargeObject, intentObject, newEvent, noSuchObject, RequestRefused, refundObject } from './stripe-objects.ts';

// A round is lost only to the success of another request on the same intent, which does not happen 20 times in a row.
const MAX_ROUNDS = 20;

/**
 * Decides a request on the current version of the intent and saves the outcome on that version only; when another request
 * changed the intent meanwhile, decides again. So concurrent requests are decided one after the other.
 */
export async function changeIntent(provider: Provider, call: Call, change: Change): Promise<ProviderResponse> {
  return (await changeAsLastSeen(provider, call, change)) ?? changeAsItStands(provider, call, change);
}

interface Change {
  intentId: string;
  decide: (intent: Intent, now: Date) => Transition;
  present: (outcome: Transition) => object;
}

/**
 * Decides on the version that this process saw last, which is mostly the current one, and so saves a read. A success is
 * saved on that version or not at all. A refusal may be out of date, so it is decided again on the current version.
 */
async function changeAsLastSeen(provider: Provider, call: Call, change: Change): Promise<ProviderResponse | undefined> {
  const intent = provider.lastSeen.get(change.intentId);
  // A remembered version is used once: after a failure, the intent is read from the store.
  provider.lastSeen.delete(change.intentId);
  const now = provider.clock.now();
  if (!intent || !mayTouch(call, intent) || lapseIntent(intent, now)) return undefined;
  const outcome = tryToDecide(() => change.decide(intent, now), intent);
  if (outcome.problem || outcome.next === intent) return undefined;
  const response = respond(call, outcome, change.present);
  return (await save(provider, outcome, intent, toStored(call, response))) ? response : undefined;
}

async function changeAsItStands(provider: Provider, call: Call, change: Change): Promise<ProviderResponse> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { intent, response: stored } = await getIntent(provider, call, change.intentId);
    if (stored) return replay(call, stored);
    const outcome = tryToDecide(() => change.decide(intent, provider.clock.now()), intent);
    const response = respond(call, outcome, change.present);
    if (await save(provider, outcome, intent, toStored(call, response))) return response;
  }
  throw busy();
}

/** Returns the current intent and the response stored for the call's key. Cancels an expired authorisation first. */
export async function getIntent(
  provider: Provider,
  call: Call,
  intentId: string,
): Promise<{ intent: Intent; response: StoredResponse | undefined }> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await provider.store.findIntent(intentId, call.idempotency?.key);
    if (!found || !mayTouch(call, found.intent)) throw noSuchObject('payment_intent', intentId);
    const lapse = lapseIntent(found.intent, provider.clock.now());
    if (!lapse) {
      remember(provider, found.intent);
      return found;
    }
    await save(provider, lapse, found.intent, undefined);
  }
  throw busy();
}

function mayTouch(call: Call, intent: Intent): boolean {
  return call.caller === 'secret' || isSameSecret(requiredField(call.form, 'client_secret'), intent.clientSecret);
}

// A refusal is an outcome, too: the response has the unchanged intent, and is stored for the idempotency key.
function tryToDecide(decide: () => Transition, intent: Intent): Transition {
  try {
    return decide();
  } catch (error) {
    if (error instanceof RequestRefused) return { next: intent, events: [], problem: error };
    throw error;
  }
}

function respond(call: Call, outcome: Transition, present: (outcome: Transition) => object): ProviderResponse {
  return outcome.problem ? refusal(outcome.problem, intentFor(call, outcome.next)) : ok(present(outcome));
}

async function save(
  provider: Provider,
  outcome: Transition,
  before: Intent,
  response: StoredResponse | undefined,
): Promise<boolean> {
  const now = provider.clock.now();
  if (outcome.next === before) return !response || provider.store.insertResponse(response, now);
  const { next, refund, events: types } = outcome;
  const events = types.map((type) => newEvent(type, subjectOf(type, outcome), now));
  const saved = await provider.store.saveIntent({ intent: next, events, refund, response, now });
  if (saved) events.forEach(provider.eventWritten);
  return saved;
}

function subjectOf(type: IntentEventType, { next, refund }: Transition): object {
  if (type.startsWith('refund.') && refund) return refundObject(refund, next);
  return type === 'charge.refunded' ? chargeObject(next) : intentObject(next);
}

/** Ends a refund as a bank does, long after the request. A webhook reports it. */
export async function endRefundAtBank(provider: Provider, refundId: string, end: RefundEnd): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { intentId } = await getRefund(provider, refundId);
    const found = await provider.store.findIntent(intentId);
    if (!found) throw noSuchObject('payment_intent', intentId);
    // Read after the intent: a refund changes only together with the intent's version.
    const { chargeId, currency, capturedCents, ...refund } = await getRefund(provider, refundId);
    const outcome = endRefund(found.intent, refund, end);
    provider.lastSeen.delete(intentId);
    // A success changes only the intent's version. The copy makes save() write it all the same.
    if (await save(provider, { ...outcome, next: { ...outcome.next } }, found.intent, undefined)) return;
  }
  throw busy();
}

async function getRefund({ store }: Provider, id: string) {
  const refund = await store.findRefund(id);
  if (!refund) throw noSuchObject('refund', id);
  return refund;
}

/**
 * Returns the response in the form in which it is stored with the change; undefined when the call has no idempotency
 * key.
 */
export function toStored(call: Call, { status, body }: ProviderResponse): StoredResponse | undefined {
  return call.idempotency && { ...call.idempotency, requestId: call.requestId, status, body };
}

/** Answers a repeated key as Stripe does: with the stored response, also of a failure, but never to another request. */
export function replay(call: Call, stored: StoredResponse): ProviderResponse {
  if (call.idempotency && !call.idempotency.requestHash.equals(stored.requestHash)) {
    throw new RequestRefused(400, {
      type: 'idempotency_error',
      message: `The idempotency key '${stored.key}' was used for another request; repeat that one, or use a new key.`,
    });
  }
  const headers = { 'idempotent-replayed': 'true', 'original-request': stored.requestId };
  return { status: stored.status, body: stored.body, headers };
}

const MAX_LAST_SEEN = 200;

export function remember({ lastSeen }: Provider, intent: Intent): void {
  lastSeen.delete(intent.id);
  lastSeen.set(intent.id, intent);
  const [oldest] = lastSeen.keys();
  if (lastSeen.size > MAX_LAST_SEEN && oldest !== undefined) lastSeen.delete(oldest);
}

const busy = () =>
  new RequestRefused(429, {
    type: 'invalid_request_error',
    code: 'lock_timeout',
    message: 'Too many requests change this object at once.',
  });
