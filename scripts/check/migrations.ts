import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findMigrationProblems } from '../../src/server/platform/database/migration-history.ts';
import type { Finding } from './source-files.ts';

const folder = 'src/server/platform/database/migrations';

/** A migration that was edited after it landed, or that is not on the list of those that landed. */
export function checkMigrations(root: string): Finding[] {
  if (!existsSync(join(root, folder))) return [];
  return findMigrationProblems(join(root, folder)).map((message) => ({ path: folder, message }));
}
