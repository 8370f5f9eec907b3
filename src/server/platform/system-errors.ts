/** Returns the code of an error of Node or of PostgreSQL, e.g. `ENOENT` or `23505`; empty when it has none. */
export const errorCodeOf = (error: unknown): string => String(Object(error).code ?? '');

/**
 * Returns the error's message in one line that is never empty. Node's AggregateError about several failed addresses has
 * an empty message.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}

/** For `catch`: returns undefined if a file or folder is missing; throws any other error. */
export function unlessMissing(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}

/** The shop cannot start, and the operator can correct the cause. The message is one line that says how. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A wrong or missing setting. The message is one line with the variable and the fix, but without the value. */
export class ConfigError extends StartError {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}
