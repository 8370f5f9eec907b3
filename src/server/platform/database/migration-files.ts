import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  name: string;
  sql: string;
  /** SHA-256 of the text with LF line ends, in hex. */
  checksum: string;
}

export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * The migrations in the order in which they are applied: the order of the folder's `checksums.txt`, to which every
 * migration adds its line when it lands. Databases are only ever made by a first part of that list, whatever the numbers.
 */
export function readMigrations(folder = migrationsFolder): Migration[] {
  const [problem] = findMigrationProblems(folder);
  if (problem) throw new Error(problem);
  return readList(folder).map(({ name }) => readMigration(folder, name));
}

/** What of a migrations folder does not fit its list, a line each that says what to do. */
export function findMigrationProblems(folder: string): string[] {
  const listed = readList(folder);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const unlisted = files
    .filter((name) => !listed.some((line) => line.name === name))
    .map((name) => {
      const { checksum } = readMigration(folder, name);
      return `${name} is not on the list: add the line "${checksum}  ${name}" at the end of checksums.txt`;
    });
  const changed = listed.flatMap(({ name, checksum }) => {
    if (!files.includes(name)) return [`${name} is on the list and is missing`];
    if (readMigration(folder, name).checksum === checksum) return [];
    return [`${name} is not as it landed: restore it, and make the change in a new migration`];
  });
  return [...unlisted, ...changed];
}

function readMigration(folder: string, name: string): Migration {
  const sql = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** Lines as sha256sum writes them. */
function readList(folder: string): { name: string; checksum: string }[] {
  const file = join(folder, 'checksums.txt');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const [checksum = '', name = ''] = line.split(/\s+/);
      return { name, checksum };
    });
}
