import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';

const { db, connectionString } = await openTestDatabase({ maxConnections: 1 });

const factNamed = (name: string) =>
  db.selectFrom('shop_facts').select('value').where('name', '=', name).executeTakeFirst();

const prepared = async () => {
  const { rows } = await sql<{ statement: string; uses: number }>`
    SELECT statement, (generic_plans + custom_plans)::integer AS uses FROM pg_prepared_statements`.execute(db);
  return rows;
};

test('a statement is prepared once and used again', async () => {
  for (const name of ['one', 'two', 'three']) await factNamed(name);
  expect(await prepared()).toContainEqual({ statement: expect.stringContaining('"shop_facts"'), uses: 3 });
});

test('a statement with a star for a count, a product or a subquery is still prepared', async () => {
  await sql`SELECT count(*) AS n, 2 * ${1}::integer AS twice FROM (SELECT * FROM shop_facts) AS facts`.execute(db);
  expect(await prepared()).toContainEqual({ statement: expect.stringContaining('twice'), uses: 1 });
});

test('all pools name the same statement alike, and different statements differently', async () => {
  const other = openDatabase(connectionString, { maxConnections: 1 });
  const namesIn = async (pool: Database) => {
    const { rows } = await sql<{ name: string; statement: string }>`
      SELECT name, statement FROM pg_prepared_statements`.execute(pool);
    return new Map(rows.map(({ name, statement }) => [statement, name]));
  };
  const statements = ['value', 'name', 'length(value)'].map(
    (column) => (pool: Database) => sql`SELECT ${sql.raw(column)} FROM shop_facts WHERE name = ${'a'}`.execute(pool),
  );
  try {
    for (const run of statements) await run(db);
    for (const run of statements.toReversed()) await run(other);
    const [here, there] = [await namesIn(db), await namesIn(other)];
    expect(new Set(there.values()).size).toBe(statements.length);
    for (const [statement, name] of there) expect([statement, here.get(statement)]).toEqual([statement, name]);
  } finally {
    await other.destroy();
  }
});

test('no statement is prepared when prepared statements are switched off', async () => {
  const plain = openDatabase(connectionString, { maxConnections: 1, preparedStatements: false });
  try {
    await plain.selectFrom('shop_facts').select('value').where('name', '=', 'a').execute();
    const { rows } = await sql`SELECT name FROM pg_prepared_statements`.execute(plain);
    expect(rows).toEqual([]);
  } finally {
    await plain.destroy();
  }
});

test('a search is not prepared, so each is planned for its own words', async () => {
  for (const word of ['%a%', '%rare%']) {
    await db.selectFrom('shop_facts').select('value').where('name', 'ilike', word).execute();
  }
  expect(await prepared()).not.toContainEqual({ statement: expect.stringMatching(/ilike/i), uses: expect.anything() });
});

test('a statement that has failed can be used again', async () => {
  const insert = (name: string) => db.insertInto('shop_facts').values({ name, value: name }).execute();
  await insert('a');
  await expect(insert('a')).rejects.toMatchObject({ code: '23505' });
  await insert('b');
  expect(await factNamed('b')).toEqual({ value: 'b' });
});

test('prepared statements survive a column that a newer process adds', async () => {
  const select = () => db.selectFrom('shop_facts').selectAll().where('name', '=', 'a').executeTakeFirst();
  const rename = (value: string) =>
    db.updateTable('shop_facts').set({ value }).where('name', '=', 'a').returningAll().execute();
  await select();
  await rename('c');
  await sql`ALTER TABLE shop_facts ADD COLUMN note text`.execute(db);
  expect(await select()).toEqual({ name: 'a', value: 'c', note: null });
  expect(await rename('d')).toEqual([{ name: 'a', value: 'd', note: null }]);
  expect(await factNamed('a')).toEqual({ value: 'd' });
});

test('the number of prepared statements is bounded', async () => {
  for (let length = 1; length <= 400; length += 1) {
    const names = Array.from({ length }, (_, index) => `name ${index}`);
    await db.selectFrom('shop_facts').select('value').where('name', 'in', names).execute();
  }
  expect((await prepared()).length).toBeLessThanOrEqual(300);
});
