import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/server/platform/database/database.ts';
import { openDatabase } from '../../src/server/platform/database/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { findLeaks, readDatabase, readFolder } from './canary-scan.ts';

const SECRET = 'KEY-7F3A-QXPL-90ZD';

const hidden: [string, Buffer][] = [
  ['plain', Buffer.from(`before ${SECRET} after`)],
  ['UTF-16LE', Buffer.from(`é${SECRET}`, 'utf16le')],
  ['UTF-16BE', Buffer.from(SECRET, 'utf16le').swap16()],
  ['hex', Buffer.from(Buffer.from(`x${SECRET}`).toString('hex'))],
  ['hex', Buffer.from(Buffer.from(SECRET).toString('hex').toUpperCase())],
  ...['', 'a', 'ab', 'abc'].flatMap((before): [string, Buffer][] =>
    ['', 'y', 'yz'].map((after) => ['base64', Buffer.from(btoa(`${before}${SECRET}${after}`))]),
  ),
  ['base64', Buffer.from(Buffer.from(`a${SECRET}`).toString('base64url'))],
];

describe('the canary scan', () => {
  it.each(hidden)('finds a secret in %s (%#)', (encoding, bytes) => {
    const [leak = ''] = findLeaks([{ place: 'somewhere', bytes }], ['another', SECRET]);
    expect(leak).toBe(`I5 somewhere holds the secret ${SECRET} (${encoding})`);
  });

  it('does not report an incomplete secret', () => {
    const bytes = Buffer.from(SECRET.slice(0, -1) + btoa(SECRET.slice(1)));
    expect(findLeaks([{ place: 'somewhere', bytes }], [SECRET])).toEqual([]);
  });

  it('reads every file of a folder, and finds a secret across the line breaks of a mail', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kedai-canary-'));
    const half = Math.floor(SECRET.length / 2);
    writeFileSync(join(folder, 'a.eml'), `Subject: x\r\n\r\n${SECRET.slice(0, half)}=\r\n${SECRET.slice(half)}`);
    writeFileSync(join(folder, 'b.eml'), `${btoa(SECRET).slice(0, 12)}\r\n${btoa(SECRET).slice(12)}`);
    const leaks = findLeaks(readFolder(folder), [SECRET]);
    rmSync(folder, { recursive: true });
    expect(leaks).toEqual([
      expect.stringMatching(/a\.eml, unfolded holds .* \(plain\)$/),
      expect.stringMatching(/b\.eml, unfolded holds .* \(base64\)$/),
    ]);
  });
});

describe('the canary scan of a database', () => {
  let database: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase(database.connectionString);
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  it.each([
    ['text', sql`${SECRET}::text`],
    ['bytea', sql`${Buffer.from(SECRET)}::bytea`],
    ['bytea', sql`${Buffer.from(btoa(SECRET))}::bytea`],
    ['jsonb', sql`jsonb_build_object('a', ${SECRET}::text)`],
    ['text[]', sql`ARRAY[${SECRET}::text]`],
  ])('finds a secret in any table, in a column of type %s (%#)', async (_type, value) => {
    await sql`CREATE SCHEMA IF NOT EXISTS elsewhere`.execute(db);
    await sql`DROP TABLE IF EXISTS elsewhere.hiding_place`.execute(db);
    expect(findLeaks(await readDatabase(db), [SECRET])).toEqual([]);
    await sql`CREATE TABLE elsewhere.hiding_place AS SELECT ${value} AS value`.execute(db);
    const leaks = findLeaks(await readDatabase(db), [SECRET]);
    expect(leaks).toEqual([expect.stringMatching(/^I5 table elsewhere\.hiding_place holds/)]);
  });
});
