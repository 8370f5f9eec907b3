import { createStripePayments } from '../../src/server/platform/payments/stripe-gateway.ts';
import { openTestModeProvider } from '../../src/server/platform/payments/test-mode.ts';
import { type CommandDeps, commandLog } from './run-command.ts';

/** Opens the payment provider, for reading only. */
export async function openPayments({ config, db, clock }: CommandDeps) {
  if (config.stripe) return createStripePayments({ ...config.stripe, clock });
  const provider = await openTestModeProvider({ db, log: commandLog, clock });
  return provider.payments;
}
