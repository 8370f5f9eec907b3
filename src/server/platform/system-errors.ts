/** Returns the code of an error of Node or of PostgreSQL, e.g. `ENOENT` or `23505`; empty when it has none. */
export const errorCodeOf = (error: unknown): string => String(Object(error).code ?? '');

/** Returns the error's message in one line, never empty like that of Node's AggregateError about several addresses. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || error.name : String(error);
}

/** For `catch`: returns undefined for errors that `isExpected` accepts; throws any other error. */
export const unless =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!isExpected(error)) throw error;
  };

/** For a missing file or folder. */
export const unlessMissing = unless((error) => errorCodeOf(error) === 'ENOENT');

/** Throws a StartError that names the setting if the port could not be opened because of the host. */
export function refuseHost(error: unknown, setting: string, host: string): void {
  if (!/^(ENOTFOUND|EAI_AGAIN|EADDRNOTAVAIL|EAFNOSUPPORT|EINVAL)$/.test(errorCodeOf(error))) return;
  const problem = `${setting} ${host} is not an address of this machine: use one that is, as in 127.0.0.1`;
  throw new StartError(problem, { cause: error });
}

/** The shop cannot start, and the operator can correct the cause. The message is one line that says how. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Whether a file could not be written because the disk, or the user's part of it, is full. */
export const isFullDisk = (error: unknown): boolean => /^(ENOSPC|EDQUOT)$/.test(errorCodeOf(error));

export const fullDisk = (dataDir: string, cause: unknown) =>
  new StartError(`DATA_DIR ${dataDir} is on a full disk: make space there, or choose another folder.`, { cause });

/** A wrong or missing setting. The message is one line with the variable and the fix, but without the value. */
export class ConfigError extends StartError {
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = 'ConfigError';
  }
}
