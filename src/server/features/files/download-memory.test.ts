import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../../test/database.ts';
import { measureDownloads } from '../../../../test/download-load.ts';
import { openShopOf, startShopProcess } from '../../../../test/processes.ts';

const MEGABYTE = 1024 * 1024;

// Smaller than npm run bench:downloads, in which ten buyers download 100 MB each.
test('ten downloads at once leave the memory of the server below 250 MB', async () => {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-downloads-'));
  const env = { DATABASE_URL: database.connectionString, DATA_DIR: dataDir, DEMO: 'off', RATE_LIMITS: 'off' };
  const shop = await startShopProcess(env);
  const { deps, close } = await openShopOf(env);
  onTestFinished(async () => {
    await close();
    await shop.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const load = await measureDownloads({ ...shop, deps }, { bytes: 12 * MEGABYTE, buyers: 10 });
  expect(load.downloadingMb).toBeLessThan(250);
});
