import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { mailContents, startBackgroundWork } from './background-work.ts';
import { assertSafeForDemo, type Config } from './config.ts';
import { hasDemoData, listDemoTexts } from './demo/demo.queries.ts';
import { MAILBOX } from './demo/mailbox.ts';
import { demoAccounts, makeDemoData } from './demo/make-demo-data.ts';
import { createPublicDemo } from './demo/public-demo.ts';
import type { Deps } from './deps.ts';
import { getShopIdentity } from './features/admin/alerts.queries.ts';
import { BUYER_WAIT_MS } from './features/checkout/payment-intent.ts';
import { giveUpMail, sendMail } from './features/mails/send-mail.ts';
import { enqueueFileMails } from './features/orders/file-mails.ts';
import { hasAdministrator } from './features/users/users.ts';
import { type DatabaseStart, type Databases, type Opening, openDatabases } from './open-databases.ts';
import { openMonitoring } from './open-monitoring.ts';
import { openItemCipher } from './platform/crypto/key-ring.ts';
import { createPasswordHasher } from './platform/crypto/password-hasher.ts';
import { createPendingTokens, createSessionTokens } from './platform/crypto/tokens.ts';
import type { Database } from './platform/database/database.ts';
import { type Clock, openDatabaseClock } from './platform/database/database-clock.ts';
import { answers, hasEveryMigration } from './platform/database/migrate.ts';
import { createReadiness } from './platform/http/health.ts';
import { startJobs } from './platform/jobs/jobs.ts';
import { createLog } from './platform/log.ts';
import { createMailTransport } from './platform/mail/mail-transport.ts';
import { observePayments } from './platform/payments/payments.ts';
import { createStripePayments } from './platform/payments/stripe-gateway.ts';
import { openTestModeProvider } from './platform/payments/test-mode.ts';
import { createRateLimits, noRateLimits } from './platform/rate-limits/rate-limits.ts';
import { ConfigError, errorCodeOf, refuseHost, StartError } from './platform/system-errors.ts';

export interface RunningShop {
  deps: Deps;
  url: string;
  /** Undefined unless METRICS_PORT is set. */
  metricsUrl: string | undefined;
  needsAdministrator: boolean;
  /** Keeps serving, but `/readyz` answers 503 and every response closes its connection, so that proxies use other processes. */
  drain(): void;
  /** Waits up to 10 s for current work, then closes everything in the reverse sequence of opening. */
  stop(): Promise<void>;
}

export interface StartOptions extends DatabaseStart {
  report?: (line: string) => void;
  /** Replaces dependencies: main.ts passes its log, tests pass others. */
  replace?: Partial<Pick<Deps, 'clock' | 'crashPoint' | 'log' | 'buyerWaitMs' | 'payments' | 'passwords'>>;
  /** Off only in tests of what happens when webhooks do not arrive. */
  deliverTestWebhooks?: boolean;
  /** Off only in tests that start the background work themselves. */
  backgroundWork?: boolean;
}

interface ShopOpening extends Opening {
  options: StartOptions;
}

// Requests and background runs that take longer, e.g. a download or a hanging call of the provider, are cut off.
const LAST_WORK_MS = 10_000;

/** Opens everything that the shop needs, in the order of the dependencies, and listens. */
export async function startShop(config: Config, options: StartOptions = {}): Promise<RunningShop> {
  const closers: (() => Promise<unknown>)[] = [];
  let stopping = false;
  const closeAll = async () => {
    stopping = true;
    for (const close of closers.splice(0).reverse()) await close();
  };

  try {
    const log = options.replace?.log ?? createLog();
    const monitoring = await openMonitoring(config, log);
    const opening: ShopOpening = {
      config,
      options,
      log,
      monitoring,
      report: options.report ?? (() => undefined),
      isStopping: () => stopping,
      onStop: (close) => closers.push(close),
    };
    opening.onStop(() => monitoring.tracing.stop());
    const databases = await openDatabases(opening);
    const time = await openClock(opening, databases.probe);
    const { deps, testMode, publishableKey, isDemo } = await openDeps(opening, databases, time.clock);

    const readiness = createReadiness({
      checks: {
        database: () => answers(databases.probe),
        migrations: () => hasEveryMigration(databases.probe, databases.migrations),
        // Stripe is not checked: an outage of Stripe must not take the whole shop out of use.
        ...(testMode && { payments: () => testMode.isConfigured(databases.probe) }),
      },
      log,
    });
    const needsAdministrator = !(await hasAdministrator(deps.db));
    const publicDemo = isDemo && config.demo === 'public';
    const app = await buildApp(deps, {
      shares: databases.shares,
      shop: {
        storeName: config.storeName,
        contact: config.contact,
        payments: { provider: testMode ? 'test-mode' : 'stripe', publishableKey },
        demoAccounts: isDemo ? demoAccounts : [],
        publicDemo,
        // In a public demo, all visitors could read the links in each other's mails.
        mailbox: isDemo && !publicDemo && config.smtpUrl === undefined ? MAILBOX : null,
      },
      policy: publicDemo ? createPublicDemo(await listDemoTexts(deps.db)) : undefined,
      testMode: testMode?.plugin,
      readiness,
      tracing: monitoring.tracing,
    });
    opening.onStop(async () => {
      const limit = setTimeout(() => app.server.closeAllConnections(), LAST_WORK_MS);
      await app.close();
      clearTimeout(limit);
    });
    const url = await listen(app, { port: config.port, host: config.host });
    await deps.jobs.work('send-mail', (job) => sendMail(deps, mailContents, job));
    await deps.jobs.work('tell-buyers', (job) => enqueueFileMails(deps, job));
    await deps.jobs.work('given-up-mail', ({ mailId }) => giveUpMail(deps, mailId));
    if (options.deliverTestWebhooks !== false) testMode?.deliverTo(app);
    if (options.backgroundWork !== false) {
      const background = startBackgroundWork(deps, monitoring.tracing, time.isTimeKnown);
      opening.onStop(() => Promise.race([background.stop(), wait(LAST_WORK_MS, undefined, { ref: false })]));
    }
    const { connectionString, access } = databases;
    const metricsServer = await monitoring.serve(connectionString, {
      access,
      readiness,
      clockSkewMs: time.clockSkewMs,
    });
    if (metricsServer) opening.onStop(() => metricsServer.stop());
    const drain = readiness.startDraining;
    return { deps, url, metricsUrl: metricsServer?.url, needsAdministrator, drain, stop: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openClock({ options, log, onStop }: ShopOpening, probe: Database) {
  const given = options.replace?.clock;
  if (given) return { clock: given, isTimeKnown: () => true, clockSkewMs: () => undefined };
  const clock = await openDatabaseClock({ db: probe, log });
  onStop(async () => clock.stop());
  return { clock, isTimeKnown: clock.isMeasured, clockSkewMs: clock.skewMs };
}

async function openDeps(opening: ShopOpening, { connectionString, db, shares, readDb }: Databases, clock: Clock) {
  const { config, options, log, monitoring, report, onStop } = opening;
  const { metrics, tracing, watch } = monitoring;
  const [cipher, sessionTokens, pendingTokens] = await Promise.all([
    openItemCipher(db, config.masterKeys),
    createSessionTokens(config.jwtKeys, clock),
    createPendingTokens(config.jwtKeys, clock),
  ]);
  const passwords = options.replace?.passwords ?? createPasswordHasher();
  if (config.demo !== 'off' && (await makeDemoData({ db, cipher, passwords, clock, testMode: !config.stripe })))
    report('Made the demo products');
  const isDemo = await hasDemoData(db);
  if (isDemo) {
    if (config.production)
      throw new ConfigError('DATABASE_URL', 'leads to a demo, whose passwords are public: use another database');
    assertSafeForDemo(config);
  }
  const jobs = await startJobs({
    connectionString,
    log,
    limits: options.databaseLimits,
    watch: watch('jobs'),
    tracing,
  });
  onStop(() => jobs.stop());
  const { payments, publishableKey, testMode } = await openPayments(opening, db, clock);
  const deps: Deps = {
    config,
    db,
    readDb,
    payments: observePayments(payments, monitoring),
    cipher,
    passwords,
    sessionTokens,
    pendingTokens,
    limits: config.rateLimits ? createRateLimits({ db: shares.limits, log, clock }) : noRateLimits,
    clock,
    mail: createMailTransport({ ...config, clock }),
    jobs,
    log,
    metrics,
    crashPoint: options.replace?.crashPoint ?? (() => undefined),
    buyerWaitMs: options.replace?.buyerWaitMs ?? BUYER_WAIT_MS,
  };
  return { deps, publishableKey, testMode, isDemo };
}

async function openPayments({ config, options, log, onStop }: ShopOpening, db: Database, clock: Clock) {
  const { id: shopId } = await getShopIdentity(db);
  if (config.stripe) {
    const payments = options.replace?.payments ?? createStripePayments({ ...config.stripe, clock, shopId });
    return { payments, publishableKey: config.stripe.publishableKey, testMode: undefined };
  }
  const provider = await openTestModeProvider({ db, log, clock, shopId });
  onStop(() => provider.stop());
  return { payments: provider.payments, publishableKey: provider.publishableKey, testMode: provider };
}

/** Opens the port and returns the address. Throws a StartError when the port is in use or not allowed, or for a wrong host. */
async function listen(app: FastifyInstance, at: { port: number; host: string }): Promise<string> {
  try {
    // A name is bound to its first address only, which may be the one that no proxy asks.
    return await app.listen({ ...at, host: at.host === 'localhost' ? '127.0.0.1' : at.host });
  } catch (error) {
    refuseHost(error, 'HOST', at.host);
    const problem = problems[errorCodeOf(error)];
    throw problem ? new StartError(`PORT ${at.port} ${problem}`, { cause: error }) : error;
  }
}

const problems: Record<string, string> = {
  EADDRINUSE: 'is in use by another program. Stop that one, or choose another, as in: PORT=3001 npm start',
  EACCES: 'is reserved for root. Choose one above 1023, as in: PORT=3000 npm start',
};
