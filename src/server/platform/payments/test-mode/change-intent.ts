import type { TestModeIntentRow } from '../../database/test-mode-tables.ts';
import { requiredField } from './form.ts';
import { insertAnswer, type RememberedAnswer } from './idempotency.queries.ts';
import { lapseIntent, type Transition } from './intent-transitions.ts';
import { findIntent, saveIntent } from './intents.queries.ts';
import { intentFor, type Provider, type ProviderAnswer, type ProviderCall } from './provider-call.ts';
import { noSuchObject, ProviderProblem } from './provider-problem.ts';
import { isSameSecret } from './same-secret.ts';
import { chargeObject, intentObject, providerEvent } from './stripe-objects.ts';

// Each round is lost only to another request's success on the same intent; so many in a row do not happen.
const MAX_ROUNDS = 20;

/**
 * Decides a request on the intent as it stands and saves the outcome if it still stands so; otherwise decides again.
 * Thus of concurrent requests each is decided on what the one before made of the intent. `present` makes the answer.
 */
export async function changeIntent(
  provider: Provider,
  call: ProviderCall,
  change: Change,
): Promise<ProviderAnswer> {
  return (await changeAsLastSeen(provider, call, change)) ?? changeAsItStands(provider, call, change);
}

interface Change {
  intentId: string;
  decide: (intent: TestModeIntentRow, now: Date) => Transition;
  present: (outcome: Transition) => object;
}

/**
 * What this process saw last is mostly how the intent stands, and spares reading it again: a success is saved on that
 * version or not at all. A refusal would not notice that the intent has changed, so it is decided anew.
 */
async function changeAsLastSeen(
  provider: Provider,
  call: ProviderCall,
  change: Change,
): Promise<ProviderAnswer | undefined> {
  const intent = provider.lastSeen.take(change.intentId);
  const now = provider.clock.now();
  if (!intent || !mayTouch(call, intent) || lapseIntent(intent, now)) return undefined;
  const outcome = tryToDecide(() => change.decide(intent, now), intent);
  if (outcome.problem || outcome.next === intent) return undefined;
  const answer = answerOf(call, outcome, change.present);
  return (await save(provider, outcome, intent, rememberedAs(call, answer))) ? answer : undefined;
}

async function changeAsItStands(
  provider: Provider,
  call: ProviderCall,
  change: Change,
): Promise<ProviderAnswer> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { intent, remembered } = await getIntent(provider, call, change.intentId);
    if (remembered) return repeatAnswer(call, remembered);
    const outcome = tryToDecide(() => change.decide(intent, provider.clock.now()), intent);
    const answer = answerOf(call, outcome, change.present);
    if (await save(provider, outcome, intent, rememberedAs(call, answer))) return answer;
  }
  throw busy();
}

/** The intent as it stands, an overdue authorisation cancelled first, and the answer known for the call's key. */
export async function getIntent(
  provider: Provider,
  call: ProviderCall,
  intentId: string,
): Promise<{ intent: TestModeIntentRow; remembered: RememberedAnswer | undefined }> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const found = await findIntent(provider.db, { id: intentId, idempotencyKey: call.idempotency?.key });
    if (!found || !mayTouch(call, found.intent)) throw noSuchObject('payment_intent', intentId);
    const lapse = lapseIntent(found.intent, provider.clock.now());
    if (!lapse) {
      provider.lastSeen.keep(found.intent);
      return found;
    }
    await save(provider, lapse, found.intent, undefined);
  }
  throw busy();
}

function mayTouch(call: ProviderCall, intent: TestModeIntentRow): boolean {
  return (
    call.caller === 'secret' || isSameSecret(requiredField(call.form, 'client_secret'), intent.client_secret)
  );
}

// A refusal is an outcome, too: it is answered with the unchanged intent, and remembered for the key.
function tryToDecide(decide: () => Transition, intent: TestModeIntentRow): Transition {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ProviderProblem) return { next: intent, problem: error };
    throw error;
  }
}

function answerOf(
  call: ProviderCall,
  outcome: Transition,
  present: (outcome: Transition) => object,
): ProviderAnswer {
  if (!outcome.problem) return { status: 200, body: JSON.stringify(present(outcome)) };
  const { status, details } = outcome.problem;
  const error = { ...details, payment_intent: intentFor(call, outcome.next) };
  return { status, body: JSON.stringify({ error }) };
}

async function save(
  provider: Provider,
  outcome: Transition,
  before: TestModeIntentRow,
  answer: RememberedAnswer | undefined,
): Promise<boolean> {
  const now = provider.clock.now();
  if (outcome.next === before) return !answer || insertAnswer(provider.db, { answer, now });
  const { next, refund, event: type } = outcome;
  const event =
    type && providerEvent(type, type === 'charge.refunded' ? chargeObject(next) : intentObject(next), now);
  const saved = await saveIntent(provider.db, { intent: next, event, refund, answer, now });
  if (saved && event) provider.eventWritten({ ...event, attempts: 0 });
  return saved;
}

/** The answer as it is stored with the change; undefined when the call carries no idempotency key. */
export function rememberedAs(call: ProviderCall, answer: ProviderAnswer): RememberedAnswer | undefined {
  return call.idempotency && { ...call.idempotency, requestId: call.requestId, ...answer };
}

/** Answers a repeated key as Stripe does: the stored answer, also of a failure, but never to another request. */
export function repeatAnswer(call: ProviderCall, remembered: RememberedAnswer): ProviderAnswer {
  if (call.idempotency && !call.idempotency.requestHash.equals(remembered.requestHash)) {
    throw new ProviderProblem(400, {
      type: 'idempotency_error',
      message: `The idempotency key '${remembered.key}' was used for another request; repeat that one, or use a new key.`,
    });
  }
  const headers = { 'idempotent-replayed': 'true', 'original-request': remembered.requestId };
  return { status: remembered.status, body: remembered.body, headers };
}

const busy = () =>
  new ProviderProblem(429, {
    type: 'invalid_request_error',
    code: 'lock_timeout',
    message: 'Too many requests change this object at once.',
  });
