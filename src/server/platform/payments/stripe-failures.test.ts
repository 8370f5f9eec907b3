import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../../../test/system-clock.ts';
import { startTestProvider } from '../../../../test/test-provider.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import type { Clock } from '../database/database-clock.ts';
import { checkedClient, createSharedLookup } from './stripe-calls.ts';
import { createStripePayments } from './stripe-gateway.ts';

const provider = await startTestProvider();
afterAll(() => provider.stop());

type Answer = { status: number; kept?: boolean } & ({ error: object } | { body: unknown });
type Fault = { request: 'lost' | 'reply lost' } | Answer;

/**
 * Creates a gateway whose first call or calls to `path` fail: the request or the response is lost, or the response is
 * replaced. A `kept` response is replayed for its idempotency key, as Stripe replays even a 500.
 */
function gatewayWithFault(
  path: RegExp,
  fault: Fault,
  { after, times = 1, clock = systemClock }: { after?: () => Promise<unknown>; times?: number; clock?: Clock } = {},
) {
  const kept = new Map<unknown, string>();
  const keys: unknown[] = [];
  let failed = 0;
  const makeRequest: Stripe.HttpClient['makeRequest'] = async (...request) => {
    const [, , url, , headers] = request;
    const key = headers['Idempotency-Key'];
    const original = kept.get(key);
    if (path.test(url)) keys.push(key);
    if ('status' in fault && original !== undefined) {
      return response(fault, { 'idempotent-replayed': 'true', 'original-request': original });
    }
    if (failed === times || !path.test(url)) return provider.httpClient.makeRequest(...request);
    failed += 1;
    if ('status' in fault) {
      const id = failed === 1 ? 'req_first' : `req_${failed}`;
      if (fault.kept) kept.set(key, id);
      await after?.();
      return response(fault, { 'request-id': id });
    }
    if (fault.request === 'reply lost') await provider.httpClient.makeRequest(...request);
    throw Object.assign(new Error('the line broke'), { code: 'ETIMEDOUT' });
  };
  const { secretKey, webhookSecret } = provider.keys;
  const httpClient = { ...provider.httpClient, makeRequest };
  const payments = createStripePayments({ secretKey, webhookSecret, httpClient, clock, maxNetworkRetries: 0 });
  return { payments, keys };
}

const response = ({ status, ...answer }: Answer, headers: Record<string, string>) => ({
  getStatusCode: () => status,
  getHeaders: () => headers,
  getRawResponse: () => ({ headers }),
  toStream: () => undefined,
  toJSON: async () => ('body' in answer ? structuredClone(answer.body) : { error: answer.error }),
});

async function authorised() {
  const orderId = randomUUID();
  const receiptEmail = 'buyer@example.com';
  const intent = await provider.payments.createIntent({
    orderId,
    attempt: 1,
    amountCents: 900,
    receiptEmail,
    itemIds: [],
  });
  await provider.confirm(intent.clientSecret);
  return { orderId, intentId: intent.id };
}

const unavailable = expect.objectContaining({ code: 'PAYMENT_PROVIDER_UNAVAILABLE' });
const broken = { type: 'api_error', message: 'Something broke' };

const capturesOf = async (intentId: string) => {
  const events = await provider.db.selectFrom('test_mode_events').select(['type', 'payload']).execute();
  return events.filter(({ type, payload }) => type === 'payment_intent.succeeded' && payload.includes(intentId)).length;
};

test.for(['lost', 'reply lost'] as const)('a capture whose %s succeeds on a retry, once', async (request) => {
  const payment = await authorised();
  const { payments } = gatewayWithFault(/capture$/, { request });
  await expect(payments.captureIntent(payment)).rejects.toEqual(unavailable);
  expect(await payments.captureIntent(payment)).toMatchObject({ status: 'succeeded', receivedCents: 900 });
  expect(await capturesOf(payment.intentId)).toBe(1);
});

test('a capture after a stored 500 is retried with a new idempotency key', async () => {
  const payment = await authorised();
  const { payments, keys } = gatewayWithFault(/capture$/, { status: 500, error: broken, kept: true });
  await expect(payments.captureIntent(payment)).rejects.toEqual(unavailable);
  expect((await payments.captureIntent(payment)).status).toBe('succeeded');
  const key = `capture/${payment.orderId}`;
  expect(keys).toEqual([key, key, `${key}/req_first`]);
  expect(await capturesOf(payment.intentId)).toBe(1);
});

test.for([5, 6, 7])('%i stored 500s, as of an outage, block a capture for at most ten minutes', async (times) => {
  const payment = await authorised();
  let at = Date.parse('2026-03-09T10:00:00Z');
  const clock = { now: () => new Date(at) };
  const fault = { status: 500, error: broken, kept: true };
  const { payments } = gatewayWithFault(/capture$/, fault, { times, clock });
  for (let tries = 1; tries <= times; tries += 1) {
    await expect(payments.captureIntent(payment)).rejects.toEqual(unavailable);
    if (tries > 5) at += 10 * MINUTE_MS;
  }
  expect((await payments.captureIntent(payment)).status).toBe('succeeded');
  expect(await capturesOf(payment.intentId)).toBe(1);
});

test('a capture that succeeded in spite of a stored 500 is found by the retry', async () => {
  const payment = await authorised();
  const capture = () => provider.payments.captureIntent({ ...payment, orderId: randomUUID() });
  const { payments, keys } = gatewayWithFault(
    /capture$/,
    { status: 500, error: broken, kept: true },
    { after: capture },
  );
  await expect(payments.captureIntent(payment)).rejects.toEqual(unavailable);
  expect((await payments.captureIntent(payment)).status).toBe('succeeded');
  expect(keys).toHaveLength(2);
  expect(await capturesOf(payment.intentId)).toBe(1);
});

test.for([
  [500, broken],
  [400, { type: 'invalid_request_error', code: 'balance_insufficient', message: 'Not enough balance' }],
] as const)('a refund that failed with a stored %s is retried until it succeeds, once', async ([status, error]) => {
  const payment = await authorised();
  await provider.payments.captureIntent(payment);
  const { payments } = gatewayWithFault(/refunds$/, { status, error, kept: true });
  await expect(payments.refundIntent(payment)).rejects.toEqual(unavailable);
  const refund = await payments.refundIntent(payment);
  expect(refund.status).toBe('succeeded');
  expect(await payments.refundIntent(payment)).toEqual(refund);
});

test('the creation of an intent is retried after a stored 500, with one intent for concurrent retries', async () => {
  const input = { orderId: randomUUID(), attempt: 1, amountCents: 900, receiptEmail: 'buyer@example.com', itemIds: [] };
  const { payments } = gatewayWithFault(/payment_intents$/, { status: 500, error: broken, kept: true });
  await expect(payments.createIntent(input)).rejects.toEqual(unavailable);
  const made = await Promise.all([payments.createIntent(input), payments.createIntent(input)]);
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
});

test.for([
  [401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_live_1234' }],
  [403, { type: 'invalid_request_error', message: 'The key sk_live_1234 may not do this' }],
  [409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message: 'In use' }],
  [429, { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests' }],
  [503, broken],
] as const)(
  'an answer %s means that the provider is unavailable, and its error contains no key',
  async ([status, error]) => {
    const { payments } = gatewayWithFault(/payment_intents/, { status, error });
    const failure: Error = await payments.retrieveIntent('pi_1').then(
      () => new Error('answered'),
      (reason) => reason,
    );
    expect(failure).toEqual(unavailable);
    expect(failure.cause).toBeInstanceOf(Error);
    const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure)} ${JSON.stringify(failure.cause)} ${failure.cause}`;
    expect(shown).not.toMatch(/sk_(live|test)_/);
  },
);

test('a card error is a refusal with the reason of the bank', async () => {
  const error = {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'lost_card',
    message: 'Your card was declined.',
  };
  const { payments } = gatewayWithFault(/capture$/, { status: 402, error });
  await expect(payments.captureIntent(await authorised())).rejects.toMatchObject({
    name: 'PaymentRefused',
    reason: 'lost_card',
    message: 'Your card was declined.',
  });
});

test.for([
  [502, { message: 'Bad gateway' }],
  [503, null],
  [200, []],
] as const)('a %i with the JSON of a proxy counts as an outage, and the next call succeeds', async ([status, body]) => {
  const { intentId, orderId } = await authorised();
  const payment = { intentId, orderId };
  const gateway = (path: RegExp) => gatewayWithFault(path, { status, body }).payments;

  const opening = gateway(/payment_intents$/);
  const open = () =>
    opening.createIntent({
      orderId: randomUUID(),
      attempt: 1,
      amountCents: 900,
      receiptEmail: 'b@example.com',
      itemIds: [],
    });
  await expect(open()).rejects.toEqual(unavailable);
  expect((await open()).status).toBe('requires_payment_method');

  const reading = gateway(/payment_intents\/[^/]+$/);
  await expect(reading.retrieveIntent(intentId)).rejects.toEqual(unavailable);
  expect((await reading.retrieveIntent(intentId)).status).toBe('requires_capture');

  const capturing = gateway(/capture$/);
  await expect(capturing.captureIntent(payment)).rejects.toEqual(unavailable);
  expect((await capturing.captureIntent(payment)).status).toBe('succeeded');

  const refunding = gateway(/refunds$/);
  await expect(refunding.refundIntent(payment)).rejects.toEqual(unavailable);
  expect(await refunding.refundIntent(payment)).toMatchObject({ status: 'succeeded', cents: 900 });
});

test.each(['ok', 5, true, null, []])(
  '%j instead of an object is no answer: the call fails, and so does only the call',
  async (body) => {
    const payment = await authorised();
    const { payments } = gatewayWithFault(/capture$/, { status: 200, body });
    await expect(payments.captureIntent(payment)).rejects.toEqual(unavailable);
    expect(await payments.captureIntent(payment)).toMatchObject({ receivedCents: 900 });
  },
);

test('a response that never ends fails, and its connection is closed', async () => {
  const server = createServer((_request, response) => {
    const sending = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(sending));
  });
  // With bytes unread, the connection is reset: an error, and the close after it.
  const isClosed = new Promise((resolve) => server.on('connection', (socket) => socket.on('close', resolve)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const client = checkedClient(Stripe.createNodeHttpClient(), 200);
    const response = await client.makeRequest('127.0.0.1', `${port}`, '/', 'GET', {}, '', 'http', 600_000);
    await expect(response.toJSON()).rejects.toThrow('the response did not end in time');
    await isClosed;
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an answer that lacks a field is no answer: the call fails, and its repetition has one effect', async () => {
  const payment = await authorised();
  const intent = { id: payment.intentId, object: 'payment_intent', status: 'succeeded', amount: 900 };
  const capturing = gatewayWithFault(/capture$/, { status: 200, body: intent }).payments;
  await expect(capturing.captureIntent(payment)).rejects.toEqual(unavailable);
  expect(await capturing.captureIntent(payment)).toMatchObject({ receivedCents: 900 });
  expect(await capturesOf(payment.intentId)).toBe(1);
  const refund = { id: 're_1', object: 'refund', status: 'succeeded', created: 1 };
  const refunding = gatewayWithFault(/refunds$/, { status: 200, body: refund }).payments;
  await expect(refunding.refundIntent(payment)).rejects.toEqual(unavailable);
  expect(await refunding.refundIntent(payment)).toMatchObject({ cents: 900 });
  const { payments } = gatewayWithFault(/disputes/, { status: 200, body: { object: 'list', data: [{ id: 'dp_1' }] } });
  await expect(payments.listClaims(payment.intentId)).rejects.toEqual(unavailable);
});

test('the amount of a dispute counts only in USD: without it, the whole payment is disputed', async () => {
  const dispute = { id: 'dp_1', object: 'dispute', amount: 15_000, status: 'lost' };
  const list = (currency: string) => ({ object: 'list', has_more: false, data: [{ ...dispute, currency }] });
  const claimsIn = (currency: string) =>
    gatewayWithFault(/disputes/, { status: 200, body: list(currency) }).payments.listClaims('pi_1');
  const claim = { id: 'dp_1', cause: 'dispute', outcome: 'lost' };
  expect(await claimsIn('usd')).toEqual([{ ...claim, cents: 15_000 }]);
  expect(await claimsIn('jpy')).toEqual([claim]);
});

test('calls that wait for the same host name ask for it once', () => {
  const asked: { host: string; answer: (address: string) => void }[] = [];
  const lookup = createSharedLookup((host, _options, callback) => {
    asked.push({ host, answer: (address) => callback(null, address, 4) });
  });
  const heard: string[] = [];
  const call = (host: string) => lookup(host, { family: 4 }, (_error, address) => heard.push(`${host} ${address}`));
  for (const host of ['api.example', 'api.example', 'other.example', 'api.example']) call(host);
  expect(asked.map(({ host }) => host)).toEqual(['api.example', 'other.example']);
  for (const { answer } of asked) answer('192.0.2.1');
  expect(heard).toEqual([...Array(3).fill('api.example 192.0.2.1'), 'other.example 192.0.2.1']);
  // An address is not kept, because it may change.
  call('api.example');
  expect(asked).toHaveLength(3);
});
