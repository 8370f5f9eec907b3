import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { type Connection, toConnectionString } from '../src/server/platform/database/embedded/embedded-server.ts';
import { type DatabaseOptions, openDatabase } from '../src/server/platform/database/open-database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL; its database is migrated and empty, and serves as the template. */
    templateDatabase: Connection;
  }
}

export interface TestDatabase {
  connectionString: string;
  /** Removes the database, also under open connections. */
  drop(): Promise<void>;
}

/** A database of one's own, migrated and empty: a copy of the run's template, made in some 20 ms. */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(inject('templateDatabase').database);
}

/** The same, opened until the tests of the file have ended. */
export async function openTestDatabase(options?: DatabaseOptions) {
  const { connectionString, drop } = await createTestDatabase();
  const db = openDatabase(connectionString, options);
  afterAll(async () => {
    await db.destroy();
    await drop();
  });
  return { db, connectionString };
}

/** A copy of a database of a test, to which nobody may be connected. */
export function copyTestDatabase({ connectionString }: TestDatabase): Promise<TestDatabase> {
  return createDatabase(new URL(connectionString).pathname.slice(1));
}

/** A database that no migration was applied to. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template1');
}

/** An empty database in an encoding that the shop cannot use. */
export function createAsciiDatabase(): Promise<TestDatabase> {
  return createDatabase(`template0 ENCODING SQL_ASCII LOCALE_PROVIDER libc LOCALE 'C'`);
}

async function createDatabase(copied: string): Promise<TestDatabase> {
  const template = inject('templateDatabase');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(template, `CREATE DATABASE ${name} TEMPLATE ${copied} STRATEGY file_copy`);
  return {
    connectionString: toConnectionString({ ...template, database: name }),
    drop: () => administer(template, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function administer(template: Connection, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: toConnectionString({ ...template, database: 'postgres' }) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
