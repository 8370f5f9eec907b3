import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntent, type ProviderUnderTest, type StartProvider } from './provider-under-test.ts';

/** The test cards and their outcomes. */
export function testCards(start: StartProvider): void {
  let provider: ProviderUnderTest;
  beforeAll(async () => {
    provider = await start({ deliverWebhooks: false });
  });
  afterAll(() => provider.stop());
  const stripe = () => provider.sdk(provider.keys.secretKey);
  const statusOf = async (id: string) => (await stripe().paymentIntents.retrieve(id)).status;

  test('4242 4242 4242 4242 is authorised, not captured', async () => {
    const intent = await createIntent(provider, { amount: 1908 });
    expect(intent.status).toBe('requires_payment_method');
    const { status, body } = await provider.confirm(intent.clientSecret);
    expect({ status, intent: body.status }).toEqual({ status: 200, intent: 'requires_capture' });
    expect(await stripe().paymentIntents.retrieve(intent.id)).toMatchObject({
      status: 'requires_capture',
      amount: 1908,
      amount_received: 0,
    });
  });

  test.for([
    ['4000000000000002', 'card_declined', 'generic_decline'],
    ['4000000000009995', 'card_declined', 'insufficient_funds'],
    ['4000000000000127', 'incorrect_cvc', undefined],
    ['4000000000000069', 'expired_card', undefined],
  ] as const)(
    '%s is refused as %s %s, and another card can pay the same intent',
    async ([number, code, declineCode]) => {
      const { id, clientSecret } = await createIntent(provider, { amount: 1908 });
      const refused = await provider.confirm(clientSecret, { number });
      expect(refused.status).toBe(402);
      expect(refused.body.error).toMatchObject({
        type: 'card_error',
        code,
        payment_intent: { id, status: 'requires_payment_method', last_payment_error: { code } },
      });
      expect(refused.body.error?.decline_code).toBe(declineCode);
      expect(await statusOf(id)).toBe('requires_payment_method');

      const paid = await provider.confirm(clientSecret);
      expect(paid.body).toMatchObject({ status: 'requires_capture', last_payment_error: null });
    },
  );

  test.for([
    [{ number: '4242 4242 4242 4241' }, 'incorrect_number', 'number'],
    [{ number: '4242' }, 'invalid_number', 'number'],
    [{ number: 'four two four two' }, 'invalid_number', 'number'],
    [{ exp_month: '13' }, 'invalid_expiry_month', 'exp_month'],
    [{ exp_year: '2020' }, 'invalid_expiry_year', 'exp_year'],
    [
      { exp_month: '01', exp_year: String(new Date().getUTCFullYear() - 1).slice(2) },
      'invalid_expiry_year',
      'exp_year',
    ],
    [{ cvc: '12' }, 'invalid_cvc', 'cvc'],
    [{ number: '5555 5555 5555 4444' }, 'card_declined', 'number'],
  ] as const)('the entry %o is refused as %s and leaves the intent alone', async ([card, code, param]) => {
    const { id, clientSecret } = await createIntent(provider, { amount: 1908 });
    const { status, body } = await provider.confirm(clientSecret, card);
    expect(status).toBe(402);
    expect(body.error).toMatchObject({ type: 'card_error', code, param });
    expect(await statusOf(id)).toBe('requires_payment_method');
  });

  test('a card is good until the end of its month', async () => {
    const { clientSecret } = await createIntent(provider, { amount: 1908 });
    const now = provider.clock.now();
    const month = { exp_month: String(now.getUTCMonth() + 1), exp_year: String(now.getUTCFullYear() % 100) };
    expect((await provider.confirm(clientSecret, month)).status).toBe(200);
  });

  test.for(['4000002500003155', '4000002760003184'])(
    '%s asks for authentication, then is authorised',
    async (number) => {
      const { id, clientSecret } = await createIntent(provider, { amount: 1908 });
      const asked = await provider.confirm(clientSecret, { number });
      expect(asked.body).toMatchObject({
        status: 'requires_action',
        next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'test_mode_challenge' } },
      });
      expect(await statusOf(id)).toBe('requires_action');
      const done = await provider.answerChallenge(clientSecret, 'complete');
      expect(done.body).toMatchObject({ status: 'requires_capture', next_action: null });
    },
  );

  test('a failed authentication asks for another card, and then the intent can be paid', async () => {
    const { clientSecret } = await createIntent(provider, { amount: 1908 });
    await provider.confirm(clientSecret, { number: '4000002500003155' });
    const failed = await provider.answerChallenge(clientSecret, 'fail');
    expect(failed).toMatchObject({
      status: 200,
      body: {
        status: 'requires_payment_method',
        last_payment_error: { code: 'payment_intent_authentication_failure' },
      },
    });
    const again = await provider.answerChallenge(clientSecret, 'complete');
    expect(again.body.error?.code).toBe('payment_intent_unexpected_state');
    expect((await provider.confirm(clientSecret)).body.status).toBe('requires_capture');
  });

  test('an intent that is paid tells a second confirmation so', async () => {
    const { clientSecret } = await createIntent(provider, { amount: 1908 });
    await provider.confirm(clientSecret);
    const { status, body } = await provider.confirm(clientSecret);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'payment_intent_unexpected_state',
      payment_intent: { status: 'requires_capture' },
    });
  });

  test('card numbers and security codes are neither stored nor logged', async () => {
    const cvc = '7391';
    for (const number of ['4242424242424242', '4000000000000002', '4000002500003155', '5555555555554444']) {
      await provider.confirm((await createIntent(provider, { amount: 1908 })).clientSecret, { number, cvc });
    }
    const dump = await provider.dump();
    expect(dump).not.toMatch(/4242424242|40000000000|40000025|5555555555|\b7391\b/);
    expect(provider.logLines.length).toBeGreaterThan(0);
    expect(provider.logLines.join('')).not.toMatch(/4242424242|40000000000|40000025|5555555555|\b7391\b/);
    expect(dump).toContain('4242');
  });
}
