import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Stripe } from 'stripe';
import { describe, expect, test, vi } from 'vitest';
import { createStripeTestMode } from '../src/stripe-test-mode.ts';
import { testAccess } from './access.suite.ts';
import { testCards } from './cards.suite.ts';
import { testConcurrency } from './concurrency.suite.ts';
import { testIdempotency } from './idempotency.suite.ts';
import { startInMemory } from './provider-under-test.ts';
import { testWebhooks } from './webhooks.suite.ts';

describe('access', () => testAccess(startInMemory));
describe('cards', () => testCards(startInMemory));
describe('concurrency', () => testConcurrency(startInMemory));
describe('idempotency', () => testIdempotency(startInMemory));
describe('webhooks', () => testWebhooks(startInMemory));

test('a webhook endpoint that does not answer delays the next event by 5 seconds', async () => {
  let received = 0;
  const server = createServer(() => {
    received += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { keys, httpClient, startWebhooks, stop } = await createStripeTestMode();
  const { paymentIntents } = new Stripe(keys.secretKey, { httpClient });
  startWebhooks(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const expected of [1, 2]) {
    const { id } = await paymentIntents.create({
      amount: 500,
      currency: 'usd',
      capture_method: 'manual',
      allowed_payment_method_types: ['card'],
    });
    await paymentIntents.cancel(id);
    await vi.waitFor(() => expect(received).toBeGreaterThanOrEqual(expected), { timeout: 10_000 });
  }
  server.closeAllConnections();
  await stop();
  server.close();
});
