import type { TestModeIntentRow } from '../../database/test-mode-tables.ts';
import { changeIntent, getIntent, rememberedAs, repeatAnswer } from './change-intent.ts';
import {
  integerField,
  metadataOf,
  optionalField,
  pageOf,
  refuseUnknownFields,
  requiredField,
} from './form.ts';
import { findAnswer } from './idempotency.queries.ts';
import { newId, randomHex } from './ids.ts';
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  finishChallenge,
  lapseIntent,
} from './intent-transitions.ts';
import { insertIntent, listIntents } from './intents.queries.ts';
import { answerWith, type Endpoint, intentFor, type Provider, type ProviderCall } from './provider-call.ts';
import { invalidRequest } from './provider-problem.ts';
import { chargeObject, intentObject, listObject } from './stripe-objects.ts';
import { readCard } from './test-cards.ts';

const LARGEST_AMOUNT_CENTS = 99_999_999;
const createFields = [
  'amount',
  'currency',
  'capture_method',
  'allowed_payment_method_types[]',
  'metadata[]',
  'receipt_email',
];

export const createEndpoint: Endpoint = async (provider, call) => {
  const now = provider.clock.now();
  const intent = newIntent(call, now);
  const answer = answerWith(intentObject(intent));
  if (await insertIntent(provider.db, { intent, answer: rememberedAs(call, answer), now })) {
    provider.lastSeen.keep(intent);
    return answer;
  }
  const remembered = call.idempotency && (await findAnswer(provider.db, { key: call.idempotency.key }));
  if (!remembered) throw new Error('An idempotency key was refused that does not exist');
  return repeatAnswer(call, remembered);
};

function newIntent(call: ProviderCall, now: Date): TestModeIntentRow {
  const { form } = call;
  refuseUnknownFields(form, createFields);
  if (form.get('capture_method') !== 'manual') throw onlyTakes('capture_method', 'manual');
  if (requiredField(form, 'currency') !== 'usd') throw onlyTakes('currency', 'usd');
  if (form.get('allowed_payment_method_types[0]') !== 'card') {
    throw onlyTakes('allowed_payment_method_types[0]', 'card');
  }
  const id = newId('pi');
  return {
    id,
    client_secret: `${id}_secret_${randomHex()}`,
    status: 'requires_payment_method',
    version: 1,
    amount_cents: integerField(form, 'amount', { min: 1, max: LARGEST_AMOUNT_CENTS }),
    captured_cents: 0,
    refunded_cents: 0,
    currency: 'usd',
    metadata: metadataOf(form),
    receipt_email: optionalField(form, 'receipt_email') ?? null,
    payment_method_id: null,
    card_brand: null,
    card_last4: null,
    charge_id: null,
    last_error: null,
    capture_before: null,
    canceled_at: null,
    cancellation_reason: null,
    created_at: now,
  };
}

const onlyTakes = (param: string, value: string) =>
  invalidRequest(`The test mode provider only takes ${param}=${value}.`, {
    code: 'parameter_invalid',
    param,
  });

export const retrieveEndpoint: Endpoint = async (provider, call) => {
  const { intent } = await getIntent(provider, call, call.id);
  const hasCharge = call.form.get('expand[0]') === 'latest_charge' && intent.charge_id !== null;
  return answerWith({
    ...intentFor(call, intent),
    ...(hasCharge && call.caller === 'secret' && { latest_charge: chargeObject(intent) }),
  });
};

export const confirmEndpoint: Endpoint = async (provider, call) => {
  const card = readCard(call.form, provider.clock.now());
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: (intent, now) => confirmIntent(intent, card, now),
    present: ({ next }) => intentFor(call, next),
  });
};

export const challengeEndpoint: Endpoint = async (provider, call) => {
  const outcome = requiredField(call.form, 'outcome');
  if (outcome !== 'complete' && outcome !== 'fail') {
    throw invalidRequest('outcome must be complete or fail.', {
      code: 'parameter_invalid',
      param: 'outcome',
    });
  }
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: (intent, now) => finishChallenge(intent, outcome, now),
    present: ({ next }) => intentFor(call, next),
  });
};

export const captureEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, []);
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: captureIntent,
    present: ({ next }) => intentObject(next),
  });
};

export const cancelEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, ['cancellation_reason']);
  const reason = optionalField(call.form, 'cancellation_reason') ?? null;
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: (intent, now) => cancelIntent(intent, reason, now),
    present: ({ next }) => intentObject(next),
  });
};

export const listEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, ['limit', 'created[gte]', 'starting_after']);
  const asked = pageOf(call.form);
  const { limit } = asked;
  const rows = await listIntents(provider.db, { ...asked, limit: limit + 1 });
  const page = await Promise.all(rows.slice(0, limit).map((row) => asItStands(provider, call, row)));
  return answerWith(listObject('/v1/payment_intents', page.map(intentObject), rows.length > limit));
};

async function asItStands(
  provider: Provider,
  call: ProviderCall,
  intent: TestModeIntentRow,
): Promise<TestModeIntentRow> {
  const lapsed = lapseIntent(intent, provider.clock.now()) !== undefined;
  return lapsed ? (await getIntent(provider, call, intent.id)).intent : intent;
}
