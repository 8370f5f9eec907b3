import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { measureDownloads } from '../download-load.ts';
import { openShopOf, startShopProcess } from '../processes.ts';

const BUYERS = 10;
const MEGABYTE = 1024 * 1024;
const GOAL_MB = 250;

const dataDir = mkdtempSync(join(tmpdir(), 'kedai-downloads-'));
const server = await startEmbeddedServer({ dataDir });
const env = { DATABASE_URL: server.connectionString, DATA_DIR: dataDir, DEMO: 'on', RATE_LIMITS: 'off' };
const shop = await startShopProcess(env);
const { deps, close } = await openShopOf(env);
try {
  const { beforeMb, uploadingMb, downloadingMb, seconds } = await measureDownloads(
    { ...shop, deps },
    { bytes: 100 * MEGABYTE, buyers: BUYERS },
  );
  const rate = (BUYERS * 100) / seconds;
  console.log(`${BUYERS} buyers, 100 MB each: ${seconds.toFixed(1)} s, ${rate.toFixed(0)} MB/s`);
  console.log(`server memory before ${beforeMb.toFixed(0)} MB, while 100 MB are uploaded ${uploadingMb.toFixed(0)} MB`);
  console.log(`server memory while they download ${downloadingMb.toFixed(0)} MB  (to reach: under ${GOAL_MB} MB)`);
  if (downloadingMb >= GOAL_MB) process.exitCode = 1;
} finally {
  await close();
  await shop.stop();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
