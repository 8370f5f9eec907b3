import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { readConfig } from '../src/server/config.ts';
import type { Deps } from '../src/server/deps.ts';
import { createPasswordHasher, type PasswordHasher } from '../src/server/platform/crypto/password-hasher.ts';
import { type StartOptions, startShop } from '../src/server/start-shop.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { LEAST_HASH_COST } from './factories.ts';

export interface TestShop {
  deps: Deps;
  url: string;
  metricsUrl: string | undefined;
  /** Moves the shop's clock forward. */
  pass(milliseconds: number): void;
  /** Everything the shop has logged, a JSON line each. */
  logLines: string[];
  stop(): Promise<void>;
}

const NEVER_MS = 600_000;

/** Options of a shop that is never too busy to answer, for tests of many calls at once: a machine may be slow. */
export const PATIENT = {
  buyerWaitMs: NEVER_MS,
  databaseLimits: { connectMs: NEVER_MS, waitMs: NEVER_MS, statementMs: NEVER_MS, answerMs: NEVER_MS },
};

/** The shop of startTestShop, until the tests of the file have ended. */
export async function openTestShop(options?: Parameters<typeof startTestShop>[0]): Promise<TestShop> {
  const shop = await startTestShop(options);
  afterAll(() => shop.stop());
  return shop;
}

/**
 * Starts the real shop on a free port with a database of its own. It does no background work by default, so that a test
 * decides when each check runs. Its clock is the real one plus the time that the test has added.
 */
export async function startTestShop({
  settings = {},
  buyerWaitMs,
  passwords = createPasswordHasher(LEAST_HASH_COST),
  database: given,
  ...options
}: Pick<StartOptions, 'deliverTestWebhooks' | 'databaseLimits' | 'backgroundWork'> & {
  /** How long a buyer waits for the provider; 12 s unless said. */
  buyerWaitMs?: number;
  /** Hashes at the least cost unless said. */
  passwords?: PasswordHasher;
  /** A database that the test has prepared; a new one unless said. */
  database?: TestDatabase;
  /** Environment variables of the shop, as an operator would set them. */
  settings?: Record<string, string>;
} = {}): Promise<TestShop> {
  const database = given ?? (await createTestDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-shop-'));
  let passedMs = 0;
  const logLines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => logLines.push(line) });
  const isProduction = settings['NODE_ENV'] === 'production';
  const databaseUrl = new URL(database.connectionString);
  // Production refuses the setting of the tests' server.
  if (isProduction) databaseUrl.searchParams.set('options', '-c synchronous_commit=on');
  const config = readConfig({
    DATABASE_URL: databaseUrl.href,
    DATA_DIR: dataDir,
    // Lines about slow requests on a busy test machine would disturb tests of the log.
    SLOW_REQUEST_MS: '0',
    SLOW_QUERY_MS: '0',
    // Production refuses this value.
    ...(!isProduction && { RATE_LIMITS: 'off' }),
    ...settings,
  });
  const shop = await startShop(
    { ...config, port: 0 },
    {
      backgroundWork: false,
      ...options,
      replace: {
        log,
        clock: { now: () => new Date(Date.now() + passedMs) },
        passwords,
        ...(buyerWaitMs !== undefined && { buyerWaitMs }),
      },
    },
  );
  return {
    deps: shop.deps,
    url: shop.url,
    metricsUrl: shop.metricsUrl,
    logLines,
    pass: (milliseconds) => {
      passedMs += milliseconds;
    },
    stop: async () => {
      await shop.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
