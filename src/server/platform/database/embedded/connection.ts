import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Postmaster } from './postmaster.ts';

export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** Crash recovery after a busy day takes seconds; this long means that something is wrong. */
const START_TIMEOUT_MS = 300_000;

/** Resolves to undefined when the database answers, or to the complaint with which PostgreSQL ended. */
async function waitForConnections(
  postmaster: Postmaster,
  connection: Connection,
): Promise<string | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const failure = postmaster.failure();
    if (failure !== undefined) return failure;
    try {
      await query(connection, 'SELECT 1');
      return undefined;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === '3D000')
        await query({ ...connection, database: 'postgres' }, `CREATE DATABASE ${connection.database}`);
      if (code === '28P01')
        throw new Error('The file postgres-password does not fit the database beside it.');
      // Any other error is what an opening or recovering database answers.
      if (Date.now() > deadline) throw error;
    }
    await delay(20);
  }
}

async function query(connection: Connection, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: toConnectionString(connection) });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export function toConnectionString({ host, port, user, password, database: name }: Connection): string {
  const url = new URL(`postgresql://${user}:${password}@localhost:${port}/${name}`);
  url.searchParams.set('host', host);
  // Whatever PGSSLMODE says: on a socket there is nothing to encrypt.
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}
