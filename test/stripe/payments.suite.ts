import { randomUUID } from 'node:crypto';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Payments } from '../../src/server/platform/payments/payments.ts';

/** An account at a provider: the shop's gateway, and the SDK for what a buyer or the owner does there. */
export interface Account {
  payments: Payments;
  stripe: Stripe;
  stop(): Promise<void>;
}

// Lists at Stripe can lag behind for a moment.
const listed = { timeout: 60_000, interval: 1_000 };

const refused = (reason: string) => expect.objectContaining({ name: 'PaymentRefused', reason });
const unexpectedState = refused('payment_intent_unexpected_state');
const refusedForAnyReason = expect.objectContaining({ name: 'PaymentRefused' });

/** Tests what the shop expects of a provider, for the test mode and for an account at Stripe alike. */
export function testPayments(open: () => Promise<Account>): void {
  let account: Account;
  let payments: Payments;
  beforeAll(async () => {
    account = await open();
    payments = account.payments;
  });
  afterAll(() => account?.stop());

  const create = (orderId: string, attempt = 1, amountCents = 1908, itemIds: string[] = []) =>
    payments.createIntent({ orderId, attempt, amountCents, receiptEmail: 'buyer@example.com', itemIds });

  const confirm = (intentId: string, card = 'pm_card_visa') =>
    account.stripe.paymentIntents.confirm(intentId, { payment_method: card });

  async function authorised(card?: string) {
    const orderId = randomUUID();
    const { id: intentId } = await create(orderId);
    await confirm(intentId, card);
    return { orderId, intentId };
  }

  async function captured(card?: string) {
    const payment = await authorised(card);
    await payments.captureIntent(payment);
    return payment;
  }

  test('a new intent has the order id and the amount, and moves no money', async () => {
    const orderId = randomUUID();
    const intent = await create(orderId);
    expect(intent).toMatchObject({ amountCents: 1908, receivedCents: 0, currency: 'usd', orderId, liveMode: false });
    expect(intent.status).toBe('requires_payment_method');
    expect(intent.clientSecret.startsWith(`${intent.id}_secret_`)).toBe(true);
    expect(Math.abs(Date.now() - intent.createdAt.getTime())).toBeLessThan(60_000);
  });

  test('an intent names up to 585 items of its order, and none of a larger order', async () => {
    const ids = (count: number) => Array.from({ length: count }, () => randomUUID()).sort();
    for (const itemIds of [[], ids(1), ids(30), ids(585)]) {
      const { id } = await create(randomUUID(), 1, 1908, itemIds);
      expect((await payments.retrieveIntent(id)).itemIds).toEqual(itemIds);
    }
    expect((await create(randomUUID(), 1, 1908, ids(586))).itemIds).toBeUndefined();
  });

  test('creating an intent again returns its current state; another attempt creates another intent', async () => {
    const orderId = randomUUID();
    const first = await create(orderId);
    await confirm(first.id);
    const authorised = {
      status: 'requires_capture',
      authorisedAt: expect.any(Date),
      card: expect.objectContaining({ last4: '4242' }),
    };
    expect(await create(orderId)).toEqual({ ...first, ...authorised });
    expect((await create(orderId, 2)).id).not.toBe(first.id);
  });

  test('creating an intent again with another amount is refused', async () => {
    const orderId = randomUUID();
    await create(orderId, 1, 1908);
    await expect(create(orderId, 1, 1909)).rejects.toThrow('An idempotency key was used for two requests');
  });

  test('a declined card leaves the intent open with the id of the charge, and another card pays', async () => {
    const { id } = await create(randomUUID());
    await expect(confirm(id, 'pm_card_visa_chargeDeclined')).rejects.toMatchObject({ code: 'card_declined' });
    const declined = await payments.retrieveIntent(id);
    expect(declined.status).toBe('requires_payment_method');
    expect(declined.declineId).toMatch(/^ch_/);
    await confirm(id);
    expect((await payments.retrieveIntent(id)).status).toBe('requires_capture');
  });

  test('an intent that waits for authentication cannot be captured, but can be cancelled', async () => {
    const { intentId, orderId } = await authorised('pm_card_authenticationRequired');
    expect((await payments.retrieveIntent(intentId)).status).toBe('requires_action');
    await expect(payments.captureIntent({ intentId, orderId })).rejects.toEqual(unexpectedState);
    expect((await payments.cancelIntent({ intentId, orderId })).status).toBe('canceled');
  });

  test('a second capture returns the result of the first and takes no more money', async () => {
    const payment = await authorised();
    const [first, second] = [await payments.captureIntent(payment), await payments.captureIntent(payment)];
    expect(first).toMatchObject({ status: 'succeeded', receivedCents: 1908 });
    expect(second).toEqual(first);
  });

  test('a refused capture of an unpaid intent does not prevent the capture after the payment', async () => {
    const orderId = randomUUID();
    const { id: intentId } = await create(orderId);
    const capture = () => payments.captureIntent({ intentId, orderId });
    await expect(capture()).rejects.toEqual(unexpectedState);
    await expect(capture()).rejects.toEqual(unexpectedState);
    await confirm(intentId);
    expect((await capture()).status).toBe('succeeded');
  });

  test('cancelling an intent returns its final state, cancelled or captured', async () => {
    const [open, paid] = [await authorised(), await captured()];
    expect((await payments.cancelIntent(open)).status).toBe('canceled');
    expect((await payments.cancelIntent(open)).status).toBe('canceled');
    expect((await payments.cancelIntent(paid)).status).toBe('succeeded');
    await expect(payments.captureIntent(open)).rejects.toEqual(unexpectedState);
  });

  test('a released authorisation is not a refund', async () => {
    const open = await authorised();
    await payments.cancelIntent(open);
    const isReleased = async () =>
      (await account.stripe.refunds.list({ payment_intent: open.intentId })).data.map(({ amount }) => amount);
    await expect.poll(isReleased, listed).toEqual([1908]);
    expect(await payments.listRefunds(open.intentId)).toEqual([]);
    expect(await payments.refundedCents(open.intentId)).toBe(0);
  });

  test('later intents of an order can be captured and cancelled although the first has used its idempotency keys', async () => {
    const { orderId, intentId } = await authorised();
    await payments.cancelIntent({ orderId, intentId });
    await expect(payments.captureIntent({ orderId, intentId })).rejects.toEqual(unexpectedState);
    const second = await create(orderId, 2);
    await confirm(second.id);
    expect(await payments.captureIntent({ orderId, intentId: second.id })).toMatchObject({
      id: second.id,
      status: 'succeeded',
    });
    const third = await create(orderId, 3);
    expect(await payments.cancelIntent({ orderId, intentId: third.id })).toMatchObject({
      id: third.id,
      status: 'canceled',
    });
  });

  test('a full refund is made once, even if it is requested again', async () => {
    const payment = await captured();
    const first = await payments.refundIntent(payment);
    expect(first.status).toBe('succeeded');
    expect(await payments.refundIntent(payment)).toEqual(first);
    // Asks for the same refund as another order, as a restored shop that has lost the first refund may.
    expect(await payments.refundIntent({ ...payment, orderId: randomUUID() })).toEqual(first);
    expect(await payments.listRefunds(payment.intentId)).toMatchObject([
      { refundId: undefined, cents: 1908, status: 'succeeded' },
    ]);
  });

  test('each partial refund is made once, and the last one refunds what is left', async () => {
    const payment = await captured();
    const part = (amountCents?: number) => ({ ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents } });
    const [one, other, rest] = [part(500), part(500), part()];
    const first = await payments.refundIntent(one);
    expect(await payments.refundIntent(one)).toEqual(first);
    expect((await payments.refundIntent(other)).id).not.toBe(first.id);
    expect(await payments.refundedCents(payment.intentId)).toBe(1000);
    await expect(payments.refundIntent(part(909))).rejects.toEqual(refusedForAnyReason);
    const last = await payments.refundIntent(rest);
    expect(await payments.refundedCents(payment.intentId)).toBe(1908);
    // Nothing is left to refund, which is the wanted result.
    expect(await payments.refundIntent(part())).toEqual(last);
  });

  test('all 105 refunds of one payment are listed with their refund ids', async () => {
    const payment = await captured();
    const refundIds = Array.from({ length: 105 }, () => randomUUID());
    for (const refundId of refundIds) {
      await payments.refundIntent({ ...payment, oneOfSeveral: { refundId, amountCents: 1 } });
    }
    expect(await payments.refundedCents(payment.intentId)).toBe(105);
    const refunds = await payments.listRefunds(payment.intentId);
    expect(refunds.map(({ refundId }) => refundId).sort()).toEqual(refundIds.toSorted());
    // The oldest refund is on the second page of the list: it is found there, and not made again.
    await payments.refundIntent({ ...payment, oneOfSeveral: { refundId: refundIds[0] ?? '', amountCents: 1 } });
    expect(await payments.refundedCents(payment.intentId)).toBe(105);
  });

  test('lists are paginated with starting_after and has_more, and refuse a limit above 100', async () => {
    const payment = await captured();
    for (let made = 0; made < 11; made += 1) {
      await payments.refundIntent({ ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents: 1 } });
    }
    const { refunds } = account.stripe;
    const first = await refunds.list({ payment_intent: payment.intentId });
    expect([first.data.length, first.has_more]).toEqual([10, true]);
    const after = first.data.at(-1)?.id ?? '';
    const rest = await refunds.list({ payment_intent: payment.intentId, starting_after: after });
    expect([rest.data.length, rest.has_more]).toEqual([1, false]);
    expect(first.data.map(({ id }) => id)).not.toContain(rest.data[0]?.id);
    await expect(refunds.list({ limit: 101 })).rejects.toMatchObject({ type: 'StripeInvalidRequestError' });
    await expect(refunds.list({ starting_after: 're_missing' })).rejects.toMatchObject({ code: 'resource_missing' });
  });

  test('an authorised intent has the brand and last four digits of its card, an unpaid one has no card', async () => {
    const unpaid = await create(randomUUID());
    expect(await payments.findCard(unpaid.id)).toBeUndefined();
    const { intentId } = await authorised();
    expect(await payments.findCard(intentId)).toMatchObject({ brand: 'visa', last4: '4242' });
  });

  test('a retry of a refused refund refunds what a manual partial refund has left', async () => {
    const payment = await authorised();
    await expect(payments.refundIntent(payment)).rejects.toEqual(refusedForAnyReason);
    await payments.captureIntent(payment);
    await account.stripe.refunds.create({ payment_intent: payment.intentId, amount: 500 });
    await payments.refundIntent(payment);
    expect(await payments.refundedCents(payment.intentId)).toBe(1908);
  });

  const cards = [
    ['pm_card_createDispute', 'dispute'],
    ['pm_card_createDisputeInquiry', 'inquiry'],
    ['pm_card_createIssuerFraudRecord', 'fraud-warning'],
  ] as const;
  test.for(cards)('a payment with %s has a claim with the cause %s that is open', async ([card, cause]) => {
    const since = new Date(Date.now() - 60_000);
    const { intentId } = await captured(card);
    const about = cause === 'fraud-warning' ? {} : { cents: 1908 };
    const claim = { id: expect.any(String), cause, outcome: 'open', ...about };
    await expect.poll(() => payments.listClaims(intentId), listed).toContainEqual(claim);
    const claimed = async () => {
      const intents = [];
      for await (const id of payments.listClaimedIntents({ since })) intents.push(id);
      return intents;
    };
    await expect.poll(claimed, listed).toContain(intentId);
    expect(await payments.listClaims((await captured()).intentId)).toEqual([]);
  });

  test.for([
    ['winning_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ] as const)('a dispute answered with %s is %s', async ([evidence, outcome]) => {
    const { intentId } = await captured('pm_card_createDispute');
    const disputes = async () => (await payments.listClaims(intentId)).filter(({ cause }) => cause === 'dispute');
    await expect.poll(disputes, listed).toHaveLength(1);
    await expect(payments.refundIntent({ intentId, orderId: randomUUID() })).rejects.toEqual(
      refused('charge_disputed'),
    );
    const [dispute] = await disputes();
    const answer = { evidence: { uncategorized_text: evidence }, submit: true };
    await account.stripe.disputes.update(dispute?.id ?? '', answer);
    await expect.poll(disputes, listed).toEqual([{ id: dispute?.id, cause: 'dispute', outcome, cents: 1908 }]);
  });

  test('an inquiry allows a partial refund, and keeps its id when it becomes a dispute', async () => {
    const payment = await captured('pm_card_createDisputeInquiry');
    const claims = async () => (await payments.listClaims(payment.intentId)).map(({ id, cause }) => ({ id, cause }));
    const id = expect.any(String);
    await expect.poll(claims, listed).toEqual([{ id, cause: 'inquiry' }]);
    await payments.refundIntent({ ...payment, oneOfSeveral: { refundId: randomUUID(), amountCents: 500 } });
    const [inquiry] = await claims();
    const answer = { evidence: { uncategorized_text: 'escalate_inquiry_evidence' }, submit: true };
    await account.stripe.disputes.update(inquiry?.id ?? '', answer);
    await expect.poll(claims, listed).toEqual([{ id: inquiry?.id, cause: 'dispute' }]);
  });

  test('retrieving an intent that does not exist is refused as resource_missing', async () => {
    await expect(payments.retrieveIntent('pi_missing')).rejects.toEqual(refused('resource_missing'));
  });

  test('all intents since a given time are listed across pages, newest first', async () => {
    const first = await create(randomUUID());
    const made = [first.id];
    while (made.length < 105) made.push((await create(randomUUID())).id);
    const list = async () => {
      const intents = [];
      for await (const { id, createdAt } of payments.listIntents({ createdSince: first.createdAt })) {
        intents.push({ id, at: createdAt.getTime() });
      }
      return intents;
    };
    await expect.poll(async () => (await list()).map(({ id }) => id), listed).toEqual(expect.arrayContaining(made));
    const intents = await list();
    expect(new Set(intents.map(({ id }) => id)).size).toBe(intents.length);
    expect(intents).toEqual(intents.toSorted((one, other) => other.at - one.at));
  });

  test('the list of all refunds names the payment of each refund', async () => {
    const since = new Date(Date.now() - 60_000);
    const payment = await captured();
    await payments.refundIntent(payment);
    const list = async () => {
      const refunds = [];
      for await (const refund of payments.listAllRefunds({ since })) refunds.push(refund);
      return refunds;
    };
    await expect
      .poll(list, listed)
      .toContainEqual(expect.objectContaining({ intentId: payment.intentId, cents: 1908 }));
  });
}
