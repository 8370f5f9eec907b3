import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withDatabaseServer, withDeps } from '../../scripts/commands/run-command.ts';
import { readConfig } from '../../src/server/config.ts';
import { readOneSnapshot } from '../../src/server/features/books/books.queries.ts';
import { storeRestoredBackup } from '../../src/server/features/recovery/recovery.queries.ts';
import { databaseLimits } from '../../src/server/platform/database/connections.ts';
import { isDataFolderInUse } from '../../src/server/platform/database/embedded/data-folder.ts';
import { findRunningServer } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { findProcess } from '../../src/server/platform/database/embedded/processes.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { readMigrations } from '../../src/server/platform/database/migration-history.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { version } from '../../src/server/platform/version.ts';
import { commandEnvironment, commandLauncher, launchCommand, runCommand } from '../commands.ts';
import { createEmptyDatabase, createTestDatabase } from '../database.ts';
import { startShopProcess } from '../processes.ts';
import { skewedEnvironment } from '../skewed-environment.ts';
import { findServer, isStoppedCleanly } from './kedai-launcher.ts';
import { makeDataDir, startDatabase } from './kedai-processes.ts';

test('a command starts the embedded database of a stopped shop, and stops it afterwards', async () => {
  const dataDir = makeDataDir();
  const run = async (name: string) => (await launchCommand(name, [], { DATA_DIR: dataDir })).stdout;
  expect(await run('migrate')).toBe(`The database has all migrations of version ${version}.\n`);
  expect(await run('audit-verify')).toBe('The audit log is unbroken: 0 entries.\n');
  expect(await run('keys-rotate')).toMatch(
    /^0 keys were rewrapped by the master key "k\w+"\.\nThe new data key is data-2\.\n$/,
  );
  expect(await run('audit-verify')).toContain('The audit log is unbroken: 1 entry.\n');
  const books = await run('verify');
  expect(books).toContain('Everything adds up.');
  expect(books).toMatch(/a rating agrees with the published reviews.*none/);
  expect(isStoppedCleanly(dataDir)).toBe(true);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s to the launcher of a command ends the command and the database that it started',
  async (signal) => {
    const dataDir = makeDataDir();
    // It waits for the first line of its standard input.
    const child = spawn(process.execPath, [commandLauncher, 'scripts/commands/admin-create.ts'], {
      env: commandEnvironment({ DATA_DIR: dataDir }),
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitUntil(() => findRunningServer(dataDir), { timeout: 60_000, interval: 50 });
    const command = findServer(dataDir).server;
    const exit = once(child, 'exit');
    child.kill(signal);
    expect(await exit).toEqual([128 + constants.signals[signal], null]);
    expect(findProcess(command)).toBeUndefined();
    expect(isStoppedCleanly(dataDir)).toBe(true);
  },
);

test('a check that cannot run exits with code 2 instead of 1, the code for a detected fault', async () => {
  const settings = { DATABASE_URL: 'postgres://kedai@127.0.0.1:1/kedai' };
  for (const name of ['verify', 'audit-verify']) {
    const stderr = expect.stringMatching(/^DATABASE_URL leads to a port/);
    await expect(runCommand(name, [], settings)).rejects.toMatchObject({ code: 2, stdout: '', stderr });
  }
});

test('a database without a shop is neither checked nor backed up, and the error names the settings to correct', async () => {
  const database = await createEmptyDatabase();
  const dataDir = makeDataDir();
  const backup = join(dataDir, 'shop.backup');
  writeFileSync(backup, 'the backup of yesterday');
  const run = (name: string, ...args: string[]) =>
    runCommand(name, args, { DATABASE_URL: database.connectionString, DATA_DIR: dataDir });
  const stderr = 'The database has no shop: correct DATABASE_URL or DATA_DIR, or start the shop first.\n';
  for (const name of ['verify', 'audit-verify']) {
    await expect(run(name)).rejects.toMatchObject({ code: 2, stdout: '', stderr });
  }
  await expect(run('backup', backup)).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  expect(readFileSync(backup, 'utf8')).toBe('the backup of yesterday');
  await database.drop();
});

test('a command may run a statement that exceeds the query timeout of the shop', async () => {
  const database = await createTestDatabase();
  const { connectionString } = database;
  const config = readConfig({ DATABASE_URL: connectionString, DATA_DIR: makeDataDir() });
  await withDeps({ config, connectionString }, ({ db }) =>
    db.transaction().execute(async (trx) => {
      await readOneSnapshot(trx);
      await sql`SELECT pg_sleep(${databaseLimits.answerMs / 1_000 + 0.5})`.execute(trx);
    }),
  );
  await database.drop();
});

test('only migrate upgrades an older database; other commands refuse it in one line', async () => {
  const database = await createEmptyDatabase();
  const { connectionString } = database;
  await migrate(connectionString, readMigrations().slice(0, -1));
  const dataDir = makeDataDir();
  const run = (name: string) => runCommand(name, [], { DATABASE_URL: connectionString, DATA_DIR: dataDir });
  const refused = {
    stdout: '',
    stderr: 'The database lacks migrations of this version: run "npm run migrate" first.\n',
  };
  await expect(run('verify')).rejects.toMatchObject({ code: 2, ...refused });
  await expect(run('shop-closed')).rejects.toMatchObject({ code: 1, ...refused });
  await run('migrate');
  expect((await run('shop-closed')).stdout).toBe('The shop is open.\n');
  // The comparison since a backup has nothing to compare.
  const instead = expect.stringContaining('npm run verify lists payments without an order');
  await expect(run('reconcile')).rejects.toMatchObject({ code: 1, stdout: '', stderr: instead });
  await database.drop();
});

test('wrong arguments and missing folders are refused in one line', async () => {
  const database = await createTestDatabase();
  const dataDir = makeDataDir();
  const run = (name: string, ...args: string[]) =>
    runCommand(name, args, { DATABASE_URL: database.connectionString, DATA_DIR: dataDir });
  const refusal = (code: number, line: string) => ({ code, stdout: '', stderr: `${line}\n` });
  const noSeconds = refusal(2, 'Usage: npm run verify -- [--wait SECONDS]');
  for (const wrong of [
    ['--wait', '5m'],
    ['--wait', ''],
    ['--wiat', '5'],
  ]) {
    await expect(run('verify', ...wrong)).rejects.toMatchObject(noSeconds);
  }
  // Half of a hash is no sign that an entry is missing.
  const noHash = refusal(2, 'Usage: npm run audit:verify -- [--after HASH]');
  await expect(run('audit-verify', '--after', 'd1e2f3')).rejects.toMatchObject(noHash);
  expect((await run('audit-verify', '--after', '0'.repeat(64)).catch((error) => error)).code).toBe(1);
  const noFile = refusal(1, 'Usage: npm run backup -- FILE, or - for the standard output');
  for (const wrong of [[], ['--help'], ['one', 'two']])
    await expect(run('backup', ...wrong)).rejects.toMatchObject(noFile);
  const folder = join(dataDir, 'missing');
  const missing = refusal(1, `ENOENT: no such file or directory, scandir '${folder}'`);
  await expect(run('backup', join(folder, 'a.backup'))).rejects.toMatchObject(missing);
  await database.drop();
});

test('arguments that a command does not have end it before it does anything', async () => {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.connectionString, DATA_DIR: makeDataDir() };
  const release = 'restore:release -- [LIST [--accept PAYMENT]]';
  const closed = 'shop:closed -- on|off --reason "for administrators" [--message "for buyers"]';
  const refused: [name: string, usage: string, args: string[]][] = [
    ['keys-rotate', 'keys:rotate', ['--dry-run']],
    ['migrate', 'migrate', ['now']],
    ['reconcile', 'reconcile', ['all']],
    ['admin-create', 'admin:create', ['--help']],
    ['restore', 'restore -- FILE', ['']],
    ['restore-release', release, ['one.csv', 'two.csv']],
    ['restore-release', release, ['--accept', 'pi_1']],
    ['shop-closed', closed, ['on', 'off', '--reason', 'Moving']],
    ['shop-closed', closed, ['--reason', 'Moving']],
  ];
  for (const [name, usage, args] of refused) {
    const refusal = { code: 1, stdout: '', stderr: `Usage: npm run ${usage}\n` };
    await expect(runCommand(name, args, settings), name).rejects.toMatchObject(refusal);
  }
  expect((await runCommand('shop-closed', [], settings)).stdout).toBe('The shop is open.\n');
  await database.drop();
});

test('arguments are read before the database is opened: without one, the error is about the arguments', async () => {
  const settings = { DATABASE_URL: 'postgres://kedai@127.0.0.1:1/kedai', DATA_DIR: makeDataDir() };
  const refused: [name: string, usage: string, args: string[], code?: number][] = [
    ['verify', 'verify -- [--wait SECONDS]', ['--wait', 'long'], 2],
    ['audit-verify', 'audit:verify -- [--after HASH]', ['--after', 'd1e2f3'], 2],
    ['keys-rotate', 'keys:rotate', ['--dry-run']],
    ['reconcile', 'reconcile', ['all']],
    ['restore-release', 'restore:release -- [LIST [--accept PAYMENT]]', ['one.csv', 'two.csv']],
    ['shop-closed', 'shop:closed -- on|off --reason "for administrators" [--message "for buyers"]', ['on']],
    ['test-stripe', 'test:stripe -- [--yes]', ['--help']],
  ];
  for (const [name, usage, args, code = 1] of refused) {
    const refusal = { code, stdout: '', stderr: `Usage: npm run ${usage}\n` };
    await expect(runCommand(name, args, settings), name).rejects.toMatchObject(refusal);
  }
  const missing = join(settings.DATA_DIR, 'missing.csv');
  for (const [list, reason] of [
    [missing, `ENOENT: no such file or directory, open '${missing}'`],
    [settings.DATA_DIR, 'EISDIR: illegal operation on a directory, read'],
  ] as const) {
    const refusal = { code: 1, stderr: `The list cannot be read: ${reason}\n` };
    await expect(runCommand('restore-release', [list], settings)).rejects.toMatchObject(refusal);
  }
});

test.runIf(existsSync('/dev/full'))(
  'a command whose output cannot be written says so, and does not end with 0',
  async () => {
    const database = await createTestDatabase();
    const env = commandEnvironment({ DATABASE_URL: database.connectionString, DATA_DIR: makeDataDir() });
    const run = (line: string) => {
      const { status, stderr } = spawnSync('sh', ['-c', line], { env, encoding: 'utf8' });
      return { status, stderr };
    };
    const command = (name: string) => `"${process.execPath}" scripts/commands/${name}.ts`;
    const full = 'The output could not be written: ENOSPC: no space left on device, write\n';
    for (const [name, status] of Object.entries({
      verify: 2,
      'audit-verify': 2,
      'keys-rotate': 1,
      migrate: 1,
      'shop-closed': 1,
    })) {
      expect(run(`${command(name)} > /dev/full`), name).toEqual({ status, stderr: full });
    }
    // The same for a pipe whose reader has ended.
    const child = spawn(process.execPath, ['scripts/commands/shop-closed.ts'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    const exit = once(child, 'exit');
    expect(await text(child.stderr)).toBe('The output could not be written: write EPIPE\n');
    expect(await exit).toEqual([1, null]);
    await database.drop();
  },
);

test.each(['backup', 'shop-closed'])(
  '%s says in one line that its connection to the database was lost',
  async (name) => {
    const database = await createTestDatabase();
    const dataDir = makeDataDir();
    const db = openDatabase(database.connectionString);
    const terminate = async () => {
      const { rows } = await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db);
      return rows.length > 0;
    };
    await db.transaction().execute(async (trx) => {
      await sql`LOCK TABLE shop_closed`.execute(trx);
      const args = name === 'backup' ? [join(dataDir, 'a.backup')] : [];
      const settings = { DATABASE_URL: database.connectionString, DATA_DIR: dataDir };
      const stderr = 'The database is not available: terminating connection due to administrator command\n';
      const isRefused = expect(runCommand(name, args, settings)).rejects.toMatchObject({ code: 1, stdout: '', stderr });
      await vi.waitUntil(terminate, { timeout: 60_000, interval: 50 });
      await isRefused;
    });
    await db.destroy();
    await database.drop();
  },
);

test('a warning of the log is not part of the output of a command', async () => {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.connectionString, DATA_DIR: makeDataDir() };
  const { stdout, stderr } = await runCommand('shop-closed', [], { ...settings, ...(await skewedEnvironment('+1d')) });
  expect(stdout).toBe('The shop is open.\n');
  expect(stderr).toContain('"alert":"clock-skew"');
  await database.drop();
});

test('a list of items to release may begin with a byte order mark, in UTF-8 or UTF-16, and have no header', async () => {
  const database = await createTestDatabase();
  const dataDir = makeDataDir();
  const db = openDatabase(database.connectionString);
  await db.transaction().execute((trx) => storeRestoredBackup(trx, new Date().toISOString(), new Date()));
  await db.destroy();
  const list = join(dataDir, 'list.csv');
  for (const encoding of ['utf8', 'utf16le'] as const) {
    writeFileSync(list, `\uFEFF${randomUUID()},Game\r\n"${randomUUID()}",Game\r\n`, encoding);
    const settings = { DATABASE_URL: database.connectionString, DATA_DIR: dataDir };
    const { stdout } = await runCommand('restore-release', [list], settings);
    expect(stdout, encoding).toMatch(/^0 items are released\.\n2 are not set aside,/);
  }
  await database.drop();
});

test('the Stripe tests refuse to start with a missing, live or malformed key, and say why', async () => {
  const run = (key: string) => launchCommand('test-stripe', ['--yes'], { STRIPE_SECRET_KEY: key });
  const missing = { code: 1, stdout: '', stderr: 'STRIPE_SECRET_KEY is missing. Nothing was made.\n' };
  await expect(run('')).rejects.toMatchObject(missing);
  const live = 'STRIPE_SECRET_KEY: is a live key, by which real money moves. Nothing was changed.\n';
  await expect(run('sk_live_1')).rejects.toMatchObject({ code: 1, stderr: live });
  await expect(run('rk_live_1')).rejects.toMatchObject({ code: 1, stderr: live });
  const other = 'STRIPE_SECRET_KEY: must start with sk_test_ or rk_test_. Nothing was changed.\n';
  await expect(run('pk_test_1')).rejects.toMatchObject({ code: 1, stderr: other });
});

test('a command uses the database of a running shop, which keeps running', async () => {
  const dataDir = makeDataDir();
  const shop = await startShopProcess({ DATA_DIR: dataDir, DATABASE_URL: '', DEMO: 'off' });
  const run = async (...args: string[]) => (await launchCommand('shop-closed', args, { DATA_DIR: dataDir })).stdout;
  expect(await run()).toBe('The shop is open.\n');
  expect(await run('on', '--reason', 'Moving')).toMatch(
    /^The shop has been closed since \S+: Moving\nBuyers see: The shop /,
  );
  const { data } = await (await fetch(`${shop.url}/api/shop/closed`)).json();
  expect(data.text).toContain('takes no new orders');
  await expect(run('on')).rejects.toMatchObject({ stderr: expect.stringMatching(/^Usage: npm run shop:closed/) });
  expect(await run('off', '--reason', 'Moved')).toBe('The shop is open.\n');
  await shop.stop();
});

test('a command waits for the embedded database of a shop that is starting', async () => {
  const dataDir = makeDataDir();
  const starting = startDatabase(dataDir);
  await vi.waitUntil(() => isDataFolderInUse(dataDir), { timeout: 60_000, interval: 5 });
  const found = await withDatabaseServer(readConfig({ DATA_DIR: dataDir }), async (url) => url);
  expect(found).toBe((await starting).connectionString);
});

test('a command waits for a PostgreSQL server that is starting', async () => {
  const database = await createTestDatabase();
  const refusal = 'SFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + refusal.length);
  const real = new URL(database.connectionString);
  const path = `${real.searchParams.get('host')}/.s.PGSQL.${real.port}`;
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    if (connections > 1) return pipeline(client, connect(path), client).catch(() => undefined);
    return client.once('data', () => client.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(refusal)])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const url = new URL(real);
  url.searchParams.set('host', '127.0.0.1');
  url.port = String(port);
  const config = readConfig({ DATABASE_URL: url.href, DATA_DIR: makeDataDir() });
  expect(await withDatabaseServer(config, async (found) => found)).toBe(url.href);
  server.close();
  await database.drop();
});
