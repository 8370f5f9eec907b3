import { setTimeout as wait } from 'node:timers/promises';
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
import { notifyBuyers } from './features/orders/notify-buyers.ts';
import { hasAdministrator } from './features/users/users.queries.ts';
import { openMonitoring } from './open-monitoring.ts';
import { openItemCipher } from './platform/crypto/key-ring.ts';
import { createPasswordHasher } from './platform/crypto/password-hasher.ts';
import { createPendingTokens, createSessionTokens } from './platform/crypto/tokens.ts';
import { checkConnection, type DatabaseLimits } from './platform/database/connections.ts';
import { openDatabaseClock } from './platform/database/database-clock.ts';
import { ensureDataFolder } from './platform/database/embedded/data-folder.ts';
import { startEmbeddedServer } from './platform/database/embedded/embedded-server.ts';
import { answers, hasEveryMigration, migrate } from './platform/database/migrate.ts';
import { readMigrations } from './platform/database/migration-history.ts';
import { openDatabase } from './platform/database/open-database.ts';
import { openReplica } from './platform/database/open-replica.ts';
import { createReadiness } from './platform/http/health.ts';
import { listen } from './platform/http/listen.ts';
import { startJobs } from './platform/jobs/jobs.ts';
import { createLog } from './platform/log.ts';
import { createMailTransport } from './platform/mail/mail-transport.ts';
import { observePayments } from './platform/payments/payments.ts';
import { createStripePayments } from './platform/payments/stripe-gateway.ts';
import { openTestModeProvider } from './platform/payments/test-mode.ts';
import { createRateLimits, noRateLimits } from './platform/rate-limits/rate-limits.ts';
import { ConfigError } from './platform/system-errors.ts';

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

export interface StartOptions {
  report?: (line: string) => void;
  /**
   * Called with the function that stops the embedded database, for a process that must end before the shop has started
   * or stopped.
   */
  onDatabaseStarting?: (stopDatabase: () => Promise<void>) => void;
  /** Called when the shop's own database cannot be kept running and the process should end. */
  onDatabaseLost?: () => void;
  /** Replaces dependencies: main.ts passes its log, tests pass others. */
  replace?: Partial<Pick<Deps, 'clock' | 'crashPoint' | 'log' | 'buyerWaitMs' | 'payments'>>;
  databaseLimits?: DatabaseLimits | undefined;
  /** Off only in tests of what happens when webhooks do not arrive. */
  deliverTestWebhooks?: boolean;
  /** Off only in tests that start the background work themselves. */
  backgroundWork?: boolean;
}

// Requests and background runs that take longer, e.g. a download or a hanging call of the provider, are cut off.
const LAST_WORK_MS = 10_000;

/** Opens everything that the shop needs, in the order of the dependencies, and listens. */
export async function startShop(config: Config, options: StartOptions = {}): Promise<RunningShop> {
  const report = options.report ?? (() => undefined);
  const closers: (() => Promise<unknown>)[] = [];
  let stopping = false;
  const closeAll = async () => {
    stopping = true;
    for (const close of closers.splice(0).reverse()) await close();
  };

  try {
    const log = options.replace?.log ?? createLog();
    const monitoring = await openMonitoring(config, log);
    const { metrics, tracing, watch, onStatement } = monitoring;
    closers.push(() => tracing.stop());
    // Without a mail server, mail is written to the data folder.
    if (config.smtpUrl === undefined) ensureDataFolder(config.dataDir);
    if (config.databaseUrl !== undefined) await checkConnection(config.databaseUrl, config);
    const connectionString = config.databaseUrl ?? (await startOwnDatabase());
    report('Bringing the database up to date');
    // Read once: while the process runs, an upgrade may replace the files.
    const migrations = readMigrations();
    await migrate(connectionString, migrations);
    // While the shop stops, its PostgreSQL may end before the last connection is closed.
    const onIdleError = ({ message: reason }: Error) => stopping || log.warn({ reason }, 'a database connection broke');
    const access = { onIdleError, preparedStatements: config.preparedStatements, limits: options.databaseLimits };
    const db = openDatabase(connectionString, { ...access, watch: watch('shop'), onStatement });
    closers.push(() => db.destroy());
    const readDb = config.databaseReadUrl === undefined ? db : await openReadDb(config.databaseReadUrl);
    // A separate connection: under load, waiting for a free one must not fail the readiness checks or the clock.
    const probe = openDatabase(connectionString, { ...access, maxConnections: 1 });
    closers.push(() => probe.destroy());
    const { clock, isTimeKnown, clockSkewMs } = await openClock();

    const [cipher, sessionTokens, pendingTokens] = await Promise.all([
      openItemCipher(db, config.masterKeys),
      createSessionTokens(config.jwtKeys, clock),
      createPendingTokens(config.jwtKeys, clock),
    ]);
    const passwords = createPasswordHasher();
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
    closers.push(() => jobs.stop());
    const { payments, publishableKey, testMode } = await openPayments();
    const deps: Deps = {
      config,
      db,
      readDb,
      payments: observePayments(payments, monitoring),
      cipher,
      passwords,
      sessionTokens,
      pendingTokens,
      limits: config.rateLimits ? createRateLimits({ db, log, clock }) : noRateLimits,
      clock,
      mail: createMailTransport({ ...config, clock }),
      jobs,
      log,
      metrics,
      crashPoint: options.replace?.crashPoint ?? (() => undefined),
      buyerWaitMs: options.replace?.buyerWaitMs ?? BUYER_WAIT_MS,
    };

    const readiness = createReadiness({
      checks: {
        database: () => answers(probe),
        migrations: () => hasEveryMigration(probe, migrations),
        // Stripe is not checked: an outage of Stripe must not take the whole shop out of use.
        ...(testMode && { payments: () => testMode.isConfigured(probe) }),
      },
      log,
    });
    const needsAdministrator = !(await hasAdministrator(db));
    const publicDemo = isDemo && config.demo === 'public';
    const app = await buildApp(deps, {
      shop: {
        storeName: config.storeName,
        contact: config.contact,
        payments: { provider: testMode ? 'test-mode' : 'stripe', publishableKey },
        demoAccounts: isDemo ? demoAccounts : [],
        publicDemo,
        // In a public demo, all visitors could read the links in each other's mails.
        mailbox: isDemo && !publicDemo && config.smtpUrl === undefined ? MAILBOX : null,
      },
      policy: publicDemo ? createPublicDemo(await listDemoTexts(db)) : undefined,
      testMode: testMode?.plugin,
      readiness,
      tracing,
    });
    closers.push(async () => {
      const limit = setTimeout(() => app.server.closeAllConnections(), LAST_WORK_MS);
      await app.close();
      clearTimeout(limit);
    });
    const url = await listen(app, { port: config.port, host: config.host });
    await jobs.work('send-mail', (job) => sendMail(deps, mailContents, job));
    await jobs.work('tell-buyers', (job) => notifyBuyers(deps, job));
    await jobs.work('given-up-mail', ({ mailId }) => giveUpMail(deps, mailId));
    testMode?.start(app);
    if (options.backgroundWork !== false) {
      const background = startBackgroundWork(deps, tracing, isTimeKnown);
      closers.push(() => Promise.race([background.stop(), wait(LAST_WORK_MS, undefined, { ref: false })]));
    }
    const metricsServer = await monitoring.serve(connectionString, { access, readiness, clockSkewMs });
    if (metricsServer) closers.push(() => metricsServer.stop());
    const drain = readiness.startDraining;
    return { deps, url, metricsUrl: metricsServer?.url, needsAdministrator, drain, stop: closeAll };

    async function startOwnDatabase(): Promise<string> {
      report('Starting the database');
      const server = await startEmbeddedServer({
        dataDir: config.dataDir,
        report,
        onStarting: options.onDatabaseStarting,
        events: {
          ended: (reason, diskFull) => {
            if (diskFull) log.error({ alert: 'disk-full', reason }, 'the disk of the data folder is full');
            else log.warn({ reason }, 'the own database ended and is started again');
          },
          running: () => log.info('the own database runs again'),
          givenUp: (reason) => {
            log.error({ alert: 'database-lost', reason }, 'the own database ended five times in a minute');
            options.onDatabaseLost?.();
          },
        },
      });
      closers.push(() => server.stop());
      return server.connectionString;
    }

    async function openReadDb(url: string) {
      const replica = await openReplica(url, db, { ...access, watch: watch('replica'), onStatement });
      closers.push(() => replica.destroy());
      return replica;
    }

    async function openClock() {
      const given = options.replace?.clock;
      if (given) return { clock: given, isTimeKnown: () => true, clockSkewMs: () => undefined };
      const clock = await openDatabaseClock({ db: probe, log });
      closers.push(async () => clock.stop());
      return { clock, isTimeKnown: clock.isMeasured, clockSkewMs: clock.skewMs };
    }

    async function openPayments() {
      const { id: shopId } = await getShopIdentity(db);
      if (config.stripe) {
        const payments = options.replace?.payments ?? createStripePayments({ ...config.stripe, clock, shopId });
        return { payments, publishableKey: config.stripe.publishableKey, testMode: undefined };
      }
      const { deliverTestWebhooks: deliverWebhooks = true } = options;
      const provider = await openTestModeProvider({ db, log, clock, shopId, deliverWebhooks });
      closers.push(() => provider.stop());
      return { payments: provider.payments, publishableKey: provider.publishableKey, testMode: provider };
    }
  } catch (error) {
    await closeAll();
    throw error;
  }
}
