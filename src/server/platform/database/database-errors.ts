import pg from 'pg';
import { reasonOf } from '../system-errors.ts';

/** A transient failure of the database. The caller may try again, but a commit may have succeeded. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

// Transient failures, by SQLSTATE: connection (08), read only after a failover (25006), idle in a transaction for too
// long (25P03), deadlock and serialization (40), out of disk, memory or connections (53), a lock not given in time
// (55P03), the statement cancelled or the server shutting down (57), I/O (58030).
const transient = /^(08...|25006|25P03|40001|40P01|53...|55P03|57014|57P..|58030)$/;

// After these errors the connection is unusable. A server that has become read-only was replaced by another server.
const endOfConnection = /^(08...|25006|25P03|57P..)$/;

const conflicts = /^(40001|40P01)$/;

// Errors of node-postgres itself, which have no code.
const driverFailures =
  /^(Query read timeout|Connection terminated|Client (has encountered|was closed)|Received unexpected|timeout)/;

/** Converts a driver error to the error that callers get, and tells whether the connection is broken. */
export function classifyError(error: unknown): { error: unknown; broken: boolean } {
  if (error instanceof DatabaseUnavailable) return { error, broken: false };
  const code = sqlState(error);
  if (code !== undefined) {
    const broken = endOfConnection.test(code);
    return { error: transient.test(code) ? new DatabaseUnavailable(error) : error, broken };
  }
  const broken = isNetworkFailure(error);
  return { error: broken ? new DatabaseUnavailable(error) : error, broken };
}

/** True for a failure after which the same work may succeed. */
export const isTransientFailure = (error: unknown): boolean =>
  classifyError(error).error instanceof DatabaseUnavailable;

/** True if PostgreSQL rolled work back because of another transaction. A second try usually succeeds. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && conflicts.test(sqlState(error.cause) ?? '');

const sqlState = (error: unknown): string | undefined => (error instanceof pg.DatabaseError ? error.code : undefined);

function isNetworkFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isNetworkFailure);
  return error instanceof Error && ('syscall' in error || driverFailures.test(error.message));
}
