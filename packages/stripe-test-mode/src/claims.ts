import { type Endpoint, ok, optionalField, type Provider, pageOf, refuseUnknownFields } from './call.ts';
import type { Claim, ClaimOnCharge, DisputeFacts } from './store.ts';
import { claimObject, invalidRequest, listObject, newEvent, newId, noSuchObject } from './stripe-objects.ts';

const CHARGEBACK: DisputeFacts = { status: 'needs_response', caseType: 'chargeback', amountCents: null };
export const INQUIRY = { status: 'warning_needs_response', caseType: 'inquiry' } as const;

/**
 * Opens a dispute of a captured payment and announces it by webhooks. Does nothing if the payment has a dispute.
 */
export async function openDispute(provider: Provider, intentId: string, facts: Partial<DisputeFacts> = {}) {
  const disputed = { ...CHARGEBACK, ...facts };
  const withdrawal = takesMoney(disputed) ? ['charge.dispute.funds_withdrawn'] : [];
  await openClaim(provider, { intentId, kind: 'dispute', ...disputed }, ['charge.dispute.created', ...withdrawal]);
}

/** Opens an early fraud warning; does nothing if the payment has one. */
export const openFraudWarning = (provider: Provider, intentId: string) =>
  openClaim(provider, { intentId, kind: 'warning', ...CHARGEBACK }, ['radar.early_fraud_warning.created']);

async function openClaim(
  { store, clock, eventWritten }: Provider,
  facts: Omit<Claim, 'id' | 'createdAt'>,
  eventTypes: string[],
) {
  const intent = (await store.findIntent(facts.intentId))?.intent;
  if (intent?.status !== 'succeeded') throw new Error('Only a captured payment can be disputed');
  const now = clock.now();
  const claim: Claim = { ...facts, id: newId(facts.kind === 'dispute' ? 'dp' : 'issfr'), createdAt: now };
  const object = claimObject({ ...intent, ...claim });
  const events = eventTypes.map((type) => newEvent(type, object, now));
  if (await store.insertClaim({ claim, events, now })) events.forEach(eventWritten);
}

/** Tells whether a dispute in this status has the payment's money. */
const takesMoney = ({ status, caseType }: Pick<Claim, 'status' | 'caseType'>) =>
  status !== 'won' && !status.startsWith('warning_') && caseType !== 'block';

const disputesOf = ({ store }: Provider, intentId: string) =>
  store.listClaims({ kind: 'dispute', intentId, createdSince: undefined, after: undefined, limit: 1 });

/** Tells whether a dispute took the money of a payment, and the shop has not won it back. */
export const hasTakenMoney = async (provider: Provider, intentId: string): Promise<boolean> =>
  (await disputesOf(provider, intentId)).some(takesMoney);

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

// The texts with which Stripe's sandboxes decide a dispute. An inquiry is closed, or becomes a dispute.
const outcomes = new Map<string, Record<'dispute' | 'inquiry', Claim['status'] | undefined>>([
  ['winning_evidence', { dispute: 'won', inquiry: 'warning_closed' }],
  ['losing_evidence', { dispute: 'lost', inquiry: 'warning_closed' }],
  ['escalate_inquiry_evidence', { dispute: undefined, inquiry: 'needs_response' }],
]);

/** Evidence decides a dispute at once: `winning_evidence`, `losing_evidence` or `escalate_inquiry_evidence`. */
export const answerDisputeEndpoint: Endpoint = async (provider, { id, form }) => {
  refuseUnknownFields(form, ['evidence[uncategorized_text]', 'submit']);
  const claim = await getOpenDispute(provider, id);
  const outcome = outcomes.get(optionalField(form, 'evidence[uncategorized_text]') ?? '');
  const status = outcome?.[claim.status === 'needs_response' ? 'dispute' : 'inquiry'];
  if (!status) throw invalidRequest(`The test mode provider only takes ${[...outcomes.keys()].join(', ')}.`);
  const caseType = status === 'needs_response' ? 'chargeback' : claim.caseType;
  return ok(await moveDispute(provider, claim, { status, caseType }));
};

/** Gives a dispute up. */
export const closeDisputeEndpoint: Endpoint = async (provider, { id }) =>
  ok(await moveDispute(provider, await getOpenDispute(provider, id), { status: 'lost' }));

async function getOpenDispute({ store }: Provider, id: string): Promise<ClaimOnCharge> {
  const claim = await store.findClaim(id);
  if (claim?.kind !== 'dispute') throw noSuchObject('claim', id);
  const isOpen = claim.status === 'needs_response' || claim.status === 'warning_needs_response';
  if (!isOpen) throw alreadyClosed();
  return claim;
}

const alreadyClosed = () => invalidRequest('This dispute is already closed.');

/** Moves the dispute of a payment to another status, whatever it was. */
export async function changeDispute(
  provider: Provider,
  intentId: string,
  to: Pick<DisputeFacts, 'status'> & Partial<DisputeFacts>,
) {
  const [claim] = await disputesOf(provider, intentId);
  if (!claim) throw noSuchObject('claim', intentId);
  await moveDispute(provider, claim, to);
}

const closed: readonly Claim['status'][] = ['won', 'lost', 'warning_closed', 'prevented'];

async function moveDispute({ store, clock, eventWritten }: Provider, claim: ClaimOnCharge, to: Partial<DisputeFacts>) {
  const now = clock.now();
  const dispute = { ...claim, ...to };
  const object = claimObject(dispute);
  const types = [closed.includes(dispute.status) ? 'charge.dispute.closed' : 'charge.dispute.updated'];
  if (takesMoney(dispute) && !takesMoney(claim)) types.push('charge.dispute.funds_withdrawn');
  if (takesMoney(claim) && !takesMoney(dispute)) types.push('charge.dispute.funds_reinstated');
  const events = types.map((type) => newEvent(type, object, now));
  if (!(await store.saveDispute({ dispute, from: claim.status, events, now }))) throw alreadyClosed();
  events.forEach(eventWritten);
  return object;
}
