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
  it.each(['succeeded', 'requires_capture'] as const)('is authorised for the status %s', (status) => {
    expect(confirmationOf({ paymentIntent: intent(status) })).toEqual({
      outcome: 'authorised',
      payment: { id: 'pi_1', status },
    });
  });

  it('is authorised for an error about a payment that is already authorised', () => {
    expect(confirmationOf(error('invalid_request_error', 'requires_capture'))).toMatchObject({ outcome: 'authorised' });
  });

  it('is a refusal with the message of the provider for a decline', () => {
    expect(confirmationOf(error('card_error', 'requires_payment_method'))).toEqual({
      outcome: 'refused',
      message: 'Your card was declined.',
    });
  });

  it('is "ended" for a cancelled payment', () => {
    expect(confirmationOf(error('invalid_request_error', 'canceled'))).toEqual({ outcome: 'ended' });
  });

  it.each(['api_connection_error', 'api_error'])('is unknown after an %s', (type) => {
    expect(confirmationOf(error(type))).toEqual({ outcome: 'unknown' });
  });

  it('has the shop’s own message if the provider sends none', () => {
    expect(confirmationOf({ error: { type: 'card_error' } })).toEqual({
      outcome: 'refused',
      message: 'Payment failed. Please try again.',
    });
  });
});
