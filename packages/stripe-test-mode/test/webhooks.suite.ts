import { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createAuthorised, createIntent, type ProviderUnderTest, type StartProvider } from './provider-under-test.ts';

/** Tests the delivery of events, retries, and events that a dead process has left. */
export function testWebhooks(start: StartProvider): void {
  let provider: ProviderUnderTest;
  beforeAll(async () => {
    provider = await start({ deliverWebhooks: true });
  });
  afterAll(() => provider.stop());
  beforeEach(() => {
    provider.webhooks.length = 0;
    provider.answerWebhooksWith(200);
  });

  const stripe = () => provider.sdk(provider.keys.secretKey);
  /** Returns the received events, after a check of their signatures. */
  const received = () =>
    provider.webhooks.map(({ body, signature }) =>
      Stripe.webhooks.constructEvent(
        body,
        signature,
        provider.keys.webhookSecret,
        300,
        undefined,
        provider.clock.now().getTime(),
      ),
    );
  const allDelivered = () =>
    vi.waitFor(async () => expect(await provider.listEvents()).toEqual([]), { timeout: 10_000 });

  test('every change sends one signed event that names the intent', async () => {
    const intentId = await createAuthorised(provider);
    await stripe().paymentIntents.capture(intentId);
    await stripe().refunds.create({ payment_intent: intentId });
    await provider.openDispute(intentId);
    await allDelivered();
    expect(new Set(received().map(({ type }) => type))).toEqual(
      new Set([
        'payment_intent.amount_capturable_updated',
        'payment_intent.succeeded',
        'charge.refunded',
        'charge.dispute.created',
        'charge.dispute.funds_withdrawn',
      ]),
    );
    expect(received()).toHaveLength(5);
    for (const { data } of received()) {
      const {
        object,
        id,
        payment_intent: intent,
      } = data.object as { object: string; id: string; payment_intent?: string };
      expect(object === 'payment_intent' ? id : intent).toBe(intentId);
    }
  });

  test('an inquiry is refundable; as a dispute it has the same id and takes the money until it is won', async () => {
    const intentId = await createAuthorised(provider);
    await stripe().paymentIntents.capture(intentId);
    await provider.openDispute(intentId, { status: 'warning_needs_response', caseType: 'inquiry' });
    await stripe().refunds.create({ payment_intent: intentId, amount: 100 });
    const [inquiry] = (await stripe().disputes.list({ payment_intent: intentId })).data;
    const answer = { evidence: { uncategorized_text: 'escalate_inquiry_evidence' } };
    const dispute = await stripe().disputes.update(inquiry?.id ?? '', answer);
    expect(inquiry).toMatchObject({
      status: 'warning_needs_response',
      payment_method_details: { card: { case_type: 'inquiry' } },
    });
    expect(dispute).toMatchObject({ id: inquiry?.id, status: 'needs_response' });
    await expect(stripe().refunds.create({ payment_intent: intentId })).rejects.toThrow('charged back');
    await provider.changeDispute(intentId, { status: 'lost' });
    await provider.changeDispute(intentId, { status: 'won' });
    await stripe().refunds.create({ payment_intent: intentId });
    await allDelivered();
    const types = received().flatMap(({ type }) => (type.startsWith('charge.dispute.') ? [type.slice(15)] : []));
    expect(types.sort()).toEqual(['closed', 'closed', 'created', 'funds_reinstated', 'funds_withdrawn', 'updated']);
  });

  test('declines and cancellations are reported, too', async () => {
    const { id, clientSecret } = await createIntent(provider);
    await provider.confirm(clientSecret, { number: '4000000000000002' });
    await stripe().paymentIntents.cancel(id);
    await allDelivered();
    expect(
      received()
        .map(({ type }) => type)
        .sort(),
    ).toEqual(['payment_intent.canceled', 'payment_intent.payment_failed']);
  });

  test('the release of reserved money is reported and listed as a refund of a charge that was not captured', async () => {
    const id = await createAuthorised(provider);
    await stripe().paymentIntents.cancel(id);
    await allDelivered();
    const refunded = received().find(({ type }) => type === 'charge.refunded');
    expect(refunded?.data.object).toMatchObject({ captured: false, amount_refunded: 500, refunded: true });
    const { data } = await stripe().refunds.list({ payment_intent: id, expand: ['data.charge'] });
    expect(data).toMatchObject([{ amount: 500, status: 'succeeded', reason: null, charge: { captured: false } }]);
  });

  test('an event that is answered with a 500 is sent again, unchanged, until it is accepted', async () => {
    provider.answerWebhooksWith(500);
    await createAuthorised(provider);
    await vi.waitFor(() => expect(provider.webhooks).toHaveLength(1), { timeout: 10_000 });
    await vi.waitFor(async () => {
      const [event] = await provider.listEvents();
      expect(event?.attempts).toBe(1);
    });
    provider.answerWebhooksWith(204);
    provider.pass(5_000);
    await allDelivered();
    const [first, second] = received();
    expect(provider.webhooks).toHaveLength(2);
    expect(second).toEqual(first);
  });

  test('another process delivers the events of a process that died', async () => {
    const { httpClient } = await provider.openAnother();
    const dying = new Stripe(provider.keys.secretKey, { httpClient, maxNetworkRetries: 0 });
    await dying.paymentIntents.capture(await createAuthorised(provider));
    await vi.waitFor(
      () => expect(received().map(({ type }) => type)).toContain('payment_intent.amount_capturable_updated'),
      { timeout: 10_000 },
    );
    await vi.waitFor(async () => expect(await provider.listEvents()).toHaveLength(1));
    provider.pass(16_000);
    await allDelivered();
    expect(received().map(({ type }) => type)).toContain('payment_intent.succeeded');
  });

  test('a refused change sends no event', async () => {
    const id = await createAuthorised(provider);
    await allDelivered();
    provider.webhooks.length = 0;
    await stripe().paymentIntents.capture(id);
    // Refused, so nothing changes.
    await expect(stripe().paymentIntents.cancel(id)).rejects.toMatchObject({ code: 'payment_intent_unexpected_state' });
    await allDelivered();
    expect(received().map(({ type }) => type)).toEqual(['payment_intent.succeeded']);
  });
}
