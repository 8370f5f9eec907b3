import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestProvider, type TestProvider } from '../../../../test/test-provider.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
});
afterAll(() => provider.stop());

const create = (orderId: string, attempt = 1, amountCents = 1908) =>
  provider.payments.createIntent({ orderId, attempt, amountCents, receiptEmail: 'buyer@example.com' });

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

const refused = (reason: string) => expect.objectContaining({ name: 'PaymentRefused', reason });
const unexpectedState = refused('payment_intent_unexpected_state');

test('an intent is for the order and its amount, and moves no money by itself', async () => {
  const orderId = randomUUID();
  const intent = await create(orderId);
  expect(intent).toMatchObject({ amountCents: 1908, receivedCents: 0, currency: 'usd', orderId, liveMode: false });
  expect(intent.clientSecret.startsWith(`${intent.id}_secret_`)).toBe(true);
  expect(Date.now() - intent.createdAt.getTime()).toBeLessThan(60_000);
});

test('creating again answers the same intent as it stands now; another attempt makes another', async () => {
  const orderId = randomUUID();
  const first = await create(orderId);
  await provider.confirm(first.clientSecret);
  const authorised = { status: 'requires_capture', authorisedAt: expect.any(Date) };
  expect(await create(orderId)).toEqual({ ...first, ...authorised });
  expect((await create(orderId, 2)).id).not.toBe(first.id);
});

test('one attempt cannot be for two amounts', async () => {
  const orderId = randomUUID();
  await create(orderId, 1, 1908);
  await expect(create(orderId, 1, 1909)).rejects.toThrow('An idempotency key was used for two requests');
});

test('the calls carry the keys that are written down for them', async () => {
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

test('capturing takes the money, and capturing again takes no more', async () => {
  const payment = await authorised();
  const [first, second] = [
    await provider.payments.captureIntent(payment),
    await provider.payments.captureIntent(payment),
  ];
  expect(first).toMatchObject({ status: 'succeeded', receivedCents: 1908 });
  expect(second).toEqual(first);
});

test('an unpaid intent cannot be captured, and once it is paid it can, although the refusal is stored', async () => {
  const orderId = randomUUID();
  const { id: intentId, clientSecret } = await create(orderId);
  const capture = () => provider.payments.captureIntent({ intentId, orderId });
  await expect(capture()).rejects.toEqual(unexpectedState);
  await expect(capture()).rejects.toEqual(unexpectedState);
  await provider.confirm(clientSecret);
  expect((await capture()).status).toBe('succeeded');
});

test('cancelling answers the intent as it ends, whichever came first', async () => {
  const [open, paid] = [await authorised(), await captured()];
  expect((await provider.payments.cancelIntent(open)).status).toBe('canceled');
  expect((await provider.payments.cancelIntent(open)).status).toBe('canceled');
  expect((await provider.payments.cancelIntent(paid)).status).toBe('succeeded');
  await expect(provider.payments.captureIntent(open)).rejects.toEqual(unexpectedState);
});

test('an order’s second intent is cancelled and captured although its first has used the keys', async () => {
  const { orderId, intentId } = await authorised();
  await provider.payments.cancelIntent({ orderId, intentId });
  await expect(provider.payments.captureIntent({ orderId, intentId })).rejects.toEqual(unexpectedState);
  const second = await create(orderId, 2);
  await provider.confirm(second.clientSecret);
  const captured = await provider.payments.captureIntent({ orderId, intentId: second.id });
  expect(captured).toMatchObject({ id: second.id, status: 'succeeded' });
  const third = await create(orderId, 3);
  expect(await provider.payments.cancelIntent({ orderId, intentId: third.id })).toMatchObject({
    id: third.id,
    status: 'canceled',
  });
});

test('a refund is in full and given once', async () => {
  const payment = await captured();
  const first = await provider.payments.refundIntent(payment);
  expect(first.status).toBe('succeeded');
  expect(await provider.payments.refundIntent(payment)).toEqual(first);
  // Another way to the same refund, as after a restored backup that has lost the first.
  expect(await provider.payments.refundIntent({ ...payment, orderId: randomUUID() })).toEqual(first);
  const rows = await provider.db
    .selectFrom('test_mode_refunds')
    .select('amount_cents')
    .where('intent_id', '=', payment.intentId)
    .execute();
  expect(rows).toEqual([{ amount_cents: 1908 }]);
});

test('refunds of parts are each given once, also when the key is forgotten, and the last gives what is left', async () => {
  const payment = await captured();
  const part = (amountCents?: number) => ({ ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents } });
  const [one, other, rest] = [part(500), part(500), part()];
  const first = await provider.payments.refundIntent(one);
  await provider.db.deleteFrom('test_mode_idempotency_keys').execute();
  expect(await provider.payments.refundIntent(one)).toEqual(first);
  expect((await provider.payments.refundIntent(other)).id).not.toBe(first.id);
  expect(await provider.payments.refundedCents(payment.intentId)).toBe(1000);
  const tooMuch = part(909);
  await expect(provider.payments.refundIntent(tooMuch)).rejects.toEqual(refused('amount_too_large'));
  const last = await provider.payments.refundIntent(rest);
  expect(await provider.payments.refundedCents(payment.intentId)).toBe(1908);
  // Nothing is left to give, which is what was wanted.
  expect(await provider.payments.refundIntent(part())).toEqual(last);
});

test('more refunds of one payment than a page of the provider’s list are all seen', async () => {
  const { intentId } = await captured();
  const refunds = Array.from({ length: 101 }, (_, index) => ({
    id: `re_${String(index).padStart(3, '0')}`,
    intent_id: intentId,
    amount_cents: 1,
    created_at: provider.clock.now(),
  }));
  await provider.db.insertInto('test_mode_refunds').values(refunds).execute();
  expect(await provider.payments.refundedCents(intentId)).toBe(101);
});

test('the card that paid is told by brand and last four digits, and none before', async () => {
  const unpaid = await create(randomUUID());
  expect(await provider.payments.findCard(unpaid.id)).toBeUndefined();
  const { intentId } = await authorised();
  expect(await provider.payments.findCard(intentId)).toEqual({ brand: 'visa', last4: '4242' });
});

test('a refund that was refused is not taken for given because a part went back by hand', async () => {
  const payment = await authorised();
  await expect(provider.payments.refundIntent(payment)).rejects.toEqual(unexpectedState);
  await provider.payments.captureIntent(payment);
  const byHand = { refundId: randomUUID(), amountCents: 500 };
  await provider.payments.refundIntent({ ...payment, oneOfSeveral: byHand });
  await provider.payments.refundIntent(payment);
  expect(await provider.payments.refundedCents(payment.intentId)).toBe(1908);
});

test('money that was never taken cannot be given back', async () => {
  await expect(provider.payments.refundIntent(await authorised())).rejects.toEqual(unexpectedState);
});

test('an intent that does not exist is refused for good', async () => {
  await expect(provider.payments.retrieveIntent('pi_missing')).rejects.toEqual(refused('resource_missing'));
});

test('all intents since a moment are listed over several pages, newest first', async () => {
  provider.pass(10_000);
  const createdSince = new Date(Math.ceil(provider.clock.now().getTime() / 1000) * 1000);
  provider.pass(2_000);
  const made: string[] = [];
  for (let round = 0; round < 230; round += 1) made.push((await create(randomUUID())).id);
  const listed: string[] = [];
  for await (const { id } of provider.payments.listIntents({ createdSince })) listed.push(id);
  expect(listed).toEqual(made.reverse());
});
