import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from '../../start-error.ts';
import { withConnection } from '../open-pool.ts';
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

/**
 * Resolves to undefined when the database answers (made now if it is missing), or to the complaint with which PostgreSQL
 * ended.
 */
export async function waitForConnections(
  postmaster: Postmaster,
  connection: Connection,
): Promise<string | undefined> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const failure = postmaster.failure();
    if (failure !== undefined) return failure;
    const problem = await tryToConnect(connection);
    if (problem === undefined) return undefined;
    if (problem.code === missingDatabase) await createDatabase(connection);
    if (problem.code === wrongPassword) {
      throw new StartError('The file postgres-password does not fit the database beside it.');
    }
    // Any other problem is what a database answers that is opening or recovering.
    if (Date.now() > deadline) throw problem;
    await delay(20);
  }
}

export function toConnectionString({ host, port, user, password, database }: Connection): string {
  const url = new URL(`postgresql://${user}:${password}@localhost:${port}/${database}`);
  url.searchParams.set('host', host);
  // Whatever PGSSLMODE says: on a socket there is nothing to encrypt.
  url.searchParams.set('sslmode', 'disable');
  return url.href;
}

// PostgreSQL's names for its errors.
const missingDatabase = '3D000';
const wrongPassword = '28P01';

async function tryToConnect(connection: Connection): Promise<(Error & { code?: string }) | undefined> {
  try {
    await query(connection, 'SELECT 1');
    return undefined;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

async function createDatabase(connection: Connection): Promise<void> {
  await query({ ...connection, database: 'postgres' }, `CREATE DATABASE ${connection.database}`);
}

async function query(connection: Connection, sql: string): Promise<void> {
  await withConnection(toConnectionString(connection), (client) => client.query(sql));
}
