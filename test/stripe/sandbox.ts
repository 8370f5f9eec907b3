import { Stripe } from 'stripe';
import { describe } from 'vitest';
import { createStripePayments } from '../../src/server/platform/payments/stripe-gateway.ts';
import { systemClock } from '../system-clock.ts';
import { testPayments } from './payments.suite.ts';

// Started by scripts/commands/test-stripe.ts, which has checked the key.
const secretKey = process.env['STRIPE_SECRET_KEY'] ?? '';

describe('the gateway at Stripe', () =>
  testPayments(async () => ({
    payments: createStripePayments({ secretKey, webhookSecret: 'whsec_unused', clock: systemClock }),
    stripe: new Stripe(secretKey, { maxNetworkRetries: 2, telemetry: false }),
    stop: async () => undefined,
  })));
