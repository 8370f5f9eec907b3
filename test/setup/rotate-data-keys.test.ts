import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openItemCipher, rotateDataKeys } from '../../src/server/platform/crypto/key-ring.ts';
import type { NamedKey, NamedKeys } from '../../src/server/platform/crypto/named-keys.ts';
import type { Database } from '../../src/server/platform/database/database.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { commandEnvironment } from '../commands.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { countWaiting } from '../locks.ts';

let testDatabase: TestDatabase;
let db: Database;
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  db = openDatabase(testDatabase.connectionString);
});
afterEach(async () => {
  await db.destroy();
  await testDatabase.drop();
});

const masterKey = (id: string): NamedKey => ({ id, key: randomBytes(32) });
const m1 = masterKey('m1');
const m2 = masterKey('m2');
const item = { itemId: randomUUID(), productId: randomUUID() };

const rotate = (masterKeys: NamedKeys) => db.transaction().execute((trx) => rotateDataKeys(trx, masterKeys));
const rows = () => db.selectFrom('data_keys').selectAll().orderBy('id').execute();
const summary = async () =>
  (await rows()).map(({ id, master_key_id, retired_at }) => [id, master_key_id, retired_at !== null]);

/** Starts the script of `npm run keys:rotate` in a process of its own. */
function start(masterKeys: NamedKeys) {
  const written = (keys: NamedKeys) => keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
  const env = commandEnvironment({
    DATABASE_URL: testDatabase.connectionString,
    MASTER_KEYS: written(masterKeys),
    JWT_KEYS: written([masterKey('j1')]),
  });
  const child = spawn(process.execPath, ['scripts/commands/keys-rotate.ts'], { env });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const said = Promise.all([text(child.stdout), text(child.stderr)]).then((both) => both.join(''));
  return { child, ended: ended.then(async (code) => ({ code, said: await said })) };
}

test('a running shop encrypts and decrypts before, during and after a rotation', async () => {
  const running = await openItemCipher(db, [m2, m1]);
  const seal = (content: string) => running.encrypt({ ...item, content });
  const open = (sealed: ReturnType<typeof seal>) => running.decrypt({ ...item, ...sealed });
  const before = seal('BEFORE');
  await db.transaction().execute(async (trx) => {
    await rotateDataKeys(trx, [m2, m1]);
    expect(await open(before)).toBe('BEFORE');
    expect(await open(seal('DURING'))).toBe('DURING');
    // The rotation does not keep another process from starting either.
    const started = await openItemCipher(db, [m2, m1]);
    expect(await started.decrypt({ ...item, ...before })).toBe('BEFORE');
  });

  const after = seal('AFTER');
  expect(after.keyId).toBe('data-1');
  const next = await openItemCipher(db, [m2, m1]);
  expect(await next.decrypt({ ...item, ...after })).toBe('AFTER');
  const sealedByNext = next.encrypt({ ...item, content: 'NEXT' });
  expect(sealedByNext.keyId).toBe('data-2');
  expect(await open(sealedByNext)).toBe('NEXT');
  expect(seal('MET THE NEW ONE').keyId).toBe('data-2');
});

test('after a rotation, the new master key alone decrypts everything, and the old one nothing', async () => {
  const old = await openItemCipher(db, [m1]);
  const sealed = old.encrypt({ ...item, content: 'KEY-1' });
  // m2 wraps nothing yet.
  expect(await rotate([m1, m2])).toEqual({ rewrapped: 0, dataKey: 'data-2' });
  expect(await rotate([m2, m1])).toEqual({ rewrapped: 3, dataKey: 'data-3' });

  const next = await openItemCipher(db, [m2]);
  expect(await next.decrypt({ ...item, ...sealed })).toBe('KEY-1');
  expect(next.fingerprint('KEY-1')).toEqual(old.fingerprint('KEY-1'));
  expect(next.encrypt({ ...item, content: 'x' }).keyId).toBe('data-3');
  await expect(openItemCipher(db, [m1])).rejects.toThrow('MASTER_KEYS lacks the key "m2"');
  expect(await summary()).toEqual([
    ['data-1', 'm2', true],
    ['data-2', 'm2', true],
    ['data-3', 'm2', false],
    ['fingerprint', 'm2', false],
  ]);
});

test('a process without the new master key keeps working with its own data key', async () => {
  const behind = await openItemCipher(db, [m1]);
  await rotate([m2, m1]);
  const sealedByNext = (await openItemCipher(db, [m2])).encrypt({ ...item, content: 'NEXT' });
  await expect(behind.decrypt({ ...item, ...sealedByNext })).rejects.toThrow('MASTER_KEYS lacks the key');
  const sealed = behind.encrypt({ ...item, content: 'KEY-1' });
  expect(await behind.decrypt({ ...item, ...sealed })).toBe('KEY-1');
  expect(await (await openItemCipher(db, [m2])).decrypt({ ...item, ...sealed })).toBe('KEY-1');
});

test('two concurrent rotations run one after the other', async () => {
  const sealed = (await openItemCipher(db, [m1])).encrypt({ ...item, content: 'KEY-1' });
  const rotations: ReturnType<typeof rotate>[] = [];
  await db.transaction().execute(async (trx) => {
    await sql`LOCK TABLE data_keys IN SHARE MODE`.execute(trx);
    rotations.push(rotate([m2, m1]), rotate([m2, m1]));
    await vi.waitFor(async () => expect(await countWaiting(db)).toBe(2), { timeout: 10_000 });
  });
  const done = await Promise.all(rotations);
  expect(done.map(({ dataKey }) => dataKey).sort()).toEqual(['data-2', 'data-3']);
  expect(done.map(({ rewrapped }) => rewrapped).sort()).toEqual([0, 2]);
  const next = await openItemCipher(db, [m2]);
  expect(await next.decrypt({ ...item, ...sealed })).toBe('KEY-1');
  expect((await rows()).filter(({ retired_at }) => retired_at === null)).toHaveLength(2);
  expect(next.encrypt({ ...item, content: 'x' }).keyId).toBe('data-3');
});

test.each<[string, NamedKeys, string]>([
  ['is missing', [m2], 'MASTER_KEYS lacks the key "m1"'],
  ['has other bytes', [m2, masterKey('m1')], 'MASTER_KEYS has another key under the name "m1"'],
  ['is first with other bytes', [masterKey('m1'), m2], 'MASTER_KEYS has another key under the name "m1"'],
])('a rotation whose old master key %s changes nothing', async (_, masterKeys, message) => {
  await openItemCipher(db, [m1]);
  const before = await rows();
  await expect(rotate(masterKeys)).rejects.toThrow(message);
  expect(await rows()).toEqual(before);
});

test('npm run keys:rotate changes nothing if it is killed midway, and the next run completes the rotation', async () => {
  await openItemCipher(db, [m1]);
  const before = await rows();
  await db.transaction().execute(async (trx) => {
    // The command has written its keys when it waits for this lock, to write its audit entry.
    await sql`SELECT pg_advisory_xact_lock(hashtext('audit log'))`.execute(trx);
    const { child, ended } = start([m2, m1]);
    await vi.waitFor(async () => expect(await countWaiting(db)).toBe(1), { timeout: 20_000 });
    child.kill('SIGKILL');
    expect(await ended).toEqual({ code: null, said: '' });
  });
  // Waits until PostgreSQL has undone the transaction of the killed command.
  await db.transaction().execute((trx) => sql`LOCK TABLE data_keys`.execute(trx));
  expect(await rows()).toEqual(before);

  expect(await start([m2, m1]).ended).toEqual({
    code: 0,
    said:
      '2 keys were rewrapped by the master key "m2".\nThe new data key is data-2.\n' +
      'When every process runs with this MASTER_KEYS, remove "m1" from it. Older backups still need what you remove.\n',
  });
  const recorded = await db.selectFrom('audit_log').select(['actor', 'action', 'summary']).execute();
  expect(recorded).toEqual([
    {
      actor: 'npm run keys:rotate',
      action: 'keys.rotated',
      summary: '2 keys were rewrapped by the master key "m2", and data-2 was made',
    },
  ]);
});

test('npm run keys:rotate refuses in one line without the old master key', async () => {
  await openItemCipher(db, [m1]);
  const { code, said } = await start([m2]).ended;
  expect(code).toBe(1);
  expect(said).toMatch(/^MASTER_KEYS lacks the key "m1": .*\n$/);
});
