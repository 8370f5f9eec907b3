import { randomUUID } from 'node:crypto';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthorised, type ProviderUnderTest, type StartProvider } from './provider-under-test.ts';

/** Repeated requests with the same idempotency key. */
export function testIdempotency(start: StartProvider): void {
  let provider: ProviderUnderTest;
  let stripe: Stripe;
  beforeAll(async () => {
    provider = await start({ deliverWebhooks: false });
    stripe = provider.sdk(provider.keys.secretKey);
  });
  afterAll(() => provider.stop());

  const create = (idempotencyKey: string, amount = 500) =>
    stripe.paymentIntents.create(
      { amount, currency: 'usd', capture_method: 'manual', allowed_payment_method_types: ['card'] },
      { idempotencyKey },
    );
  const replayed = (object: Stripe.Response<object>) => object.lastResponse.headers['idempotent-replayed'];

  test('a repeated key is answered with the stored answer and a header that says so', async () => {
    const key = randomUUID();
    const first = await create(key);
    const second = await create(key);
    expect(second).toEqual(first);
    expect([replayed(first), replayed(second)]).toEqual([undefined, 'true']);
  });

  test('twenty creations at once with one key make one intent', async () => {
    const key = randomUUID();
    const made = await Promise.all(Array.from({ length: 20 }, () => create(key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  });

  test('a key that was used for other parameters or for another call is refused', async () => {
    const key = randomUUID();
    await create(key);
    await expect(create(key, 501)).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 });
    const id = await createAuthorised(provider);
    await expect(stripe.paymentIntents.capture(id, {}, { idempotencyKey: key })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
    expect((await stripe.paymentIntents.retrieve(id)).status).toBe('requires_capture');
  });

  test('twenty captures at once with one key give one answer', async () => {
    const id = await createAuthorised(provider);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => stripe.paymentIntents.capture(id, {}, { idempotencyKey: key })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers.filter((answer) => replayed(answer) !== 'true')).toHaveLength(1);
  });

  test('a stored refusal is repeated even when the reason for it is gone', async () => {
    const intent = await create(randomUUID());
    const key = randomUUID();
    const capture = () => stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey: key });
    await expect(capture()).rejects.toMatchObject({ code: 'payment_intent_unexpected_state' });
    await provider.confirm(intent.client_secret ?? '');
    await expect(capture()).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
      headers: { 'idempotent-replayed': 'true', 'original-request': expect.stringMatching(/^req_/) },
    });
  });

  test('a browser cannot take an idempotency key that the shop is going to use', async () => {
    const { client_secret: clientSecret, id } = await create(randomUUID());
    const key = `capture/${randomUUID()}`;
    const card = {
      'payment_method_data[card][number]': '4242424242424242',
      'payment_method_data[card][exp_month]': '1',
      'payment_method_data[card][exp_year]': '2045',
      'payment_method_data[card][cvc]': '123',
    };
    const headers = { authorization: `Bearer ${provider.keys.publishableKey}`, 'idempotency-key': key };
    const fields = { client_secret: clientSecret ?? '', ...card };
    const { status } = await provider.browser('POST', `payment_intents/${id}/confirm`, fields, headers);
    expect(status).toBe(200);
    expect((await stripe.paymentIntents.capture(id, {}, { idempotencyKey: key })).status).toBe('succeeded');
  });
}
