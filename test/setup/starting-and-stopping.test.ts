import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findProcess, waitUntilGone } from '../../src/server/platform/database/embedded/processes.ts';
import { version } from '../../src/server/platform/version.ts';
import { createTestDatabase } from '../database.ts';
import { findServer, isStoppedCleanly, launchShop, statusOf } from './kedai-launcher.ts';
import { end, makeDataDir, startDatabase } from './kedai-processes.ts';

// Up to three starts of the whole shop in a row, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

// Without the demo nobody can open the dashboard of a new shop.
const LAST_LINES = /is open at \S+\nThere is no administrator yet: run "npm run admin:create"\.\n$/;

test('the shop opens and prints how to create an administrator; SIGTERM stops it and its database', async () => {
  const dataDir = makeDataDir();
  const { launcher, opened, output } = await launchShop(dataDir);
  expect(await statusOf(await opened())).toBe(200);
  await expect.poll(output).toMatch(LAST_LINES);
  expect(output()).toContain(`"version":"${version}","node":"${process.version}","msg":"open"}`);
  const { server, postgres } = findServer(dataDir);

  expect(await end(launcher, 'SIGTERM')).toBe(0);
  expect([findProcess(server), findProcess(postgres)]).toEqual([undefined, undefined]);
  expect(isStoppedCleanly(dataDir)).toBe(true);
});

test('in production, the shop says with which settings an administrator is created', async () => {
  const database = await createTestDatabase();
  const url = new URL(database.connectionString);
  // Production refuses the faster commits of the tests.
  url.searchParams.set('options', '-c synchronous_commit=local');
  const key = Buffer.alloc(32, 1).toString('base64');
  const settings = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PUBLIC_URL: 'https://shop.example',
    DATABASE_URL: url.href,
    MASTER_KEYS: `m1:${key}`,
    JWT_KEYS: `j1:${key}`,
    TEST_MODE_PAYMENTS: 'allow',
    DRAIN_SECONDS: '0',
  };
  const { launcher, opened, output } = await launchShop(makeDataDir(), { settings });
  await opened();
  const message = 'run "npm run admin:create" with the settings of this process, as "kedai admin:create" does.\n';
  await expect.poll(output).toContain(message);
  await end(launcher, 'SIGTERM');
  await database.drop();
});

test('a repeated Ctrl-C to the whole process group stops the shop cleanly', async () => {
  const dataDir = makeDataDir();
  const { launcher, opened } = await launchShop(dataDir);
  await opened();
  const exit = once(launcher, 'exit');
  process.kill(-Number(launcher.pid), 'SIGINT');
  process.kill(-Number(launcher.pid), 'SIGINT');
  expect(await exit).toEqual([0, null]);
  expect(isStoppedCleanly(dataDir)).toBe(true);
});

test('after SIGKILL of the launcher, the server stops by itself and the next start succeeds', async () => {
  const dataDir = makeDataDir();
  const first = await launchShop(dataDir);
  await first.opened();
  const { server } = findServer(dataDir);
  await end(first.launcher, 'SIGKILL');

  const next = await launchShop(dataDir);
  expect(await statusOf(await next.opened())).toBe(200);
  expect(findProcess(server)).toBeUndefined();
});

test('a killed server is restarted and replaces its orphaned database', async () => {
  const dataDir = makeDataDir();
  const { opened } = await launchShop(dataDir);
  await opened();
  const orphan = findServer(dataDir);
  process.kill(orphan.server, 'SIGKILL');
  expect(await statusOf(await opened(2))).toBe(200);
  expect([findProcess(orphan.server), findProcess(orphan.postgres)]).toEqual([undefined, undefined]);
});

test('the next start recovers from SIGKILL of launcher, server and database', async () => {
  const dataDir = makeDataDir();
  const first = await launchShop(dataDir);
  await first.opened();
  const both = findServer(dataDir);
  first.launcher.kill('SIGKILL');
  process.kill(both.server, 'SIGKILL');
  process.kill(both.postgres, 'SIGKILL');
  await waitUntilGone(both.postgres, 10_000);

  const next = await launchShop(dataDir);
  expect(await statusOf(await next.opened())).toBe(200);
});

test('SIGTERM stops a start whose database is still in recovery, together with the database', async () => {
  const dataDir = makeDataDir();
  await end((await startDatabase(dataDir)).child, 'SIGTERM');
  // A standby without a primary recovers for ever.
  writeFileSync(join(dataDir, 'postgres/standby.signal'), '');
  appendFileSync(join(dataDir, 'postgres/postgresql.auto.conf'), "hot_standby = 'off'\n");
  const { launcher } = await launchShop(dataDir);
  await vi.waitUntil(() => existsSync(join(dataDir, 'postgres/postmaster.pid')), { timeout: 60_000, interval: 50 });
  const { postgres } = findServer(dataDir);
  await end(launcher, 'SIGTERM');
  expect(findProcess(postgres)).toBeUndefined();
  expect(isStoppedCleanly(dataDir)).toBe(true);
});

test('invalid settings end the start with exit code 78', async () => {
  const { launcher, output } = await launchShop(makeDataDir(), { settings: { DRAIN_SECONDS: 'soon' } });
  expect(await once(launcher, 'exit')).toEqual([78, null]);
  await expect.poll(output).toBe('DRAIN_SECONDS must be a number of seconds from 0 to 300\n');
});

test('a second start in the same folder exits with one line, and the first keeps running', async () => {
  const dataDir = makeDataDir();
  const first = await launchShop(dataDir);
  const url = await first.opened();
  const second = await launchShop(dataDir);
  expect(await once(second.launcher, 'exit')).toEqual([1, null]);
  await expect.poll(second.output).toMatch(/^Another Kedai \(process \d+\) already uses .*$/m);
  expect(second.output()).not.toContain('at startEmbeddedServer');
  expect(await statusOf(url)).toBe(200);
});

test('a port in use ends the start with one line and stops the database', async () => {
  const dataDir = makeDataDir();
  const first = await launchShop(makeDataDir());
  const { port } = new URL(await first.opened());
  const second = await launchShop(dataDir, { port: Number(port) });
  expect(await once(second.launcher, 'exit')).toEqual([1, null]);
  await expect.poll(second.output).toMatch(new RegExp(`^PORT ${port} is in use .*$`, 'm'));
  expect(isStoppedCleanly(dataDir)).toBe(true);
});

test('PORT 0 takes a free port, which the last line and the links of the pages name', async () => {
  const { opened } = await launchShop(makeDataDir(), { port: 0 });
  const url = await opened();
  expect(url).not.toMatch(/:0$/);
  expect(await statusOf(url)).toBe(200);
  expect(await (await fetch(new URL('/robots.txt', url))).text()).toContain(`Sitemap: ${url}/sitemap.xml`);
});

test.runIf(process.platform === 'linux')('a data folder where none can be made ends the start with one line', () => {
  const env = (settings: object) => ({ PATH: process.env['PATH'], DATA_DIR: '/proc/kedai/data', ...settings });
  const start = (settings = {}) => {
    // The timeout is for a start that makes the folder again and again.
    const options = { env: env(settings), encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['src/server/main.ts'], options);
    return { status, stdout: stdout.replace('Starting the database\n', ''), stderr };
  };
  const reason = "ENOENT: no such file or directory, mkdir '/proc/kedai'";
  const stderr = `DATA_DIR cannot be written; choose a folder of this user's own (${reason})\n`;
  expect(start()).toEqual({ status: 78, stdout: '', stderr });
  const key = `a:${Buffer.alloc(32).toString('base64')}`;
  const other = 'DATA_DIR /proc/kedai/data is where no folder can be made: choose another one.\n';
  expect(start({ MASTER_KEYS: key, JWT_KEYS: key })).toEqual({ status: 1, stdout: '', stderr: other });
});
