import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../deps.ts';
import { daysBefore } from '../../platform/database/bulk-rows.ts';
import { mailFolder } from '../../platform/mail/mail-transport.ts';

export const MAIL_FILE_DAYS = 30;
export const POSTGRES_LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** Ends what grows in the data folder: mails that were written to files, and the log of the own database. */
export async function removeOldFiles({ config, clock }: Pick<Deps, 'config' | 'clock'>): Promise<void> {
  const folder = mailFolder(config.dataDir);
  const before = daysBefore(clock.now(), MAIL_FILE_DAYS);
  for (const name of await listFolder(folder)) {
    const file = join(folder, name);
    const written = await mtimeOf(file);
    // Another process may have removed it first.
    if (written && written <= before) await rm(file, { force: true });
  }
  if (config.databaseUrl !== undefined) return;
  // PostgreSQL appends to it, so it goes on at the new end.
  const log = join(config.dataDir, 'postgres.log');
  if ((await sizeOf(log)) > POSTGRES_LOG_LIMIT_BYTES) await truncate(log);
}

const listFolder = (folder: string) => readdir(folder).catch(unlessMissing<string[]>([]));
const mtimeOf = (file: string) => stat(file).then(({ mtime }) => mtime, unlessMissing<Date | undefined>(undefined));
const sizeOf = (file: string) => stat(file).then(({ size }) => size, unlessMissing(0));

function unlessMissing<T>(otherwise: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return otherwise;
    throw error;
  };
}
