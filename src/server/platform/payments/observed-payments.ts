import { isAppError } from '../../../shared/errors.ts';
import type { Metrics, ProviderOutcome } from '../metrics/metrics.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { PaymentRefused, type Payments } from './payments.ts';

/** Counts, times and traces every call of the provider; for a list, only the request of its first page. */
export function observePayments(
  payments: Payments,
  { metrics: { providerCall }, tracing }: { metrics: Metrics; tracing: Tracing },
): Payments {
  async function observe<T>(call: string, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const end = (outcome: ProviderOutcome) => providerCall(call, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const result = await tracing.inSpan({ name: `provider ${call}`, kind: 'client' }, work);
      end('ok');
      return result;
    } catch (error) {
      end(outcomeOf(error));
      throw error;
    }
  }

  async function* observeList<T>(call: string, list: AsyncIterable<T>): AsyncIterable<T> {
    const rows = list[Symbol.asyncIterator]();
    const first = await observe(call, () => rows.next());
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => rows };
  }

  return {
    createIntent: (input) => observe('createIntent', () => payments.createIntent(input)),
    retrieveIntent: (intentId) => observe('retrieveIntent', () => payments.retrieveIntent(intentId)),
    captureIntent: (input) => observe('captureIntent', () => payments.captureIntent(input)),
    cancelIntent: (input) => observe('cancelIntent', () => payments.cancelIntent(input)),
    refundIntent: (input) => observe('refundIntent', () => payments.refundIntent(input)),
    findCard: (intentId) => observe('findCard', () => payments.findCard(intentId)),
    refundedCents: (intentId) => observe('refundedCents', () => payments.refundedCents(intentId)),
    listRefunds: (intentId) => observe('listRefunds', () => payments.listRefunds(intentId)),
    listAllRefunds: (input) => observeList('listAllRefunds', payments.listAllRefunds(input)),
    listClaims: (intentId) => observe('listClaims', () => payments.listClaims(intentId)),
    listClaimedIntents: (input) => observeList('listClaimedIntents', payments.listClaimedIntents(input)),
    listIntents: (input) => observeList('listIntents', payments.listIntents(input)),
    readEvent: (rawBody, signature) => payments.readEvent(rawBody, signature),
  };
}

function outcomeOf(error: unknown): ProviderOutcome {
  if (error instanceof PaymentRefused) return 'refused';
  return isAppError(error, 'PAYMENT_PROVIDER_UNAVAILABLE') ? 'unavailable' : 'failed';
}
