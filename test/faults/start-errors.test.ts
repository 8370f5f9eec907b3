import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, inject, it, onTestFinished } from 'vitest';
import { checkConnection } from '../../src/server/platform/database/connections.ts';
import { toConnectionString } from '../../src/server/platform/database/embedded/embedded-server.ts';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import { readMigrations } from '../../src/server/platform/database/migration-history.ts';
import { createAsciiDatabase, createEmptyDatabase, createTestDatabase } from '../database.ts';
import { freePort } from '../processes.ts';
import { end, makeDataDir, query, startDatabase } from '../setup/kedai-processes.ts';
import { mountSmallDisk } from '../small-disk.ts';
import { FAULT_TEST_LIMIT } from './fault-world.ts';
import { repositoryRoot } from './shop-process.ts';

const PASSWORD = 'a-password-that-nobody-may-read';
const urlTo = (host: string, port: number | string) =>
  `postgres://kedai:${PASSWORD}@${host}:${port}/kedai?sslmode=disable`;
const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const CERTIFICATE = join(repositoryRoot, 'test/fixtures/database.example.pem');
const template = () => toConnectionString(inject('templateDatabase'));

/** Starts the shop, which must fail; returns its output and its exit code. */
async function failedStart(settings: Record<string, string>): Promise<{ code: number; output: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(repositoryRoot, 'src/server/main.ts')], {
    env: { PATH, NODE_COMPILE_CACHE, PORT: '0', DEMO: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

it.each([
  ['a port where nothing listens', async () => urlTo('127.0.0.1', await freePort()), 'nothing listens'],
  ['an unknown host', async () => urlTo('database.invalid', 5432), 'host that is not known'],
  ['a wrong password', async () => changed({ password: PASSWORD }), 'user or a password'],
  ['an unknown user', async () => changed({ user: 'stranger' }), 'user or a password'],
  ['an unknown database', async () => changed({ database: 'nowhere' }), 'database that does not exist'],
  ['TLS that the server does not support', async () => template().replace('=disable', '=verify-full'), 'sslmode'],
  [
    'a missing certificate file',
    async () => `${template().replace('=disable', '=verify-full')}&sslrootcert=/nowhere/ca.pem`,
    'certificate file that the shop cannot read (ENOENT)',
  ],
])(
  'DATABASE_URL with %s ends the start with a one-line error that names it',
  FAULT_TEST_LIMIT,
  async (_case, url, said) => {
    const databaseUrl = await url();
    const { code, output } = await failedStart({ DATABASE_URL: databaseUrl, DATA_DIR: makeDataDir() });
    expect(code).toBe(1);
    expect(output).toMatch(/^DATABASE_URL [^\n]+\n$/);
    expect(output).toContain(said);
    expect(output).not.toContain(new URL(databaseUrl).password);
  },
);

const changed = (part: { user?: string; password?: string; database?: string }) =>
  toConnectionString({ ...inject('templateDatabase'), ...part });

it('a database that is not in UTF-8 is refused', async () => {
  const database = await createAsciiDatabase();
  onTestFinished(database.drop);
  await expect(checkConnection(database.connectionString)).rejects.toThrow(
    "DATABASE_URL leads to a database in SQL_ASCII: create it with ENCODING 'UTF8'.",
  );
});

// A statement that waited for a lock decides by what it reads afterwards.
it('a database with the default isolation repeatable read is refused', async () => {
  const url = new URL(template());
  url.searchParams.set('options', '-c default_transaction_isolation=repeatable\\ read');
  await expect(checkConnection(url.href)).rejects.toThrow(
    "DATABASE_URL leads to a database whose transactions are repeatable read: set its default_transaction_isolation to 'read committed'.",
  );
});

it('production refuses a database with synchronous_commit off', async () => {
  const urlWith = (synchronousCommit: string) => {
    const url = new URL(template());
    url.searchParams.set('options', `-c synchronous_commit=${synchronousCommit}`);
    return url.href;
  };
  await expect(checkConnection(urlWith('off'), { production: true })).rejects.toThrow(
    'DATABASE_URL leads to a database that can lose a paid order in a crash: turn its synchronous_commit on.',
  );
  await checkConnection(urlWith('local'), { production: true });
  await checkConnection(urlWith('off'));
});

it.each([
  ['that does not answer', () => undefined],
  ['that is not PostgreSQL', (socket: { end(text: string): void }) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('a database server %s is reported within the time limit', async (_case, answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  // The shop's own limit is 10 s.
  await expect(checkConnection(urlTo('127.0.0.1', port), { limitMs: 500 })).rejects.toThrow(
    /^DATABASE_URL leads to a server that does not answer/,
  );
});

it.each([
  ['signed by nobody whom the shop trusts', '', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['for another host', `&sslrootcert=${CERTIFICATE}`, 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('a certificate of the database %s is reported with its code', async (_case, trusted, code) => {
  const pem = readFileSync(CERTIFICATE);
  const answer = (socket: Socket) => {
    socket.once('data', () => {
      // The answer of PostgreSQL to a request for TLS.
      socket.write('S');
      new TLSSocket(socket, { isServer: true, key: pem, cert: pem }).on('error', () => undefined);
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  await expect(
    checkConnection(`postgres://kedai@127.0.0.1:${port}/kedai?sslmode=verify-full${trusted}`),
  ).rejects.toThrow(
    `DATABASE_URL leads to a server where a certificate is not accepted (${code}): correct host, sslrootcert or sslcert, or the certificate.`,
  );
});

it('a user who may not create or change tables is reported, with the privilege that it lacks', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(database.drop);
  const stranger = new URL(database.connectionString);
  stranger.searchParams.set('options', '-c role=pg_monitor');
  const refusal = (reason: string) =>
    `DATABASE_URL has a user who may not change the database (${reason}): make it the owner of the database and of its tables.`;
  await expect(migrate(stranger.href)).rejects.toThrow(refusal('permission denied for schema public'));

  await query(database.connectionString, 'GRANT CREATE ON SCHEMA public TO pg_monitor');
  await migrate(database.connectionString, readMigrations().slice(0, 1));
  await query(database.connectionString, 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO pg_monitor');
  await expect(migrate(stranger.href)).rejects.toThrow(refusal('permission denied for table orders'));
});

it(
  'a start that finds the disk of the data folder full says so and leaves no file there',
  FAULT_TEST_LIMIT,
  async () => {
    const dataDir = makeDataDir();
    mountSmallDisk(dataDir, 1).fill();
    const keys = { MASTER_KEYS: KEYS, JWT_KEYS: KEYS };
    const { code, output } = await failedStart({ DATA_DIR: dataDir, DATABASE_URL: template(), ...keys });
    expect([code, output]).toEqual([1, expect.stringContaining(`DATA_DIR ${dataDir} is on a full disk`)]);
    expect(readdirSync(dataDir)).toEqual(['filler']);
  },
);

it.each([
  ['full', (dataDir: string) => mountSmallDisk(dataDir, 1).fill()],
  ['too small for the database', (dataDir: string) => mountSmallDisk(dataDir, 20)],
])(
  'the first start on a disk that is %s says so, and is no error of the settings',
  FAULT_TEST_LIMIT,
  async (_case, mount) => {
    const dataDir = makeDataDir();
    mount(dataDir);
    const { code, output } = await failedStart({ DATA_DIR: dataDir });
    const reason = 'is on a full disk: make space there, or choose another folder.';
    expect([code, output.replace('Starting the database\n', '')]).toEqual([1, `DATA_DIR ${dataDir} ${reason}\n`]);
  },
);

it(
  'a data folder that is read-only or not a folder ends the start with a one-line error that names it',
  FAULT_TEST_LIMIT,
  async () => {
    const dataDir = makeDataDir();
    mountSmallDisk(dataDir, 1);
    spawnSync('mount', ['-o', 'remount,ro', dataDir]);
    const file = join(makeDataDir(), 'a-file');
    writeFileSync(file, '');
    for (const [folder, said, settings] of [
      [dataDir, 'is read-only', {}],
      [dataDir, 'is read-only', { DATABASE_URL: template() }],
      [file, 'is not a folder', {}],
    ] as const) {
      const { code, output } = await failedStart({
        ...{ DATA_DIR: folder, MASTER_KEYS: KEYS, JWT_KEYS: KEYS },
        ...settings,
      });
      expect(output).toMatch(/^[^\n]+\n$/);
      expect(output).toContain(`DATA_DIR ${folder} ${said}`);
      expect(code).toBe(1);
    }
  },
);

it.each([
  ['HOST', { HOST: 'fe80::1' }],
  ['HOST', { HOST: '1.2.3' }],
  ['METRICS_HOST', { METRICS_HOST: '1.2.3', METRICS_PORT: '0' }],
  ['METRICS_HOST', { METRICS_HOST: 'nowhere.invalid', METRICS_PORT: '0' }],
])(
  '%s with an address of another machine ends the start, and the error names it: %j',
  FAULT_TEST_LIMIT,
  async (name, settings) => {
    const database = await createTestDatabase();
    onTestFinished(database.drop);
    const { code, output } = await failedStart({
      ...{ DATABASE_URL: database.connectionString, DATA_DIR: makeDataDir() },
      ...settings,
    });
    const host = Object.values(settings)[0];
    expect(output).toContain(`\n${name} ${host} is not an address of this machine: use one that is, as in 127.0.0.1\n`);
    expect(code).toBe(1);
  },
);

it(
  'a data folder that was copied while in use is refused, and the error names the original',
  FAULT_TEST_LIMIT,
  async () => {
    const original = makeDataDir();
    const running = await startDatabase(original);
    const copy = join(makeDataDir(), 'copy');
    mkdirSync(copy);
    for (const name of ['kedai.lock', 'postgres-password', 'postgres/PG_VERSION', 'postgres/postmaster.pid']) {
      cpSync(join(original, name), join(copy, name), { recursive: true });
    }
    const { code, output } = await failedStart({ DATA_DIR: copy });
    expect(code).toBe(1);
    expect(output).toContain(`DATA_DIR ${copy} is a copy of ${original}, made while that was in use`);
    expect(output).toContain(`Set DATA_DIR=${original}`);
    expect(output).not.toContain(' at ');
    expect(readFileSync(join(original, 'kedai.lock'), 'utf8')).toContain(String(running.child.pid));
    await end(running.child, 'SIGTERM');
  },
);

it('a data folder that was copied while the shop was stopped is an independent shop', FAULT_TEST_LIMIT, async () => {
  const original = makeDataDir();
  await end((await startDatabase(original)).child, 'SIGTERM');
  const copy = makeDataDir();
  spawnSync('cp', ['--archive', `${original}/.`, copy]);
  expect((await startDatabase(copy)).firstStart).toBe(false);
});
