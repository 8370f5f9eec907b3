import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import { type SilentDatabaseProxy, startSilentDatabaseProxy } from '../../../../test/silent-proxy.ts';
import type { PoolUse } from '../metrics/metrics.ts';
import type { Database } from './database.ts';
import { DatabaseUnavailable } from './database-errors.ts';
import { openDatabase, openSharedDatabase } from './open-database.ts';

// The limit under test is short. The others are so long that the test's own limit would end it first.
const NEVER_MS = 600_000;
const patient = { connectMs: NEVER_MS, waitMs: NEVER_MS, statementMs: NEVER_MS, answerMs: NEVER_MS };
const SHORT_MS = 500;

let database: TestDatabase;
let proxy: SilentDatabaseProxy;
let db: Database;
beforeEach(async () => {
  database = await createTestDatabase();
  proxy = await startSilentDatabaseProxy(database.connectionString);
});
afterEach(async () => {
  await db.destroy();
  await proxy[Symbol.asyncDispose]();
  await database.drop();
});

const open = (limits: Partial<typeof patient>) => {
  db = openDatabase(proxy.connectionString, { maxConnections: 1, limits: { ...patient, ...limits } });
};
const one = () => sql<{ one: number }>`SELECT 1 AS one`.execute(db);
// On a busy machine even a healthy connection may be too slow for a short limit at first.
const answers = () => vi.waitFor(async () => expect((await one()).rows).toEqual([{ one: 1 }]), { timeout: 60_000 });
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );

test('a statement without an answer fails, and its connection is closed', async () => {
  open({ answerMs: SHORT_MS });
  await answers();
  proxy.fallSilent();
  expect(await outcome(one())).toBeInstanceOf(DatabaseUnavailable);
  proxy.recover();
  await answers();
});

test('a transaction without an answer fails with the error of its callback', async () => {
  open({ answerMs: SHORT_MS });
  await answers();
  const refusal = new Error('a rule');
  const refused = db.transaction().execute(async () => {
    proxy.fallSilent();
    throw refusal;
  });
  expect(await outcome(refused)).toBe(refusal);
  proxy.recover();
  await answers();
});

test('a connection that is not established fails', async () => {
  open({ connectMs: SHORT_MS });
  proxy.fallSilent();
  expect(await outcome(one())).toBeInstanceOf(DatabaseUnavailable);
  proxy.recover();
  await answers();
});

test('a wait for a connection fails at its limit, while the holder of the connection continues', async () => {
  open({ waitMs: SHORT_MS });
  const result = await db.transaction().execute(async (trx) => {
    expect(await outcome(one())).toBeInstanceOf(DatabaseUnavailable);
    return sql<{ one: number }>`SELECT 1 AS one`.execute(trx);
  });
  expect(result.rows).toEqual([{ one: 1 }]);
});

test('the server cancels a slow statement of a transaction', async () => {
  open({ statementMs: SHORT_MS });
  const slow = db.transaction().execute((trx) => sql`SELECT pg_sleep(600)`.execute(trx));
  expect(await outcome(slow)).toMatchObject({ name: 'DatabaseUnavailable', cause: { code: '57014' } });
  await answers();
});

test('the server ends a transaction whose process is silent, and releases its locks', async () => {
  open({ statementMs: SHORT_MS, answerMs: 8 * SHORT_MS });
  const direct = openDatabase(database.connectionString, { maxConnections: 1, limits: patient });
  const lockFact = (on: Database) =>
    sql`INSERT INTO shop_facts (name, value) VALUES ('one', '1')`.execute(on).then(() => 'written');
  try {
    const lost = db.transaction().execute(async (trx) => {
      await lockFact(trx);
      proxy.fallSilent();
      // This insert waits for the lost transaction, and is no duplicate once that was rolled back.
      expect(await lockFact(direct)).toBe('written');
    });
    proxy.recover();
    expect(await outcome(lost)).not.toBe('done');
  } finally {
    await direct.destroy();
  }
});

test('a call that waits for a share of the connections is refused in time, also if the share is never returned', async () => {
  const limits = { ...patient, waitMs: SHORT_MS };
  const use = new Map<string, PoolUse>();
  const opened = openSharedDatabase(proxy.connectionString, {
    limits,
    shares: { one: 1 },
    together: 1,
    watchShare: (name, of) => use.set(name, of),
  });
  db = opened.db;
  await answers();
  const { one: share } = opened.shares;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const holding = share.transaction().execute(() => isOver);
  const read = () => sql`SELECT 1`.execute(share);
  expect(await outcome(read())).toBeInstanceOf(DatabaseUnavailable);
  expect(use.get('one')).toMatchObject({ totalCount: 1, waitingCount: 0 });
  end();
  await holding;
  expect(await outcome(read())).toBe('done');
});
