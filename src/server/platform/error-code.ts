/** Returns the code of an error of Node or of PostgreSQL, e.g. `ENOENT` or `23505`; empty when it has none. */
export const errorCodeOf = (error: unknown): string => String(Object(error).code ?? '');

/** For `catch`: returns undefined if a file or folder is missing; throws any other error. */
export function unlessMissing(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
