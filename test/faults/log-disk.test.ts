import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../processes.ts';
import { makeDataDir } from '../setup/kedai-processes.ts';
import { mountSmallDisk } from '../small-disk.ts';
import { FAULT_TEST_LIMIT, openFaultWorld } from './fault-world.ts';
import { repositoryRoot } from './shop-process.ts';

const WAIT = { timeout: 60_000, interval: 50 };

it(
  'a full log disk neither stops nor slows the shop, and the lost lines are reported when there is space',
  FAULT_TEST_LIMIT,
  async () => {
    await using world = await openFaultWorld();
    const folder = makeDataDir();
    const disk = mountSmallDisk(folder, 1);
    const logFile = join(folder, 'shop.log');
    const log = openSync(logFile, 'a');
    const port = await freePort();
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [join(repositoryRoot, 'src/server/main.ts')], {
      env: {
        ...{ PATH, NODE_COMPILE_CACHE, PORT: String(port), RATE_LIMITS: 'off' },
        ...{ DATABASE_URL: world.databaseUrl, DATA_DIR: world.dataDir },
      },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    onTestFinished(() => void child.kill('SIGKILL'));
    const written = () => readFileSync(logFile, 'utf8');
    await vi.waitFor(() => expect(written()).toContain('is open at'), WAIT);

    disk.fill();
    // The rest of the log's last page takes a line and a part of the next one.
    disk.fillFile(logFile, { butFor: 300 });
    const statuses = new Set<number>();
    // Each broken connection writes a log line. The search makes the shop open one, whatever its own work does
    // meanwhile.
    const breakConnections = async () => {
      const before = written().length;
      await fetch(`http://127.0.0.1:${port}/api/digital-products?q=${randomUUID()}`);
      const { rows } = await sql<{ ended: boolean }>`
      SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'kedai' AND pid <> pg_backend_pid()
        AND state = 'idle'`.execute(world.db);
      statuses.add((await fetch(`http://127.0.0.1:${port}/healthz`)).status);
      return rows.length > 0 && written().length === before;
    };
    let lost = 0;
    await vi.waitFor(async () => {
      if (await breakConnections()) lost += 1;
      expect(lost).toBeGreaterThan(3);
    }, WAIT);
    expect([...statuses]).toEqual([200]);

    disk.makeSpace();
    const notice = /^\{.*"msg":"(\d+) log lines could not be written"\}$/gm;
    await vi.waitFor(() => expect(written()).toMatch(notice), WAIT);
    expect(written().match(notice)).toHaveLength(1);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  },
);
