import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readConfig } from '../../src/server/config.ts';
import { systemClock } from '../../src/server/platform/clock.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { createPasswordHasher } from '../../src/server/platform/crypto/password-hasher.ts';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { type MadeProduct, makeProduct, makeUser, TEST_PASSWORD } from '../factories.ts';
import { freePort } from '../processes.ts';
import { startSilentProxy } from '../silent-proxy.ts';
import { skewedEnvironment } from '../skewed-environment.ts';

const START_LIMIT_MS = 120_000;
const PRODUCTS = 12;
const KEYS_EACH = 400;

export interface SoakShop {
  url: string;
  child: ChildProcess | undefined;
  /** Waits until it answers. `log` is where its output goes: a file, or /dev/full. */
  start(options?: { log?: string; clock?: string }): Promise<void>;
  /** Waits until it has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export type SoakWorld = Awaited<ReturnType<typeof openSoakWorld>>;

/**
 * A PostgreSQL behind a proxy, two processes of the shop on it, and what they sell. `onEnd` hears of a process that ended
 * though nobody ended it.
 */
export async function openSoakWorld(onEnd: (what: string) => void) {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-soak-'));
  const server = await startEmbeddedServer({ dataDir });
  const proxy = await startSilentProxy(server.connectionString);
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: proxy.connectionString,
    DATA_DIR: dataDir,
    DEMO: 'off',
    // Every shopper comes from an address of their own.
    TRUST_PROXY: '1',
    DRAIN_SECONDS: '1',
  };
  await migrate(server.connectionString);
  const db = openDatabase(server.connectionString, { maxConnections: 6 });
  const { masterKeys } = readConfig(env);
  const deps = { db, cipher: await openItemCipher(db, masterKeys), clock: systemClock };
  const products: MadeProduct[] = [];
  for (let n = 0; n < PRODUCTS; n += 1) {
    const offer = n % 4 === 0 ? { flash_price_cents: 700, flash_units_limit: 200 } : {};
    const product = await makeProduct(deps, { items: KEYS_EACH, warranty_days: 30, ...offer });
    products.push({ ...product, price: n % 4 === 0 ? 7 : product.price });
  }
  const customers = [];
  // At what a real login costs.
  const password_hash = await createPasswordHasher().hash(TEST_PASSWORD);
  for (let n = 0; n < 8; n += 1) customers.push(await makeUser(deps, { password_hash }));
  const admin = await makeUser(deps, { role: 'admin', password_hash });

  const shops: SoakShop[] = [];
  for (const name of ['a', 'b', 'skewed']) shops.push(await openShop(name, env, { dataDir, onEnd }));
  const [first, second, skewed] = shops as [SoakShop, SoakShop, SoakShop];
  await Promise.all([first.start(), second.start()]);

  return {
    db,
    env,
    proxy,
    products,
    customers,
    admin,
    shops: [first, second],
    skewed,
    postmasterPid: () => Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
    close: async () => {
      await Promise.all(shops.map((shop) => shop.child && shop.end('SIGKILL')));
      await db.destroy();
      await proxy[Symbol.asyncDispose]();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function openShop(
  name: string,
  env: Record<string, string>,
  { dataDir, onEnd }: { dataDir: string; onEnd: (what: string) => void },
): Promise<SoakShop> {
  const port = await freePort();
  const shop: SoakShop = {
    url: `http://127.0.0.1:${port}`,
    child: undefined,
    start: async ({ log = join(dataDir, `${name}.log`), clock } = {}) => {
      const output = openSync(log, 'a');
      const skew = clock ? await skewedEnvironment(clock) : {};
      const child = spawn(process.execPath, ['src/server/main.ts'], {
        stdio: ['ignore', output, output, 'ipc'],
        env: { ...env, ...skew, PORT: String(port) },
      });
      shop.child = child;
      child.once('exit', (code, signal) => {
        if (shop.child !== child) return;
        onEnd(`process ${name} ended by itself with ${code ?? signal}:\n${lastLines(join(dataDir, `${name}.log`))}`);
        void shop.start().catch((error: unknown) => onEnd(String(error)));
      });
      await untilItAnswers(shop, child);
    },
    end: async (signal) => {
      const { child } = shop;
      shop.child = undefined;
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
  return shop;
}

const lastLines = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-3).join('\n');

async function untilItAnswers({ url }: SoakShop, child: ChildProcess): Promise<void> {
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit) {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    if (answer?.ok) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the shop ended with ${child.exitCode} at its start`);
    await wait(100);
  }
  throw new Error('the shop does not start');
}
