import { Stripe } from 'stripe';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../test/system-clock.ts';
import { createStripePayments } from './stripe-gateway.ts';

const webhookSecret = 'whsec_for_this_test';
const payments = createStripePayments({ secretKey: 'sk_test_for_this_test', webhookSecret, clock: systemClock });

function signed(object: object, options: { secret?: string; ageSeconds?: number; event?: object } = {}) {
  const event = { id: 'evt_1', object: 'event', type: 'some.type', data: { object }, ...options.event };
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1000) - (options.ageSeconds ?? 0);
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? webhookSecret,
    timestamp,
  });
  return { body: Buffer.from(payload), signature };
}

test.for([
  [{ object: 'payment_intent', id: 'pi_1' }, 'pi_1'],
  [{ object: 'charge', id: 'ch_1', payment_intent: 'pi_1' }, 'pi_1'],
  [{ object: 'charge', id: 'ch_1', payment_intent: { object: 'payment_intent', id: 'pi_1' } }, 'pi_1'],
  [{ object: 'dispute', id: 'dp_1', charge: 'ch_1', payment_intent: 'pi_1' }, 'pi_1'],
  [{ object: 'refund', id: 're_1', payment_intent: 'pi_1' }, 'pi_1'],
  [{ object: 'charge', id: 'ch_1', payment_intent: null }, undefined],
  [{ object: 'payout', id: 'po_1' }, undefined],
] as const)('an event about %o belongs to intent %s', ([object, paymentIntentId]) => {
  const { body, signature } = signed(object);
  expect(payments.readEvent(body, signature)).toEqual({ id: 'evt_1', type: 'some.type', paymentIntentId });
});

const intent = { object: 'payment_intent', id: 'pi_1' };
const invalid = expect.objectContaining({ code: 'WEBHOOK_INVALID' });

test.for([
  ['without a signature', signed(intent).body, ''],
  ['with a signature that is none', signed(intent).body, 'v1=0'],
  ['signed with another secret', signed(intent).body, signed(intent, { secret: 'whsec_other' }).signature],
  ['changed after signing', signed({ ...intent, id: 'pi_2' }).body, signed(intent).signature],
  ['signed six minutes ago', ...Object.values(signed(intent, { ageSeconds: 360 }))],
  ['signed a minute from now', ...Object.values(signed(intent, { ageSeconds: -60 }))],
  [
    'signed a minute from now, behind another time',
    signed(intent, { ageSeconds: -60 }).body,
    `t=0,${signed(intent, { ageSeconds: -60 }).signature}`,
  ],
  ['signed next year', ...Object.values(signed(intent, { ageSeconds: -31_536_000 }))],
  ['that is empty', Buffer.alloc(0), signed(intent).signature],
] as [string, Buffer, string][])('a webhook %s is refused', ([, body, signature]) => {
  expect(() => payments.readEvent(body, signature)).toThrow(invalid);
});

const withoutObject = (type: string) => signed({}, { event: { type, data: undefined, object: 'v2.core.event' } });

test('a signed event without an object is about no payment', () => {
  const { body, signature } = withoutObject('v1.billing.meter.error_report_triggered');
  const { type, paymentIntentId } = payments.readEvent(body, signature);
  expect([type, paymentIntentId]).toEqual(['v1.billing.meter.error_report_triggered', undefined]);
});

test.for(['payment_intent.succeeded', 'charge.dispute.closed', 'refund.failed', 'radar.early_fraud_warning.created'])(
  'a signed webhook %s without an object is refused',
  (type) => {
    const { body, signature } = withoutObject(type);
    expect(() => payments.readEvent(body, signature)).toThrow(invalid);
  },
);

test.for([
  ['whose id has a NUL character', { ...intent, id: 'pi_\0' }, {}],
  ['whose id has half a surrogate pair', { ...intent, id: 'pi_\ud800' }, {}],
  ['with a NUL character in the id of its event', intent, { id: 'evt_\0' }],
  ['whose event has a number as id', intent, { id: 1 }],
  ['whose event has no id', intent, { id: undefined }],
  ['whose event has an id of 300 characters', intent, { id: 'e'.repeat(300) }],
  ['with a NUL character in its type', intent, { type: 'some\0type' }],
  ['whose type is a number', intent, { type: 1 }],
  ['without a type', intent, { type: undefined }],
  ['with a NUL character in its charge', { ...intent, last_payment_error: { charge: 'ch_\0' } }, {}],
] as const)('a signed webhook %s is refused', ([, object, event]) => {
  const { body, signature } = signed(object, { event });
  expect(() => payments.readEvent(body, signature)).toThrow(invalid);
});

test('the age of a webhook is measured by the shop’s clock, not the machine’s', () => {
  const clock = { now: () => new Date(Date.now() + 86_400_000) };
  const tomorrow = createStripePayments({ secretKey: 'sk_test_for_this_test', webhookSecret, clock });
  const today = signed(intent);
  expect(() => tomorrow.readEvent(today.body, today.signature)).toThrow(invalid);
  const then = signed(intent, { ageSeconds: -86_400 });
  expect(tomorrow.readEvent(then.body, then.signature).paymentIntentId).toBe('pi_1');
});

test('a signature from a clock ten seconds ahead is accepted', () => {
  const { body, signature } = signed(intent, { ageSeconds: -10 });
  expect(payments.readEvent(body, signature).paymentIntentId).toBe('pi_1');
});

test('a signature that is four minutes old is accepted', () => {
  const { body, signature } = signed(intent, { ageSeconds: 240 });
  expect(payments.readEvent(body, signature).paymentIntentId).toBe('pi_1');
});
