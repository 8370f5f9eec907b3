import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import type { Database } from '../../src/server/platform/database/database.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../database.ts';
import { type KindOfGoods, type MadeProduct, makeGoods, makeProduct, makeUser } from '../factories.ts';
import { systemClock } from '../system-clock.ts';
import { findLeaks, readDatabase, readFolder } from './canary-scan.ts';
import { findViolations, listUnfinished, recordSales } from './invariants.ts';
import { type ShopProcess, type ShopProcessOptions, startCrashingShop } from './shop-process.ts';

/** What survives when a shop's processes die: its database and its folder; and who looks at them from outside. */
export interface FaultWorld extends AsyncDisposable {
  db: Database;
  databaseUrl: string;
  dataDir: string;
  start(options?: ShopProcessOptions): Promise<ShopProcess>;
  makeProduct(overrides?: Parameters<typeof makeProduct>[1]): Promise<MadeProduct>;
  /** A product of a kind with so many units to sell. */
  makeGoods(kind: KindOfGoods, units: number): Promise<MadeProduct>;
  makeUser: () => ReturnType<typeof makeUser>;
  /** A word that must never be found in clear anywhere, such as a password; every key that is made is one already. */
  keepSecret(word: string): void;
  /** Waits until no order waits to be carried on, as a clock that much ahead sees it; I6 is that this comes. */
  rest(clockAheadMs?: number): Promise<void>;
  /** What is wrong, at rest; nothing when I1 to I6 hold. */
  violations(): Promise<string[]>;
  /** Ends this world, whose processes are dead, and returns two that both go on from here. */
  split(): Promise<[FaultWorld, FaultWorld]>;
}

/** The processes, secrets and uploads of a world until now. */
interface Past {
  processes: ShopProcess[];
  secrets: string[];
  uploaded: number;
}

// Real time. A restarted shop sweeps at once, and a running one every five seconds; a busy machine needs the rest.
const REST_LIMIT_MS = 60_000;

/** For tests that start several processes. */
export const FAULT_TEST_LIMIT = { timeout: 600_000 };

const makeFolder = () => mkdtempSync(join(tmpdir(), 'kedai-faults-'));

export async function openFaultWorld(): Promise<FaultWorld> {
  const database = await createTestDatabase();
  const world = await openWorld(database, makeFolder(), { processes: [], secrets: [], uploaded: 0 });
  await recordSales(world.db);
  return world;
}

async function openWorld(database: TestDatabase, dataDir: string, past: Past): Promise<FaultWorld> {
  // The name distinguishes the connections of the test from those of the shop.
  const db = openDatabase(`${database.connectionString}&application_name=fault-world`, { maxConnections: 2 });
  const config = readConfig({ DATABASE_URL: database.connectionString, DATA_DIR: dataDir });
  const cipher = await openItemCipher(db, config.masterKeys);
  const shop = { db, cipher, clock: systemClock };

  const processes = [...past.processes];
  const secrets = [...past.secrets];
  let { uploaded } = past;
  let latestAheadMs = 0;
  const now = () => new Date(Date.now() + latestAheadMs);

  return {
    db,
    databaseUrl: database.connectionString,
    dataDir,
    start: async (options = {}) => {
      const where = { databaseUrl: database.connectionString, dataDir };
      const started = await startCrashingShop(where, options);
      processes.push(started);
      return started;
    },
    makeProduct: async (overrides) => {
      const product = await makeProduct(shop, overrides);
      secrets.push(...product.keys);
      uploaded += product.keys.length;
      return product;
    },
    makeGoods: async (kind, units) => {
      const product = await makeGoods(shop, kind, units);
      secrets.push(...product.keys);
      uploaded += product.keys.length;
      return product;
    },
    makeUser: () => makeUser(shop),
    keepSecret: (word) => secrets.push(word),
    rest: async (clockAheadMs = 0) => {
      latestAheadMs = Math.max(latestAheadMs, clockAheadMs);
      await vi.waitFor(
        async () => {
          const waiting = await listUnfinished(db, now());
          if (waiting.length > 0) throw new Error(waiting.join('\n'));
        },
        { timeout: REST_LIMIT_MS, interval: 50 },
      );
    },
    violations: async () => {
      const written = processes.map(({ pid, output }) => ({
        place: `the output of process ${pid}`,
        bytes: Buffer.from(output()),
      }));
      const evidence = [...(await readDatabase(db)), ...readFolder(dataDir), ...written];
      return [...(await findViolations(db, { now: now(), uploaded })), ...findLeaks(evidence, secrets)];
    },
    split: async () => {
      await db.destroy();
      const copy = await copyTestDatabase(database);
      const copiedDir = makeFolder();
      cpSync(dataDir, copiedDir, { recursive: true });
      const seen = { processes, secrets, uploaded };
      return [await openWorld(database, dataDir, seen), await openWorld(copy, copiedDir, seen)];
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(processes.map((process) => process.kill()));
      await db.destroy();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
