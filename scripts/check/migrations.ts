import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findMigrationProblems } from '../../src/server/platform/database/migration-history.ts';
import type { Finding } from './source-files.ts';

const folder = 'src/server/platform/database/migrations';

/** Finds migrations that were edited after their release, or that are missing in the list. */
export function checkMigrations(root: string): Finding[] {
  if (!existsSync(join(root, folder))) return [];
  return findMigrationProblems(join(root, folder)).map((message) => ({ path: folder, message }));
}
