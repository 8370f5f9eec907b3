import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { findProcess, waitUntilGone } from '../../src/server/platform/database/embedded/processes.ts';
import { end, forkDatabase, kill, makeDataDir, query, startDatabase } from './kedai-processes.ts';

// Several starts of a database in a row, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

const writeNote = 'CREATE TABLE notes AS SELECT 1 AS number';
const readNotes = 'SELECT number FROM notes';

describe('the embedded database', () => {
  test('is created on the first start and reused on the next', async () => {
    const dataDir = makeDataDir();
    const first = await startDatabase(dataDir);
    await query(first.connectionString, writeNote);
    expect(await end(first.child, 'SIGTERM')).toBe(0);

    const second = await startDatabase(dataDir);
    expect([first.firstStart, second.firstStart]).toEqual([true, false]);
    expect(await query(second.connectionString, readNotes)).toEqual([{ number: 1 }]);
  });

  test('maps case by Unicode and sorts by code point', async () => {
    const { connectionString } = await startDatabase(makeDataDir());
    const [row] = await query(connectionString, "SELECT upper('é') AS upper, 'a' < 'B' AS folded");
    expect(row).toEqual({ upper: 'É', folded: false });
  });

  test('has a statement timeout of 15 seconds outside of transactions', async () => {
    const { connectionString } = await startDatabase(makeDataDir());
    expect(await query(connectionString, 'SHOW statement_timeout')).toEqual([{ statement_timeout: '15s' }]);
  });

  test('waits for a process no longer if the machine’s clock is set back meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const waiting = waitUntilGone(process.pid, 10);
      vi.setSystemTime(Date.now() - 3_600_000);
      expect(await waiting).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  test('leaves no process and no lock file behind after SIGTERM', async () => {
    const dataDir = makeDataDir();
    const { child, pid } = await startDatabase(dataDir);
    await end(child, 'SIGTERM');
    expect(findProcess(pid)).toBeUndefined();
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log']);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
  });

  test('restricts its password file and its data folder to their owner', async () => {
    const dataDir = makeDataDir();
    await startDatabase(dataDir);
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  });

  test('runs for two data folders at once, even if a path is too long for a socket', async () => {
    const long = join(makeDataDir(), 'x'.repeat(100), 'it\'s, 100 % "mine" ü');
    mkdirSync(long, { recursive: true });
    const [one, other] = await Promise.all([startDatabase(makeDataDir()), startDatabase(long)]);
    await query(one.connectionString, writeNote);
    await expect(query(other.connectionString, readNotes)).rejects.toThrow('does not exist');

    const socketFolder = new URL(other.connectionString).searchParams.get('host') ?? '';
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
    await end(other.child, 'SIGTERM');
    expect(existsSync(socketFolder)).toBe(false);
  });
});

describe('a second Kedai on the same data folder', () => {
  test('is refused with one line while the first one runs', async () => {
    const dataDir = makeDataDir();
    const first = await startDatabase(dataDir);
    await expect(startDatabase(dataDir)).rejects.toThrow(
      `Another Kedai (process ${first.child.pid}) already uses the data folder ${dataDir}.`,
    );
    expect(await query(first.connectionString, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('waits for the first one to shut down', async () => {
    const dataDir = makeDataDir();
    const first = await startDatabase(dataDir);
    const second = startDatabase(dataDir);
    await end(first.child, 'SIGTERM');
    expect((await second).firstStart).toBe(false);
  });

  test('is excluded when three start at once: exactly one succeeds', async () => {
    const dataDir = makeDataDir();
    await kill((await startDatabase(dataDir)).child);
    const starts = await Promise.allSettled([1, 2, 3].map(() => startDatabase(dataDir)));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('after SIGKILL', () => {
  test('of the database, Kedai restarts it, even if its log was removed', async () => {
    const dataDir = makeDataDir();
    const { child, pid, connectionString } = await startDatabase(dataDir);
    await query(connectionString, writeNote);
    rmSync(join(dataDir, 'postgres.log'));
    process.kill(pid, 'SIGKILL');
    await waitUntilGone(pid, 10_000);
    await vi.waitUntil(
      async () => child.exitCode !== null || (await query(connectionString, 'SELECT 1').catch(() => undefined)),
      { timeout: 60_000, interval: 50 },
    );
    expect(child.exitCode).toBeNull();
    expect(await query(connectionString, readNotes)).toEqual([{ number: 1 }]);
  });

  test('of Kedai, the next start stops the orphaned database and finds the committed data', async () => {
    const dataDir = makeDataDir();
    const killed = await startDatabase(dataDir);
    await query(killed.connectionString, writeNote);
    await kill(killed.child);
    expect(findProcess(killed.pid)).toBeDefined();

    const next = await startDatabase(dataDir);
    expect(findProcess(killed.pid)).toBeUndefined();
    expect(await query(next.connectionString, readNotes)).toEqual([{ number: 1 }]);
  });

  test('of Kedai and its database, the next start recovers the committed data', async () => {
    const dataDir = makeDataDir();
    const killed = await startDatabase(dataDir);
    await query(killed.connectionString, writeNote);
    await kill(killed.child);
    process.kill(killed.pid, 'SIGKILL');
    await waitUntilGone(killed.pid, 10_000);

    const next = await startDatabase(dataDir);
    expect(await query(next.connectionString, readNotes)).toEqual([{ number: 1 }]);
  });

  test('of both, the next start ignores other programs that reuse their process ids', async () => {
    const dataDir = makeDataDir();
    const killed = await startDatabase(dataDir);
    await kill(killed.child);
    process.kill(killed.pid, 'SIGKILL');
    await waitUntilGone(killed.pid, 10_000);
    const pidFile = join(dataDir, 'postgres/postmaster.pid');
    writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(String(killed.pid), String(process.pid)));
    const lockFile = join(dataDir, 'kedai.lock');
    writeFileSync(lockFile, readFileSync(lockFile, 'utf8').replace(String(killed.child.pid), String(process.pid)));

    expect((await startDatabase(dataDir)).firstStart).toBe(false);
  });

  test('during the creation of the database, the next start creates it from scratch', async () => {
    const dataDir = makeDataDir();
    const child = forkDatabase(dataDir);
    while (!readdirSync(dataDir).some((name) => name.startsWith('postgres-unfinished-'))) await delay(5);
    await kill(child);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);

    expect((await startDatabase(dataDir)).firstStart).toBe(true);
  });
});

test('startDatabase fails if its process ends before the database answers', async () => {
  const dataDir = makeDataDir();
  const refused = expect(startDatabase(dataDir)).rejects.toThrow('ended with SIGKILL');
  const lock = join(dataDir, 'kedai.lock');
  await vi.waitUntil(() => existsSync(lock), { timeout: 30_000, interval: 5 });
  process.kill(JSON.parse(readFileSync(lock, 'utf8')).pid, 'SIGKILL');
  await refused;
});

test('a password file that does not match the database is named in the error', async () => {
  const dataDir = makeDataDir();
  await end((await startDatabase(dataDir)).child, 'SIGTERM');
  writeFileSync(join(dataDir, 'postgres-password'), 'another');
  const child = forkDatabase(dataDir);
  const [message] = await once(child, 'message');
  expect(message.refusal).toContain('postgres-password does not fit');
});
