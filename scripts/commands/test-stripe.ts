// npm run test:stripe: runs the tests of the payment gateway in a sandbox at Stripe. Asks for its secret key, unless
// STRIPE_SECRET_KEY is set, and for a yes, unless --yes is given.

import { Stripe } from 'stripe';
import { startVitest } from 'vitest/node';
import * as z from 'zod/mini';
import { StartError } from '../../src/server/platform/system-errors.ts';
import { openQuestions } from './ask.ts';
import { readArguments } from './read-arguments.ts';
import { runAndExit } from './run-command.ts';

const sandboxKey = z.string().check(
  z.refine((key) => !/^[sr]k_live_/.test(key), { error: 'is a live key, by which real money moves', abort: true }),
  z.regex(/^[sr]k_test_\w+$/, 'must start with sk_test_ or rk_test_'),
);

const plan = `The tests of the payment gateway run at api.stripe.com, in the sandbox whose key you give. A live key is refused.
They make about 140 payment intents of $19.08 with Stripe's test cards, some captured, some cancelled, about 125 refunds,
3 disputes, 2 inquiries and an early fraud warning. No real money moves. The objects stay in the sandbox, with random order ids, and its
webhook endpoints hear of them. It takes some minutes.`;

await runAndExit(async () => {
  const { yes } = readArguments('test:stripe -- [--yes]', { options: { yes: { type: 'boolean' } } }).values;
  const given = process.env['STRIPE_SECRET_KEY'] || undefined;
  if (given === undefined && !process.stdin.isTTY)
    throw new StartError('STRIPE_SECRET_KEY is missing. Nothing was made.');
  console.log(plan);
  const { ask, close } = openQuestions();
  try {
    const secretKey = await ask('STRIPE_SECRET_KEY', sandboxKey, { given, isHidden: true });
    console.log(`The account: ${await nameOfAccount(secretKey)}`);
    const answer = yes ? 'yes' : await ask('Type yes to go on', z.string());
    if (answer.trim() !== 'yes') throw new StartError('Nothing was made.');
    process.env['STRIPE_SECRET_KEY'] = secretKey;
  } finally {
    close();
  }
  const vitest = await startVitest('test', [], { config: 'stripe.config.ts', watch: false });
  await vitest.close();
  return process.exitCode === undefined ? 0 : Number(process.exitCode);
});

async function nameOfAccount(secretKey: string): Promise<string> {
  try {
    const stripe = new Stripe(secretKey, { maxNetworkRetries: 1, telemetry: false });
    const { id, settings, email } = await stripe.accounts.retrieveCurrent();
    return [id, settings?.dashboard.display_name, email].filter(Boolean).join(', ');
  } catch (error) {
    // The SDK's own error holds the whole response.
    const reason = error instanceof Stripe.errors.StripeError ? error.type : String(error);
    throw new StartError(`Stripe does not answer to this key: ${reason}. Nothing was made.`);
  }
}
