import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthorised, createIntent, type ProviderUnderTest, type StartProvider } from './provider-under-test.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Tests simultaneous requests, from one process or several, and authorisations that expire. */
export function testConcurrency(start: StartProvider): void {
  let provider: ProviderUnderTest;
  let stripe: Stripe;
  beforeAll(async () => {
    provider = await start({ deliverWebhooks: false });
    stripe = provider.sdk(provider.keys.secretKey);
  });
  afterAll(() => provider.stop());

  const eventsOf = async (intentId: string) =>
    (await provider.listEvents())
      .filter(({ payload }) => payload.includes(intentId))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ type }) => type);

  test('of 20 confirmations at once one is decided, and each response has the current status', async () => {
    const { id, clientSecret } = await createIntent(provider);
    const answers = await Promise.all(Array.from({ length: 20 }, () => provider.confirm(clientSecret)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { body } of answers) {
      expect(body.error?.payment_intent?.status ?? body.status).toBe('requires_capture');
    }
    expect(await eventsOf(id)).toEqual(['payment_intent.amount_capturable_updated']);
  });

  test('of capture and cancel at once one succeeds, the other is refused, and its events are written once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await createAuthorised(provider);
      const refusal = (error: Stripe.errors.StripeError) => error.code;
      const calls = [
        () => stripe.paymentIntents.capture(id).then(({ status }) => status, refusal),
        () => stripe.paymentIntents.cancel(id).then(({ status }) => status, refusal),
      ];
      if (round % 2) calls.reverse();
      const answers = await Promise.all(calls.map((call) => call()));
      const { status, amount_received } = await stripe.paymentIntents.retrieve(id);
      expect(amount_received).toBe(status === 'succeeded' ? 500 : 0);
      expect(new Set(answers)).toEqual(new Set([status, 'payment_intent_unexpected_state']));
      const released = status === 'canceled' ? ['charge.refunded'] : [];
      expect(await eventsOf(id)).toEqual([
        'payment_intent.amount_capturable_updated',
        ...released,
        `payment_intent.${status}`,
      ]);
    }
  });

  test('of 50 full refunds at once under different keys one is given', async () => {
    const id = await createAuthorised(provider);
    await stripe.paymentIntents.capture(id);
    const refunds = await Promise.allSettled(
      Array.from({ length: 50 }, () => stripe.refunds.create({ payment_intent: id }, { idempotencyKey: randomUUID() })),
    );
    expect(refunds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await stripe.refunds.list({ payment_intent: id })).data).toMatchObject([{ amount: 500 }]);
  });

  test('an authorisation that is not captured within seven days is cancelled', async () => {
    const [asked, listed] = [await createAuthorised(provider), await createAuthorised(provider)];
    provider.pass(7 * DAY_MS + 1000);
    await expect(stripe.paymentIntents.capture(asked)).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    expect((await stripe.paymentIntents.retrieve(asked)).status).toBe('canceled');
    expect(await eventsOf(asked)).toContain('payment_intent.canceled');
    const { data } = await stripe.paymentIntents.list();
    expect(data.find(({ id }) => id === listed)?.status).toBe('canceled');
  });

  test('intents and refunds are listed newest first, page by page', async () => {
    const ids: string[] = [];
    for (let made = 0; made < 5; made += 1) ids.push(await createAuthorised(provider));
    const page = await stripe.paymentIntents.list({ limit: 2 });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[ids[4], ids[3]], true]);
    const next = await stripe.paymentIntents.list({ limit: 2, starting_after: ids[3] ?? '' });
    expect(next.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);

    const [id = ''] = ids;
    await stripe.paymentIntents.capture(id);
    for (const amount of [1, 2, 3]) await stripe.refunds.create({ payment_intent: id, amount });
    const amounts: number[] = [];
    for await (const { amount } of stripe.refunds.list({ payment_intent: id, limit: 2 })) amounts.push(amount);
    expect(amounts).toEqual([3, 2, 1]);
  });

  test('processes that share a store agree on the keys and on every intent', async () => {
    const opened = await Promise.all(Array.from({ length: 5 }, () => provider.openAnother()));
    expect(new Set(opened.map(({ keys }) => JSON.stringify(keys)))).toEqual(new Set([JSON.stringify(provider.keys)]));
    const [first, second] = opened.map(
      ({ httpClient }) => new Stripe(provider.keys.secretKey, { httpClient, maxNetworkRetries: 0 }),
    );
    const { id } = await createIntent(provider);
    expect((await first?.paymentIntents.retrieve(id))?.status).toBe('requires_payment_method');
    expect((await second?.paymentIntents.cancel(id))?.status).toBe('canceled');
    expect((await first?.paymentIntents.retrieve(id))?.status).toBe('canceled');
  });
}
