import pg from 'pg';

/** The database cannot do the work now: the caller may repeat it. A commit may have happened or not. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

// Failures that pass, by SQLSTATE: connection (08), read only after a failover (25006), idle in a transaction for too
// long (25P03), deadlock and serialization (40), out of disk, memory or connections (53), a lock not given in time
// (55P03), the statement cancelled or the server shutting down (57), I/O (58030).
const passing = /^(08...|25006|25P03|40001|40P01|53...|55P03|57014|57P..|58030)$/;

// After these the connection is of no more use. A server that is read only has been replaced by another one.
const lastOfConnection = /^(08...|25006|25P03|57P..)$/;

const conflicts = /^(40001|40P01)$/;

// Of node-postgres itself, which gives them no code.
const driverFailures =
  /^(Query read timeout|Connection terminated|Client (has encountered|was closed)|Received unexpected|timeout)/;

/** The error as callers of the database see it, and whether its connection is broken. */
export function classifyError(error: unknown): { error: unknown; broken: boolean } {
  if (error instanceof DatabaseUnavailable) return { error, broken: false };
  const code = sqlState(error);
  if (code !== undefined) {
    const broken = lastOfConnection.test(code);
    return { error: passing.test(code) ? new DatabaseUnavailable(error) : error, broken };
  }
  const broken = isNetworkFailure(error);
  return { error: broken ? new DatabaseUnavailable(error) : error, broken };
}

/** PostgreSQL has undone the work in favour of somebody else's; repeated, it mostly succeeds. */
export function isConflict(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && conflicts.test(sqlState(error.cause) ?? '');
}

function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

function isNetworkFailure(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isNetworkFailure);
  return error instanceof Error && ('syscall' in error || driverFailures.test(error.message));
}

/** One line that is never empty. Node's own error about several addresses that were tried says nothing. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}
