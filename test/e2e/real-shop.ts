import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/server/config.ts';
import type { Deps } from '../../src/server/deps.ts';
import { openItemCipher } from '../../src/server/platform/crypto/key-ring.ts';
import { findRunningServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { startShopProcess } from '../processes.ts';
import { systemClock } from '../system-clock.ts';

export interface RealShop extends Pick<Deps, 'db' | 'cipher' | 'clock'> {
  url: string;
  dataDir: string;
  startedAt: Date;
  stop(): Promise<void>;
}

/**
 * Starts the shop as `npm start` does, with the demo data and its own database, and opens a connection to that database.
 * `extra` are additional environment variables.
 */
export async function startRealShop(extra: Record<string, string> = {}): Promise<RealShop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-e2e-'));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 20 });
  try {
    // With TRUST_PROXY, a test can set the IP address of its visitor.
    const settings = { DATA_DIR: dataDir, DATABASE_URL: '', RATE_LIMITS: 'off', TRUST_PROXY: '1' };
    const shop = await startShopProcess({ ...settings, ...extra });
    const db = openDatabase(findRunningServer(dataDir) ?? '', { maxConnections: 2 });
    const cipher = await openItemCipher(db, readConfig({ DATA_DIR: dataDir }).masterKeys);
    const startedAt = new Date();
    const stop = async () => {
      try {
        await db.destroy();
        await shop.stop();
      } finally {
        removeData();
      }
    };
    return { url: shop.url, dataDir, startedAt, db, cipher, clock: systemClock, stop };
  } catch (error) {
    removeData();
    throw error;
  }
}
