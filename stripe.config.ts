import { defineConfig } from 'vitest/config';

// `npm run test:stripe`: the tests of the gateway, at Stripe.
export default defineConfig({
  test: {
    include: ['test/stripe/sandbox.ts'],
    pool: 'forks',
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: ['verbose'],
    // A hundred refunds are some hundred calls, one after the other.
    testTimeout: 600_000,
    hookTimeout: 60_000,
  },
});
