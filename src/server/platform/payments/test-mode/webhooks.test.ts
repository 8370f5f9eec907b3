import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestProvider, type TestProvider } from '../../../../../test/test-provider.ts';
import { openTestModeProvider } from './provider.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider({ deliverWebhooks: true });
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.webhooks.length = 0;
  provider.answerWebhooksWith(200);
});

async function authorised(payments = provider.payments) {
  const orderId = randomUUID();
  const receiptEmail = 'buyer@example.com';
  const intent = await payments.createIntent({ orderId, attempt: 1, amountCents: 500, receiptEmail });
  await provider.confirm(intent.clientSecret);
  return { intentId: intent.id, orderId };
}

const received = () =>
  provider.webhooks.map(({ body, signature }) => provider.payments.readEvent(body, signature));
const stored = async () => (await provider.db.selectFrom('test_mode_events').select('id').execute()).length;
const allDelivered = () => vi.waitFor(async () => expect(await stored()).toBe(0), { timeout: 10_000 });

test('each change arrives once, signed, naming the intent', async () => {
  const { intentId, orderId } = await authorised();
  await provider.payments.captureIntent({ intentId, orderId });
  await provider.payments.refundIntent({ intentId, orderId });
  await provider.openDispute(intentId);
  await allDelivered();
  expect(new Set(received().map(({ type }) => type))).toEqual(
    new Set([
      'payment_intent.amount_capturable_updated',
      'payment_intent.succeeded',
      'charge.refunded',
      'charge.dispute.created',
    ]),
  );
  expect(received()).toHaveLength(4);
  for (const event of received()) expect(event.paymentIntentId).toBe(intentId);
});

test('declines and cancellations are told, too', async () => {
  const orderId = randomUUID();
  const receiptEmail = 'buyer@example.com';
  const { id, clientSecret } = await provider.payments.createIntent({
    orderId,
    attempt: 1,
    amountCents: 500,
    receiptEmail,
  });
  await provider.confirm(clientSecret, { number: '4000000000000002' });
  await provider.payments.cancelIntent({ intentId: id, orderId });
  await allDelivered();
  expect(
    received()
      .map(({ type }) => type)
      .sort(),
  ).toEqual(['payment_intent.canceled', 'payment_intent.payment_failed']);
});

test('an event that the shop answers with a 500 comes again, the same, until it is taken', async () => {
  provider.answerWebhooksWith(500);
  await authorised();
  await vi.waitFor(() => expect(provider.webhooks).toHaveLength(1), { timeout: 10_000 });
  await vi.waitFor(async () => {
    const [row] = await provider.db.selectFrom('test_mode_events').select('attempts').execute();
    expect(row?.attempts).toBe(1);
  });
  provider.answerWebhooksWith(204);
  provider.pass(5_000);
  await allDelivered();
  const [first, second] = received();
  expect(provider.webhooks).toHaveLength(2);
  expect(second).toEqual(first);
});

test('what a process that died has left undelivered is delivered by another', async () => {
  const { db, log, clock } = provider;
  const dying = await openTestModeProvider({ db, log, clock, deliverWebhooks: false });
  const { intentId, orderId } = await authorised(dying.payments);
  await dying.payments.captureIntent({ intentId, orderId });
  await vi.waitFor(
    () => expect(received().map(({ type }) => type)).toContain('payment_intent.amount_capturable_updated'),
    {
      timeout: 10_000,
    },
  );
  await vi.waitFor(async () => expect(await stored()).toBe(1));
  provider.pass(16_000);
  await allDelivered();
  expect(received().map(({ type }) => type)).toContain('payment_intent.succeeded');
});

test('a change that is not committed is not told', async () => {
  const { intentId, orderId } = await authorised();
  await allDelivered();
  provider.webhooks.length = 0;
  await provider.payments.captureIntent({ intentId, orderId });
  // Refused, so nothing changes.
  await provider.payments.cancelIntent({ intentId, orderId });
  await allDelivered();
  expect(received().map(({ type }) => type)).toEqual(['payment_intent.succeeded']);
});
