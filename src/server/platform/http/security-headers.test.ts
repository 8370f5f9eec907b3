import { expect, test } from 'vitest';
import { securityHeaders } from './http-server.ts';

const policyOf = async (stripe: boolean) =>
  String((await securityHeaders({ production: true, stripe }))['content-security-policy']).split(';');

test('the policy allows Stripe’s scripts, frames and calls only where Stripe takes the cards, and no others', async () => {
  expect(await policyOf(true)).toEqual(
    expect.arrayContaining([
      "script-src 'self' https://js.stripe.com https://*.js.stripe.com",
      'frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
      "connect-src 'self' https://api.stripe.com",
    ]),
  );
  expect(await policyOf(false)).toEqual(
    expect.arrayContaining(["script-src 'self'", "frame-src 'none'", "connect-src 'self'"]),
  );
});
