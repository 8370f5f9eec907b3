import { describe, expect, it } from 'vitest';
import { confirmationOf } from './card-entry.ts';

const intent = (status: string) => ({ id: 'pi_1', status });
const error = (type: string, status?: string) => ({
  error: {
    type,
    message: 'Your card was declined.',
    ...(status === undefined ? {} : { payment_intent: intent(status) }),
  },
});

describe('the result of a card confirmation', () => {
  it.each(['succeeded', 'requires_capture'] as const)('%s counts as authorised', (status) => {
    expect(confirmationOf({ paymentIntent: intent(status) })).toEqual({
      outcome: 'authorised',
      payment: { id: 'pi_1', status },
    });
  });

  it('an error about a payment that is already authorised counts as authorised', () => {
    expect(confirmationOf(error('invalid_request_error', 'requires_capture'))).toMatchObject({ outcome: 'authorised' });
  });

  it('a decline keeps the message of the provider', () => {
    expect(confirmationOf(error('card_error', 'requires_payment_method'))).toEqual({
      outcome: 'refused',
      message: 'Your card was declined.',
    });
  });

  it('a cancelled payment has ended', () => {
    expect(confirmationOf(error('invalid_request_error', 'canceled'))).toEqual({ outcome: 'ended' });
  });

  it.each(['api_connection_error', 'api_error'])('after an %s the result is unknown', (type) => {
    expect(confirmationOf(error(type))).toEqual({ outcome: 'unknown' });
  });

  it('without a message from the provider the shop uses its own', () => {
    expect(confirmationOf({ error: { type: 'card_error' } })).toEqual({
      outcome: 'refused',
      message: 'Payment failed. Please try again.',
    });
  });
});
