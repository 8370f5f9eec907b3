import { connect } from 'node:net';
import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntent, type ProviderUnderTest, type StartProvider } from './provider-under-test.ts';

const unsupported: [Stripe.PaymentIntentCreateParams, string][] = [
  [{ amount: 0, currency: 'usd' }, 'parameter_invalid_integer'],
  [{ amount: 100, currency: 'usd', capture_method: 'automatic' }, 'parameter_invalid'],
  [{ amount: 100, currency: 'eur' }, 'parameter_invalid'],
  [{ amount: 100, currency: 'usd', allowed_payment_method_types: ['klarna'] }, 'parameter_invalid'],
  [{ amount: 100, currency: 'usd', customer: 'cus_1' }, 'parameter_unknown'],
];

/** Tests what each key may do, and what the API refuses. */
export function testAccess(start: StartProvider): void {
  let provider: ProviderUnderTest;
  beforeAll(async () => {
    provider = await start({ deliverWebhooks: false });
  });
  afterAll(() => provider.stop());
  const stripe = () => provider.sdk(provider.keys.secretKey);

  test('the browser sees its own intent with its client secret, without metadata', async () => {
    const { id, clientSecret } = await createIntent(provider);
    const { status, body } = await provider.browser('GET', `payment_intents/${id}`, { client_secret: clientSecret });
    expect({ status, id: body.id, state: body.status }).toEqual({ status: 200, id, state: 'requires_payment_method' });
    expect(body.metadata).toBeUndefined();
  });

  test('a wrong client secret is answered like a missing intent, and confirms nothing', async () => {
    const [mine, other] = [await createIntent(provider), await createIntent(provider)];
    const card = {
      'payment_method_data[card][number]': '4242424242424242',
      'payment_method_data[card][exp_month]': '1',
      'payment_method_data[card][exp_year]': '2045',
      'payment_method_data[card][cvc]': '123',
    };
    for (const secret of [other.clientSecret, `${mine.clientSecret}0`, 'ü', mine.id]) {
      const wrong = await provider.browser('POST', `payment_intents/${mine.id}/confirm`, {
        client_secret: secret,
        ...card,
      });
      expect(wrong).toMatchObject({ status: 404, body: { error: { code: 'resource_missing' } } });
    }
    const path = `payment_intents/${mine.id}`;
    const missing = await provider.browser('GET', 'payment_intents/pi_missing', { client_secret: mine.clientSecret });
    const wrong = await provider.browser('GET', path, { client_secret: other.clientSecret });
    expect(JSON.stringify(wrong).replaceAll(mine.id, '')).toBe(JSON.stringify(missing).replaceAll('pi_missing', ''));
    expect(await provider.browser('GET', path)).toMatchObject({
      status: 400,
      body: { error: { code: 'parameter_missing' } },
    });
    expect((await stripe().paymentIntents.retrieve(mine.id)).status).toBe('requires_payment_method');
  });

  test('the publishable key opens nothing that needs the secret key', async () => {
    const { id, clientSecret } = await createIntent(provider);
    await provider.confirm(clientSecret);
    const fields = { client_secret: clientSecret, payment_intent: id, amount: '1' };
    for (const [method, path] of [
      ['POST', `payment_intents/${id}/capture`],
      ['POST', `payment_intents/${id}/cancel`],
      ['POST', 'payment_intents'],
      ['GET', 'payment_intents'],
      ['POST', 'refunds'],
      ['GET', 'refunds'],
    ] as const) {
      const { status, body } = await provider.browser(method, path, fields);
      expect({ path, status, code: body.error?.code }).toEqual({ path, status: 403, code: 'secret_key_required' });
    }
    expect((await stripe().paymentIntents.retrieve(id)).status).toBe('requires_capture');
  });

  test('without a key of this provider nothing answers', async () => {
    const { id, clientSecret } = await createIntent(provider);
    for (const headers of [{}, { authorization: 'Bearer sk_test_0' }, { authorization: `Bearer ${'ü'.repeat(55)}` }]) {
      const { status } = await provider.browser(
        'GET',
        `payment_intents/${id}`,
        { client_secret: clientSecret },
        { ...headers },
      );
      expect(status).toBe(401);
    }
    // The secret key belongs in a header, never in an address that ends up in a log.
    const inQuery = await provider.browser('GET', 'payment_intents', { key: provider.keys.secretKey }, {});
    expect(inQuery.status).toBe(401);
    await expect(provider.sdk('sk_test_0').paymentIntents.retrieve(id)).rejects.toMatchObject({
      type: 'StripeAuthenticationError',
    });
  });

  test('a Stripe SDK at the provider’s address drives a payment through to its refund', async () => {
    const { paymentIntents, refunds } = stripe();
    const intent = await paymentIntents.create({
      amount: 1908,
      currency: 'usd',
      capture_method: 'manual',
      allowed_payment_method_types: ['card'],
      metadata: { order_id: 'ö & =', note: '' },
    });
    expect(intent.metadata).toEqual({ order_id: 'ö & =', note: '' });
    await provider.confirm(intent.client_secret ?? '');
    expect(await paymentIntents.capture(intent.id)).toMatchObject({ status: 'succeeded', amount_received: 1908 });
    const part = await refunds.create({ payment_intent: intent.id, amount: 900 });
    expect(part).toMatchObject({ amount: 900, status: 'succeeded' });
    await expect(refunds.create({ payment_intent: intent.id, amount: 1009 })).rejects.toMatchObject({
      code: 'amount_too_large',
    });
    const rest = await refunds.create({ payment_intent: intent.id });
    expect(rest.amount).toBe(1008);
    expect((await refunds.list({ payment_intent: intent.id })).data.map(({ id }) => id)).toEqual([rest.id, part.id]);
  });

  test.for(unsupported)('an intent with %o is refused rather than half understood', async ([params, code]) => {
    const { paymentIntents } = stripe();
    await expect(
      paymentIntents.create({ capture_method: 'manual', allowed_payment_method_types: ['card'], ...params }),
    ).rejects.toMatchObject({ type: 'StripeInvalidRequestError', code });
  });

  test('metadata has the limits that it has at Stripe', async () => {
    const create = (metadata: Record<string, string>) =>
      stripe().paymentIntents.create({
        ...{ amount: 100, currency: 'usd', capture_method: 'manual', allowed_payment_method_types: ['card'], metadata },
      });
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 'x']));
    for (const allowed of [many(50), { ['n'.repeat(40)]: 'x'.repeat(500) }]) {
      expect((await create(allowed)).metadata).toEqual(allowed);
    }
    for (const refused of [many(51), { ['n'.repeat(41)]: 'x' }, { n: 'x'.repeat(501) }]) {
      await expect(create(refused)).rejects.toMatchObject({ type: 'StripeInvalidRequestError', param: 'metadata' });
    }
  });

  test('bodies of another type and oversized ones are refused', async () => {
    const { id } = await createIntent(provider);
    const send = (type: string, body: string) =>
      fetch(`${provider.url}/test-mode/v1/payment_intents/${id}/confirm`, {
        method: 'POST',
        headers: { 'content-type': type, authorization: `Bearer ${provider.keys.publishableKey}` },
        body,
      });
    expect((await send('application/json', '{}')).status).toBe(415);
    expect((await send('application/x-www-form-urlencoded', 'x'.repeat(20_000))).status).toBe(413);
  });

  test('a request that breaks off in its body does not end the process', async () => {
    const socket = connect(Number(new URL(provider.url).port), '127.0.0.1');
    const head = 'POST /test-mode/v1/refunds HTTP/1.1\r\nHost: provider\r\nContent-Length: 100\r\n\r\n';
    await new Promise((resolve) => socket.write(`${head}amount=`, resolve));
    // A response means that the provider has read what came.
    await provider.browser('GET', 'payment_intents');
    socket.destroy();
    expect((await provider.browser('GET', 'payment_intents')).status).toBe(403);
  });
}
