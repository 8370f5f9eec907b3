import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { testAccess } from '../../../../packages/stripe-test-mode/test/access.suite.ts';
import { testCards } from '../../../../packages/stripe-test-mode/test/cards.suite.ts';
import { testConcurrency } from '../../../../packages/stripe-test-mode/test/concurrency.suite.ts';
import { testIdempotency } from '../../../../packages/stripe-test-mode/test/idempotency.suite.ts';
import { testWebhooks } from '../../../../packages/stripe-test-mode/test/webhooks.suite.ts';
import { systemClock } from '../../../../test/system-clock.ts';
import { startTestProvider } from '../../../../test/test-provider.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { createStripePayments } from './stripe-gateway.ts';
import { openTestModeProvider } from './test-mode.ts';

// The provider's own tests, on the shop's HTTP server and PostgreSQL.
describe('access', () => testAccess(startTestProvider));
describe('cards', () => testCards(startTestProvider));
describe('concurrency', () => testConcurrency(startTestProvider));
describe('idempotency', () => testIdempotency(startTestProvider));
describe('webhooks', () => testWebhooks(startTestProvider));

const provider = await startTestProvider();
afterAll(() => provider.stop());

async function authorised() {
  const orderId = randomUUID();
  const receiptEmail = 'buyer@example.com';
  const intent = await provider.payments.createIntent({
    orderId,
    attempt: 1,
    amountCents: 500,
    receiptEmail,
    itemIds: [],
  });
  await provider.confirm(intent.clientSecret);
  return { ...intent, orderId };
}

const eventsOf = async (intentId: string) => {
  const rows = await provider.db
    .selectFrom('test_mode_events')
    .select('type')
    .where('payload', 'like', `%${intentId}%`)
    .orderBy('id')
    .execute();
  return rows.map(({ type }) => type);
};

test('one of 20 concurrent confirmations is accepted, and each answer has the state of the intent', async () => {
  const intent = await provider.payments.createIntent({
    orderId: randomUUID(),
    attempt: 1,
    amountCents: 500,
    receiptEmail: 'buyer@example.com',
    itemIds: [],
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => provider.confirm(intent.clientSecret)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { body } of answers) {
    expect(body.error?.payment_intent?.status ?? body.status).toBe('requires_capture');
  }
  expect(await eventsOf(intent.id)).toEqual(['payment_intent.amount_capturable_updated']);
});

test('a concurrent capture and cancel agree on one result, whose events are written once', async () => {
  for (let round = 0; round < 20; round += 1) {
    const { id: intentId, orderId } = await authorised();
    const calls = [
      () => provider.payments.captureIntent({ intentId, orderId }).catch((error: Error) => error.name),
      () => provider.payments.cancelIntent({ intentId, orderId }),
    ];
    if (round % 2) calls.reverse();
    const answers = await Promise.all(calls.map((call) => call()));
    const { status, receivedCents } = await provider.payments.retrieveIntent(intentId);
    expect(receivedCents).toBe(status === 'succeeded' ? 500 : 0);
    for (const answer of answers) {
      expect(typeof answer === 'string' ? answer : answer.status).toBe(
        status === 'canceled' && typeof answer === 'string' ? 'PaymentRefused' : status,
      );
    }
    const released = status === 'canceled' ? ['charge.refunded'] : [];
    expect(await eventsOf(intentId)).toEqual([
      'payment_intent.amount_capturable_updated',
      ...released,
      `payment_intent.${status}`,
    ]);
  }
});

test('fifty concurrent refunds with different keys repay the money once', async () => {
  const { id: intentId, orderId } = await authorised();
  await provider.payments.captureIntent({ intentId, orderId });
  const refunds = await Promise.all(
    Array.from({ length: 50 }, () => provider.payments.refundIntent({ intentId, orderId: randomUUID() })),
  );
  expect(new Set(refunds.map(({ id }) => id)).size).toBe(1);
  const made = provider.db.selectFrom('test_mode_refunds').select('amount_cents');
  const rows = await made.where('intent_id', '=', intentId).execute();
  expect(rows).toEqual([{ amount_cents: 500 }]);
});

test('an authorisation expires after seven days: its capture is refused, and an event is written', async () => {
  const [lapsing, listed] = [await authorised(), await authorised()];
  provider.pass(7 * DAY_MS + 1000);
  await expect(
    provider.payments.captureIntent({ intentId: lapsing.id, orderId: lapsing.orderId }),
  ).rejects.toMatchObject({ name: 'PaymentRefused', reason: 'payment_intent_unexpected_state' });
  expect((await provider.payments.retrieveIntent(lapsing.id)).status).toBe('canceled');
  expect(await eventsOf(lapsing.id)).toContain('payment_intent.canceled');

  const statuses = new Map<string, string>();
  for await (const { id, status } of provider.payments.listIntents({ createdSince: listed.createdAt })) {
    statuses.set(id, status);
  }
  expect(statuses.get(listed.id)).toBe('canceled');
});

test('processes that start concurrently on one database use the same keys and intents', async () => {
  const { db, log, clock } = provider;
  // The state before the first start of all.
  await db.deleteFrom('test_mode_account').execute();
  const opened = await Promise.all(Array.from({ length: 5 }, () => openTestModeProvider({ db, log, clock })));
  expect(new Set(opened.map(({ keys }) => JSON.stringify(keys))).size).toBe(1);

  const [first, second] = opened;
  if (!first || !second) throw new Error('not opened');
  const orderId = randomUUID();
  const intent = await first.payments.createIntent({
    orderId,
    attempt: 1,
    amountCents: 700,
    receiptEmail: 'a@example.com',
    itemIds: [],
  });
  expect(await second.payments.retrieveIntent(intent.id)).toEqual(intent);
  const { secretKey, webhookSecret } = first.keys;
  const third = createStripePayments({ secretKey, webhookSecret, httpClient: second.httpClient, clock: systemClock });
  expect((await third.cancelIntent({ intentId: intent.id, orderId })).status).toBe('canceled');
});
