import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { daysBefore } from '../../../shared/durations.ts';
import type { Deps } from '../../deps.ts';
import { mailFolder } from '../../platform/mail/mail-transport.ts';
import { unlessMissing } from '../../platform/system-errors.ts';

export const MAIL_FILE_DAYS = 30;
export const POSTGRES_LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** Removes old mail files from the data folder, and truncates the log of the embedded database. */
export async function removeOldFiles({ config, clock }: Pick<Deps, 'config' | 'clock'>): Promise<void> {
  const folder = mailFolder(config.dataDir);
  const before = daysBefore(clock.now(), MAIL_FILE_DAYS);
  for (const name of (await readdir(folder).catch(unlessMissing)) ?? []) {
    const file = join(folder, name);
    const found = await statOf(file);
    // Another process may have removed it first.
    if (found && found.mtime <= before) await rm(file, { force: true });
  }
  if (config.databaseUrl !== undefined) return;
  // PostgreSQL appends to the log, so it continues at the new end.
  const log = join(config.dataDir, 'postgres.log');
  if (((await statOf(log))?.size ?? 0) > POSTGRES_LOG_LIMIT_BYTES) await truncate(log);
}

const statOf = (file: string) => stat(file).catch(unlessMissing);
