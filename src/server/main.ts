import { readConfig } from './config.ts';
import { StartError } from './platform/start-error.ts';
import { type RunningShop, startShop } from './start-shop.ts';

const DRAIN_LIMIT_MS = 20_000;

let stopping = false;
let starting: Promise<RunningShop> | undefined;

// A second signal while we drain changes nothing: Ctrl-C reaches us from the terminal and from npm alike.
function stop(): void {
  if (stopping) return;
  stopping = true;
  void drain();
}

async function drain(): Promise<void> {
  setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
  const shop = await starting?.catch(() => undefined);
  await shop?.stop();
  process.exit(0);
}

process.on('SIGINT', stop);
process.on('SIGTERM', stop);
// The launcher is gone, killed perhaps: without it nobody could stop us any more.
process.on('disconnect', stop);

try {
  const config = readConfig();
  starting = startShop(config, { report: console.log });
  const { deps } = await starting;
  if (!config.stripe) console.log('TEST MODE: no Stripe key is configured, only test cards are taken');
  if (config.production && !config.smtpUrl) {
    deps.log.warn('SMTP_URL is not set: mail is only written to files, so claim links reach nobody');
  }
  if (!config.rateLimits) deps.log.warn('RATE_LIMITS is off: only for load tests');
  console.log(`${config.storeName} is open at ${config.publicUrl}`);
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
}
