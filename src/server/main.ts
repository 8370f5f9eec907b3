import { readConfig } from './config.ts';
import { findFreePort } from './platform/database/embedded/cluster.ts';
import { createLog, openStandardOutput } from './platform/log.ts';
import { ConfigError, StartError } from './platform/system-errors.ts';
import { version } from './platform/version.ts';
import { type RunningShop, startShop } from './start-shop.ts';

const STOP_LIMIT_MS = 20_000;
const FLUSH_LIMIT_MS = 1_000;
// EX_CONFIG of sysexits.h: a restart would fail again (scripts/lib/run-server.mjs).
const SETTINGS_REFUSED = 78;
// A single stop may send several SIGTERM at once: from npm, from the launcher and from a service manager.
const SAME_STOP_MS = 1_000;

const output = openStandardOutput();
const log = createLog(output);
const say = (line: string) => output.write(`${line}\n`);

let stoppedAt: number | undefined;
const endDrain = new AbortController();
let isOpen = false;
let starting: Promise<RunningShop> | undefined;
let drainMs = 0;
let stopDatabase: () => Promise<void> = async () => undefined;

/**
 * Handles SIGTERM: keeps serving while proxies take this process out of use, then finishes the current requests and
 * ends. A second SIGTERM ends the wait.
 */
function drainAndStop(): void {
  if (stoppedAt !== undefined && performance.now() - stoppedAt > SAME_STOP_MS) endDrain.abort();
  void stop();
}

/** Handles Ctrl-C or a killed launcher: stops without waiting for proxies. */
function stopNow(): void {
  endDrain.abort();
  void stop();
}

async function stop(): Promise<void> {
  if (stoppedAt !== undefined) return;
  stoppedAt = performance.now();
  const wasOpen = isOpen;
  setTimeout(giveUp, drainMs + STOP_LIMIT_MS).unref();
  const shop = await starting?.catch(() => undefined);
  if (shop && wasOpen && drainMs > 0 && !endDrain.signal.aborted) {
    shop.drain();
    say(`Serving on for ${drainMs / 1000} s, not ready for new shoppers`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, drainMs);
      endDrain.signal.addEventListener('abort', () => resolve());
    });
  }
  setTimeout(giveUp, STOP_LIMIT_MS).unref();
  await shop?.stop();
  await end(0);
}

/** Ends a process whose stop takes too long, after the embedded database, which would otherwise continue. */
async function giveUp(): Promise<void> {
  await stopDatabase().catch(() => undefined);
  process.exit(1);
}

/** Ends the process after its last lines are written. */
async function end(code: number): Promise<void> {
  await output.flush(FLUSH_LIMIT_MS);
  process.exit(code);
}

process.on('SIGINT', stopNow);
process.on('SIGTERM', drainAndStop);
process.on('disconnect', stopNow);

try {
  let config = readConfig();
  // Links on pages and in mails have the port, so a free one is chosen before the shop opens.
  if (config.port === 0) config = readConfig(undefined, await findFreePort());
  drainMs = config.drainSeconds * 1_000;
  starting = startShop(config, {
    report: say,
    onDatabaseStarting: (stop) => {
      stopDatabase = stop;
    },
    onDatabaseLost: () => void end(1),
    replace: { log },
  });
  const { deps, needsAdministrator } = await starting;
  isOpen = true;
  deps.log.info({ version, node: process.version }, 'open');
  if (!config.stripe?.liveMode) say('TEST MODE: no live Stripe key is configured, only test cards are taken');
  if (config.production && !config.smtpUrl) {
    deps.log.warn('SMTP_URL is not set: mail is only written to files, so claim links reach nobody');
  }
  if (!config.rateLimits) deps.log.warn('RATE_LIMITS is off: only for load tests');
  say(`${config.storeName} is open at ${config.publicUrl}`);
  if (needsAdministrator) {
    // Without the settings of a service, the command would make an administrator in a database of its own.
    const settings = config.production ? ' with the settings of this process, as "kedai admin:create" does' : '';
    say(`There is no administrator yet: run "npm run admin:create"${settings}.`);
  }
  // The launcher restarts only a server that has been open.
  if (process.connected) process.send?.('open');
} catch (error) {
  // A start that is stopped fails, too.
  if (stoppedAt === undefined) {
    if (error instanceof StartError) console.error(error.message);
    else log.fatal({ err: error }, 'the shop could not be started');
  }
  await end(error instanceof ConfigError ? SETTINGS_REFUSED : 1);
}
