import {
  amountField,
  type Call,
  type Endpoint,
  intentFor,
  metadataOf,
  ok,
  optionalField,
  type Provider,
  pageOf,
  refuseUnknownFields,
  requiredField,
} from './call.ts';
import { changeIntent, getIntent, remember, replay, toStored } from './change-intent.ts';
import { hasTakenMoney, INQUIRY, openDispute, openFraudWarning } from './claims.ts';
import {
  cancelIntent,
  captureIntent,
  confirmIntent,
  finishChallenge,
  lapseIntent,
  refundIntent,
} from './intent-transitions.ts';
import type { Intent } from './store.ts';
import {
  chargeObject,
  intentObject,
  invalidRequest,
  listObject,
  newId,
  noSuchObject,
  randomHex,
  refundObject,
} from './stripe-objects.ts';
import { claimOfCard, findTestMethod, readCard, type TestCard } from './test-cards.ts';

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
  const response = ok(intentObject(intent));
  if (await provider.store.insertIntent({ intent, response: toStored(call, response), now })) {
    remember(provider, intent);
    return response;
  }
  const stored = call.idempotency && (await provider.store.findResponse(call.idempotency.key));
  if (!stored) throw new Error('An idempotency key was refused that does not exist');
  return replay(call, stored);
};

function newIntent(call: Call, now: Date): Intent {
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
    clientSecret: `${id}_secret_${randomHex()}`,
    status: 'requires_payment_method',
    version: 1,
    amountCents: amountField(form),
    capturedCents: 0,
    refundedCents: 0,
    currency: 'usd',
    metadata: metadataOf(form),
    receiptEmail: optionalField(form, 'receipt_email') ?? null,
    paymentMethodId: null,
    cardBrand: null,
    cardLast4: null,
    chargeId: null,
    lastError: null,
    captureBefore: null,
    canceledAt: null,
    cancellationReason: null,
    createdAt: now,
  };
}

const onlyTakes = (param: string, value: string) =>
  invalidRequest(`The test mode provider only takes ${param}=${value}.`, { code: 'parameter_invalid', param });

export const retrieveEndpoint: Endpoint = async (provider, call) => {
  const { intent } = await getIntent(provider, call, call.id);
  const hasCharge = call.form.get('expand[0]') === 'latest_charge' && intent.chargeId !== null;
  return ok({
    ...intentFor(call, intent),
    ...(hasCharge && call.caller === 'secret' && { latest_charge: chargeObject(intent) }),
  });
};

export const confirmEndpoint: Endpoint = async (provider, call) => {
  const card = cardOf(call, provider.clock.now());
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: (intent, now) => confirmIntent(intent, card, now),
    present: ({ next }) => intentFor(call, next),
  });
};

/** A browser sends the card itself; a server may name one of Stripe's test payment methods. */
function cardOf({ form, caller }: Call, now: Date): TestCard {
  const method = caller === 'secret' ? optionalField(form, 'payment_method') : undefined;
  if (method === undefined) return readCard(form, now);
  const card = findTestMethod(method);
  if (!card) throw noSuchObject('PaymentMethod', method);
  return card;
}

export const challengeEndpoint: Endpoint = async (provider, call) => {
  const outcome = requiredField(call.form, 'outcome');
  if (outcome !== 'complete' && outcome !== 'fail') {
    throw invalidRequest('outcome must be complete or fail.', { code: 'parameter_invalid', param: 'outcome' });
  }
  return changeIntent(provider, call, {
    intentId: call.id,
    decide: (intent, now) => finishChallenge(intent, outcome, now),
    present: ({ next }) => intentFor(call, next),
  });
};

export const captureEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, []);
  let claim: ReturnType<typeof claimOfCard>;
  const response = await changeIntent(provider, call, {
    intentId: call.id,
    decide: captureIntent,
    present: ({ next }) => {
      claim = claimOfCard(next.cardLast4);
      return intentObject(next);
    },
  });
  if (!claim || response.status !== 200) return response;
  if (claim === 'warning') await openFraudWarning(provider, call.id);
  else await openDispute(provider, call.id, claim === 'inquiry' ? INQUIRY : {});
  return response;
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
  const { limit, after } = asked;
  if (after !== undefined && !(await provider.store.findIntent(after))) throw noSuchObject('payment_intent', after);
  const rows = await provider.store.listIntents({ ...asked, limit: limit + 1 });
  const page = await Promise.all(rows.slice(0, limit).map((row) => currentVersion(provider, call, row)));
  return ok(listObject('/v1/payment_intents', page.map(intentObject), rows.length > limit));
};

async function currentVersion(provider: Provider, call: Call, intent: Intent): Promise<Intent> {
  const lapsed = lapseIntent(intent, provider.clock.now()) !== undefined;
  return lapsed ? (await getIntent(provider, call, intent.id)).intent : intent;
}

export const createRefundEndpoint: Endpoint = async (provider, call) => {
  const { form } = call;
  refuseUnknownFields(form, ['payment_intent', 'amount', 'reason', 'metadata[]']);
  const intentId = requiredField(form, 'payment_intent');
  const request = {
    amountCents: form.has('amount') ? amountField(form) : undefined,
    reason: optionalField(form, 'reason') ?? null,
    metadata: metadataOf(form),
    isChargedBack: await hasTakenMoney(provider, intentId),
  };
  return changeIntent(provider, call, {
    intentId,
    decide: (intent, now) => refundIntent(intent, request, now),
    present: ({ next, refund }) => {
      if (!refund) throw new Error('A refund without its record');
      return refundObject(refund, next);
    },
  });
};

export const retrieveRefundEndpoint: Endpoint = async (provider, call) => {
  const refund = await provider.store.findRefund(call.id);
  if (!refund) throw noSuchObject('refund', call.id);
  return ok(refundObject(refund, refund));
};

export const listRefundsEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, ['payment_intent', 'created[gte]', 'limit', 'starting_after', 'expand[0]']);
  const expandCharge = call.form.get('expand[0]') === 'data.charge';
  const page = pageOf(call.form);
  const { after } = page;
  if (after !== undefined && !(await provider.store.findRefund(after))) throw noSuchObject('refund', after);
  const rows = await provider.store.listRefunds({
    ...page,
    intentId: optionalField(call.form, 'payment_intent'),
    limit: page.limit + 1,
  });
  const refunds = rows.slice(0, page.limit).map((refund) => refundObject(refund, refund, { expandCharge }));
  return ok(listObject('/v1/refunds', refunds, rows.length > page.limit));
};
