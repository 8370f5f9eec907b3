import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { migrate } from '../../src/server/platform/database/migrate.ts';
import {
  describeSchema,
  type Migration,
  readMigrations,
} from '../../src/server/platform/database/migration-history.ts';
import { StartError } from '../../src/server/platform/system-errors.ts';
import { createEmptyDatabase, createTestDatabase } from '../database.ts';

const migrations = readMigrations();

let databases: { drop(): Promise<void> }[] = [];
let freshSchema: string[];
beforeAll(async () => {
  const fresh = await emptyDatabase();
  await migrate(fresh);
  freshSchema = await schemaOf(fresh);
  expect(freshSchema.length).toBeGreaterThan(300);
});
afterAll(async () => {
  for (const database of databases) await database.drop();
  databases = [];
});

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  databases.push(database);
  return database.connectionString;
}

async function onDatabase<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const schemaOf = (connectionString: string) => onDatabase(connectionString, describeSchema);
const run = (connectionString: string, sql: string) => onDatabase(connectionString, (client) => client.query(sql));

/** Creates a database as the shop did before it stored checksums: with the texts and a list of their names. */
async function makeOldDatabase(texts: Map<string, string>, rows = ''): Promise<string> {
  const connectionString = await emptyDatabase();
  const names = [...texts.keys()].map((name) => `('${name}')`);
  await run(
    connectionString,
    `CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
    ${[...texts.values()].join('\n')}
    INSERT INTO schema_migrations (name) VALUES ${names};
    ${rows}`,
  );
  return connectionString;
}

/**
 * Returns every text that the files had while they were edited, oldest first. Undoes the edits one after the other,
 * from the present texts. Git's ids in the fixture prove each text.
 */
function earlierTexts(): { name: string; text: string }[] {
  const edits = readFileSync(new URL('../fixtures/edited-migrations.diff', import.meta.url), 'utf8')
    .split(/^diff --git .*\n/m)
    .slice(1);
  const texts = new Map(migrations.map(({ name, sql }) => [name, sql]));
  return edits
    .reverse()
    .map((edit) => {
      const [, before = '', after = ''] = /^index (\w+)\.\.(\w+)/.exec(edit) ?? [];
      const name = /^--- a\/(.*)$/m.exec(edit)?.[1] ?? '';
      let text = texts.get(name) ?? '';
      expect(gitId(text).startsWith(after), name).toBe(true);
      for (const hunk of edit.split(/^@@ .*\n/m).slice(1)) {
        const lines = hunk.split('\n').slice(0, -1);
        const without = (mark: string) =>
          lines.filter((line) => !line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
        text = text.replace(without('-').join(''), () => without('+').join(''));
      }
      expect(gitId(text).startsWith(before), name).toBe(true);
      texts.set(name, text);
      return { name, text };
    })
    .reverse();
}

const gitId = (text: string) =>
  createHash('sha1')
    .update(`blob ${Buffer.byteLength(text)}\0${text}`)
    .digest('hex');

const presentTexts = (upTo: string) =>
  new Map(migrations.filter(({ name }) => name <= upTo).map(({ name, sql }) => [name, sql]));

test('a database from any earlier text of a migration is brought to the schema of a new database', async () => {
  const oldest = new Map<string, string>();
  for (const { name, text } of earlierTexts().reverse()) {
    oldest.set(name, text);
    const database = await makeOldDatabase(new Map([...presentTexts(name), [name, text]]));
    await migrate(database);
    expect(await schemaOf(database), `${name} ${gitId(text)}`).toEqual(freshSchema);
  }

  // After the first edit of 0005, 0006 could follow any of its texts.
  for (const { name, text } of earlierTexts()
    .filter((one) => one.name === '0005_admin.sql')
    .slice(1)) {
    const database = await makeOldDatabase(new Map([...presentTexts('0006_row_rules.sql'), [name, text]]));
    await migrate(database);
    expect(await schemaOf(database), `0006 after ${gitId(text)}`).toEqual(freshSchema);
  }

  const followed = await makeOldDatabase(new Map([...presentTexts('0005_admin.sql'), ...oldest]));
  await migrate(followed);
  expect(await schemaOf(followed)).toEqual(freshSchema);
  // From now on checksums are stored, and a second run changes nothing.
  await migrate(followed);
  expect(await run(followed, 'SELECT FROM schema_migrations WHERE checksum IS NULL')).toMatchObject({ rowCount: 0 });
});

test('a database from before the checksums keeps its data', async () => {
  const database = await makeOldDatabase(
    presentTexts('0006_row_rules.sql'),
    `INSERT INTO orders (id, type, state, contact_email, guest, items_cents, tax_cents, total_cents, refunded_cents,
        payment_intent_id, created_at, hold_expires_at, refunded_at)
      VALUES ('7c8f2f1e-0000-4000-8000-000000000001', 'digital', 'refunded', 'a@example.com', true, 100, 0, 100, 100, 'pi_1',
        now(), now(), now());
    INSERT INTO refunds (id, order_id, cents, reason, state, created_at)
      VALUES (gen_random_uuid(), '7c8f2f1e-0000-4000-8000-000000000001', 100, 'Asked for', 'done', now());`,
  );
  await migrate(database);
  expect(await schemaOf(database)).toEqual(freshSchema);
  const { rows } = await run(database, 'SELECT reason, cents FROM refunds');
  expect(rows).toEqual([{ reason: 'Asked for', cents: 100 }]);
});

test('a refund from before the refunds table is recorded once', async () => {
  const [first] = earlierTexts().filter(({ name }) => name === '0005_admin.sql');
  const database = await makeOldDatabase(
    new Map([...presentTexts('0004_accounts.sql'), ['0005_admin.sql', first?.text ?? '']]),
    `INSERT INTO orders (id, type, state, contact_email, guest, items_cents, tax_cents, total_cents, payment_intent_id,
        created_at, hold_expires_at, refunded_at)
      VALUES (gen_random_uuid(), 'digital', 'refunded', 'a@example.com', true, 100, 0, 100, 'pi_1', now(), now(), now())`,
  );
  await migrate(database);
  const { rows } = await run(
    database,
    'SELECT refunds.state, cents, refunded_cents FROM refunds JOIN orders ON orders.id = order_id',
  );
  expect(rows).toEqual([{ state: 'done', cents: 100, refunded_cents: 100 }]);
});

async function refusalOf(connectionString: string, ours = migrations): Promise<string> {
  const before = await schemaOf(connectionString);
  const error: unknown = await migrate(connectionString, ours).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  // The message is one line, and the database is unchanged.
  const { message } = error as StartError;
  expect(message).not.toContain('\n');
  expect(await schemaOf(connectionString)).toEqual(before);
  return message;
}

const migration = (name: string, sql: string): Migration => ({ name, sql, checksum: `of ${sql}` });
const first = migration('0001_a.sql', 'CREATE TABLE a (id integer)');
const second = migration('0003_b.sql', 'CREATE TABLE b (id integer)');

test('a migration history that is newer, edited or incomplete is refused with a one-line error', async () => {
  const database = await emptyDatabase();
  await migrate(database, [first, second]);
  await migrate(database, [first, second]);

  expect(await refusalOf(database, [first])).toContain('does not know its migration 0003_b.sql');
  const edited = migration(first.name, 'CREATE TABLE a (id bigint)');
  expect(await refusalOf(database, [edited, second])).toContain('another text of the migration 0001_a.sql');
  const between = migration('0002_c.sql', 'CREATE TABLE c (id integer)');
  expect(await refusalOf(database, [first, between, second])).toContain('lacks the migration 0002_c.sql');

  // A lower number does not matter: this migration was added after the others.
  await migrate(database, [first, second, between]);
  expect(await schemaOf(database)).toContainEqual(expect.stringContaining('column c.id'));
});

test('a database that no version of the shop has created is refused with a one-line error', async () => {
  const altered = await makeOldDatabase(presentTexts('0006_row_rules.sql'), 'DROP INDEX orders_to_sweep');
  expect(await refusalOf(altered)).toContain('it lacks the index of orders');
  const half = await makeOldDatabase(presentTexts('0006_row_rules.sql'), 'DROP TABLE refunds CASCADE');
  expect(await refusalOf(half)).toContain('"refunds" does not exist');
  const foreign = await emptyDatabase();
  await run(foreign, 'CREATE TABLE schema_migrations (version text)');
  expect(await refusalOf(foreign)).toContain('a table schema_migrations that is not the shop’s');
  const taken = await emptyDatabase();
  await run(taken, 'CREATE TABLE users (id integer)');
  expect(await refusalOf(taken)).toContain('The migration 0001_shop.sql failed and nothing was changed');
});

test('a migration that locks tables in another sequence waits for a purchase that has begun', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const { connectionString } = database;
  const last = migration(
    '9999_last.sql',
    'ALTER TABLE items ADD last_a integer; ALTER TABLE orders ADD last_b integer',
  );
  await onDatabase(connectionString, async (purchase) => {
    await purchase.query('BEGIN; LOCK TABLE orders IN ROW EXCLUSIVE MODE');
    const migrated = migrate(connectionString, [...migrations, last]);
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect((await run(connectionString, waiting)).rowCount).toBe(1), { timeout: 30_000 });
    await purchase.query('UPDATE items SET unit = unit; COMMIT');
    await migrated;
  });
  expect(await schemaOf(connectionString)).toContainEqual(expect.stringContaining('column orders.last_b'));
});

test.each(['products', 'mails', 'verifications'])(
  'a migration gives way to a sale that has locked %s before its order',
  async (table) => {
    const database = await createTestDatabase();
    databases.push(database);
    const { connectionString } = database;
    const last = migration(
      '9999_last.sql',
      'ALTER TABLE mails ADD last_a integer; ALTER TABLE products ADD last_b integer; ALTER TABLE verifications ADD c integer',
    );
    await onDatabase(connectionString, async (sale) => {
      await sale.query(`BEGIN; LOCK TABLE ${table} IN ROW SHARE MODE`);
      const migrated = migrate(connectionString, [...migrations, last]);
      const holdsOrders = `SELECT FROM pg_locks WHERE relation = 'orders'::regclass AND mode = 'AccessExclusiveLock' AND granted`;
      const holds = async () => expect((await run(connectionString, holdsOrders)).rowCount).toBe(1);
      await vi.waitFor(holds, { timeout: 30_000, interval: 10 });
      // On a connection of its own, as a mail is made: PostgreSQL finds no deadlock.
      await run(connectionString, 'UPDATE orders SET refund_reason = refund_reason');
      await sale.query('COMMIT');
      await migrated;
    });
    expect(await schemaOf(connectionString)).toContainEqual(expect.stringContaining('column products.last_b'));
  },
);

test('a migration beside tables of the operator, whose names have other characters, is applied', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const { connectionString } = database;
  await run(connectionString, 'CREATE TABLE "Mails" (); CREATE TABLE "notes (old" ()');
  const last = migration('9999_last.sql', '/* Mails have a new column. */ ALTER TABLE mails ADD last_a integer');
  await migrate(connectionString, [...migrations, last]);
  expect(await schemaOf(connectionString)).toContainEqual(expect.stringContaining('column mails.last_a'));
});

test('a migration that waits for a vacuum of a table stops no sale meanwhile', async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const { connectionString } = database;
  const last = migration('9999_last.sql', 'ALTER TABLE mails ADD last_a integer');
  await onDatabase(connectionString, async (vacuum) => {
    await vacuum.query('BEGIN; LOCK TABLE mails IN SHARE UPDATE EXCLUSIVE MODE');
    const migrated = migrate(connectionString, [...migrations, last]);
    const locks = (where: string) => run(connectionString, `SELECT mode FROM pg_locks WHERE ${where}`);
    const waits = async () => expect((await locks(`relation = 'mails'::regclass AND NOT granted`)).rowCount).toBe(1);
    await vi.waitFor(waits, { timeout: 30_000, interval: 10 });
    expect((await locks(`relation = 'orders'::regclass AND mode = 'AccessExclusiveLock'`)).rows).toEqual([]);
    await vacuum.query('COMMIT');
    await migrated;
  });
  expect(await schemaOf(connectionString)).toContainEqual(expect.stringContaining('column mails.last_a'));
});

test.each(['40P01', '53100', '55P03', '57014', '57P01'])(
  'a transient failure (%s) asks to try again, not to restore a backup',
  async (code) => {
    const database = await emptyDatabase();
    await migrate(database, [first]);
    const failing = migration('0002_failing.sql', `DO $$ BEGIN RAISE 'not now' USING ERRCODE = '${code}'; END $$`);
    expect(await refusalOf(database, [first, failing])).toBe(
      'The database could not be brought up to date now (not now): try again.',
    );
  },
);
