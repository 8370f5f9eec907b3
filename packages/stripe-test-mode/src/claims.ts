import { type Call, type Endpoint, ok, optionalField, type Provider, pageOf, refuseUnknownFields } from './call.ts';
import type { Claim } from './store.ts';
import { claimObject, invalidRequest, listObject, newEvent, newId, noSuchObject } from './stripe-objects.ts';

/**
 * Opens a bank's claim against a captured payment and announces it by webhooks. Does nothing if the payment has a claim
 * of this kind.
 */
export async function openClaim({ store, clock, eventWritten }: Provider, intentId: string, kind: Claim['kind']) {
  const intent = (await store.findIntent(intentId))?.intent;
  if (intent?.status !== 'succeeded') throw new Error('Only a captured payment can be disputed');
  const now = clock.now();
  const id = newId(kind === 'dispute' ? 'dp' : 'issfr');
  const claim: Claim = { id, intentId, kind, status: 'needs_response', createdAt: now };
  const object = claimObject({ ...intent, ...claim });
  const types =
    kind === 'dispute'
      ? ['charge.dispute.created', 'charge.dispute.funds_withdrawn']
      : ['radar.early_fraud_warning.created'];
  const events = types.map((type) => newEvent(type, object, now));
  if (await store.insertClaim({ claim, events, now })) events.forEach(eventWritten);
}

/** Tells whether a dispute took the money of a payment, and the shop has not won it back. */
export async function hasTakenMoney({ store }: Provider, intentId: string): Promise<boolean> {
  const newest = { kind: 'dispute', intentId, createdSince: undefined, after: undefined, limit: 1 } as const;
  return (await store.listClaims(newest)).some(({ status }) => status !== 'won');
}

const listOf =
  (kind: Claim['kind'], path: string): Endpoint =>
  async ({ store }, { form }) => {
    refuseUnknownFields(form, ['payment_intent', 'created[gte]', 'limit', 'starting_after']);
    const page = pageOf(form);
    if (page.after !== undefined && !(await store.findClaim(page.after))) throw noSuchObject('claim', page.after);
    const intentId = optionalField(form, 'payment_intent');
    const rows = await store.listClaims({ ...page, kind, intentId, limit: page.limit + 1 });
    return ok(listObject(path, rows.slice(0, page.limit).map(claimObject), rows.length > page.limit));
  };

export const listDisputesEndpoint = listOf('dispute', '/v1/disputes');
export const listWarningsEndpoint = listOf('warning', '/v1/radar/early_fraud_warnings');

export const retrieveDisputeEndpoint: Endpoint = async ({ store }, { id }) => {
  const claim = await store.findClaim(id);
  if (claim?.kind !== 'dispute') throw noSuchObject('claim', id);
  return ok(claimObject(claim));
};

// The texts with which Stripe's sandboxes decide a dispute.
const outcomes = new Map([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
] as const);

/** Evidence decides a dispute at once: `winning_evidence` or `losing_evidence`. */
export const answerDisputeEndpoint: Endpoint = async (provider, call) => {
  refuseUnknownFields(call.form, ['evidence[uncategorized_text]', 'submit']);
  const evidence = optionalField(call.form, 'evidence[uncategorized_text]') ?? '';
  const outcome = [...outcomes].find(([text]) => text === evidence)?.[1];
  if (!outcome) throw invalidRequest('The test mode provider only takes winning_evidence and losing_evidence.');
  return endDispute(provider, call, outcome);
};

/** Gives a dispute up. */
export const closeDisputeEndpoint: Endpoint = (provider, call) => endDispute(provider, call, 'lost');

async function endDispute(provider: Provider, { id }: Call, status: 'won' | 'lost') {
  const { store, clock, eventWritten } = provider;
  const claim = await store.findClaim(id);
  if (claim?.kind !== 'dispute') throw noSuchObject('claim', id);
  const now = clock.now();
  const object = claimObject({ ...claim, status });
  const event = newEvent('charge.dispute.closed', object, now);
  if (!(await store.endDispute({ id, status, event, now }))) throw invalidRequest('This dispute is already closed.');
  eventWritten(event);
  return ok(object);
}
