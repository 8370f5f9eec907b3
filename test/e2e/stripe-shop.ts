import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createStripeTestMode, type StripeTestMode } from '@kedai/stripe-test-mode';
import type { BrowserContext } from '@playwright/test';
import { pino } from 'pino';
import { readConfig } from '../../src/server/config.ts';
import { createStripePayments } from '../../src/server/platform/payments/stripe-gateway.ts';
import { startShop } from '../../src/server/start-shop.ts';
import { systemClock } from '../system-clock.ts';
import type { RealShop } from './real-shop.ts';

export interface StripeShop extends RealShop {
  /** The provider behind api.stripe.com. */
  provider: StripeTestMode;
}

/** Starts a shop that takes payments at Stripe. The provider of test mode, in memory, stands in for Stripe. */
export async function startStripeShop(): Promise<StripeShop> {
  const keys = { publishableKey: 'pk_test_e2e', secretKey: 'sk_test_e2e', webhookSecret: 'whsec_e2e' };
  const provider = await createStripeTestMode({ keys });
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-stripe-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    RATE_LIMITS: 'off',
    STRIPE_SECRET_KEY: keys.secretKey,
    STRIPE_PUBLISHABLE_KEY: keys.publishableKey,
    STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
  });
  const payments = createStripePayments({ ...keys, httpClient: provider.httpClient, clock: systemClock });
  const shop = await startShop({ ...config, port: 0 }, { replace: { payments, log: pino({ level: 'silent' }) } });
  provider.startWebhooks(`${shop.url}/api/webhooks/stripe`);
  return {
    ...shop.deps,
    url: shop.url,
    dataDir,
    startedAt: systemClock.now(),
    provider,
    stop: async () => {
      await provider.stop();
      await shop.stop();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

const script = readFileSync(new URL('fake-stripe.js', import.meta.url), 'utf8');

const fields = ['Card number', 'Expiry', 'CVC'].map((name) => `<label>${name} <input></label>`).join('');
const cardPage = `<form>${fields}</form><script>
  document.forms[0].addEventListener('input', () => {
    const [number, expiry, cvc] = [...document.querySelectorAll('input')].map(({ value }) => value);
    parent.postMessage({ number, expiry, cvc }, '*');
  });
</script>`;
const bankButton = (name: string) =>
  `<button onclick="parent.postMessage('${name.toLowerCase()}', '*')">${name}</button>`;
const bankPage = ['Complete', 'Fail'].map(bankButton).join('');

/** Answers the requests to js.stripe.com, hooks.stripe.com and api.stripe.com; none leaves the machine. */
export async function answerAsStripe(context: BrowserContext, { provider }: StripeShop): Promise<void> {
  const html = (body: string) => ({ contentType: 'text/html', body });
  await context.route('https://js.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await context.route('https://js.stripe.com/fake/card', (route) => route.fulfill(html(cardPage)));
  await context.route('https://hooks.stripe.com/**', (route) => route.fulfill(html(bankPage)));
  await context.route('https://api.stripe.com/**', async (route) => {
    const request = route.request();
    const { status, headers, body } = await provider.handle({
      method: request.method(),
      url: new URL(request.url()).pathname,
      body: request.postData() ?? '',
      authorization: undefined,
      idempotencyKey: undefined,
    });
    const cors = { 'access-control-allow-origin': '*', 'content-type': 'application/json' };
    await route.fulfill({ status, headers: { ...headers, ...cors }, body });
  });
}
