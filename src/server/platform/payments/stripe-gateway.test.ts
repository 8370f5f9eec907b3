import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { afterAll, describe, expect, test } from 'vitest';
import { testPayments } from '../../../../test/stripe/payments.suite.ts';
import { startTestProvider } from '../../../../test/test-provider.ts';

describe('the Stripe gateway against the test mode', () =>
  testPayments(async () => {
    const { keys, httpClient, payments, stop } = await startTestProvider();
    return { payments, stripe: new Stripe(keys.secretKey, { httpClient }), stop };
  }));

const provider = await startTestProvider();
afterAll(() => provider.stop());

const create = (orderId: string, attempt = 1, amountCents = 1908) =>
  provider.payments.createIntent({ orderId, attempt, amountCents, receiptEmail: 'buyer@example.com', itemIds: [] });

async function authorised() {
  const orderId = randomUUID();
  const { id: intentId, clientSecret } = await create(orderId);
  await provider.confirm(clientSecret);
  return { orderId, intentId };
}

async function captured() {
  const payment = await authorised();
  await provider.payments.captureIntent(payment);
  return payment;
}

test('each call sends the documented idempotency key', async () => {
  const { orderId } = await captured().then(async (payment) => {
    await provider.payments.refundIntent(payment);
    return payment;
  });
  const cancelled = randomUUID();
  await provider.payments.cancelIntent({ intentId: (await create(cancelled, 3)).id, orderId: cancelled });
  const rows = await provider.db.selectFrom('test_mode_idempotency_keys').select('key').execute();
  expect(rows.map(({ key }) => key)).toEqual(
    expect.arrayContaining([
      `create/${orderId}/1`,
      `capture/${orderId}`,
      `refund/${orderId}`,
      `create/${cancelled}/3`,
      `cancel/${cancelled}`,
    ]),
  );
});

test('a partial refund is made once, even if its idempotency key is lost', async () => {
  const payment = await captured();
  const part = { ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents: 500 } };
  const first = await provider.payments.refundIntent(part);
  await provider.db.deleteFrom('test_mode_idempotency_keys').execute();
  expect(await provider.payments.refundIntent(part)).toEqual(first);
  expect(await provider.payments.refundedCents(payment.intentId)).toBe(500);
});

test('a full refund that staff have given by hand is that one, and no part that the shop has refunded', async () => {
  const payment = await captured();
  const stripe = new Stripe(provider.keys.secretKey, { httpClient: provider.httpClient });
  const { id: byHand } = await stripe.refunds.create({ payment_intent: payment.intentId, amount: 1408 });
  await provider.payments.refundIntent({ ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents: 500 } });
  expect(await provider.payments.refundIntent(payment)).toMatchObject({ id: byHand, refundId: undefined });
});

test('a refusal has the provider’s code as its reason', async () => {
  const refused = (reason: string) => expect.objectContaining({ name: 'PaymentRefused', reason });
  const authorisedOnly = await authorised();
  await expect(provider.payments.refundIntent(authorisedOnly)).rejects.toEqual(
    refused('payment_intent_unexpected_state'),
  );
  const tooMuch = { refundId: randomUUID(), amountCents: 1909 };
  await expect(provider.payments.refundIntent({ ...(await captured()), oneOfSeveral: tooMuch })).rejects.toEqual(
    refused('amount_too_large'),
  );
});

test.each([
  ['resolution', 'lost'],
  ['block', 'won'],
  ['chargeback', 'open'],
] as const)('a dispute prevented by a %s is %s', async (caseType, outcome) => {
  const { intentId } = await captured();
  await provider.openDispute(intentId, { status: 'prevented', caseType });
  expect(await provider.payments.listClaims(intentId)).toMatchObject([{ cause: 'dispute', outcome }]);
});
