import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { daysBefore } from '../../../shared/durations.ts';
import { readConfig } from '../../config.ts';
import { MAIL_FILE_DAYS, POSTGRES_LOG_LIMIT_BYTES, removeOldFiles } from './retention.ts';

const now = new Date('2027-03-01T12:00:00Z');

test('an old mail file is removed, and a PostgreSQL log above its limit is truncated', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kedai-files-'));
  const deps = { config: readConfig({ DATA_DIR: dataDir }), clock: { now: () => now } };
  await removeOldFiles(deps);
  mkdirSync(join(dataDir, 'mail'));
  for (const [name, days] of [
    ['old.eml', MAIL_FILE_DAYS],
    ['.half.tmp', MAIL_FILE_DAYS],
    ['new.eml', MAIL_FILE_DAYS - 1],
  ] as const) {
    writeFileSync(join(dataDir, 'mail', name), 'Subject: Hello');
    utimesSync(join(dataDir, 'mail', name), daysBefore(now, days), daysBefore(now, days));
  }
  const log = join(dataDir, 'postgres.log');
  writeFileSync(log, Buffer.alloc(POSTGRES_LOG_LIMIT_BYTES));
  await removeOldFiles(deps);
  expect(readdirSync(join(dataDir, 'mail'))).toEqual(['new.eml']);
  expect(statSync(log).size).toBe(POSTGRES_LOG_LIMIT_BYTES);
  writeFileSync(log, 'x', { flag: 'a' });
  await removeOldFiles(deps);
  expect(statSync(log).size).toBe(0);
  rmSync(dataDir, { recursive: true });
});
