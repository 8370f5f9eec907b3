import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/server/platform/database/database.ts';

/** Bytes that must not hold a secret, and where they were found. */
export interface Evidence {
  place: string;
  bytes: Buffer;
}

/** Where the secrets are found, whole and in any of the common encodings; one line each. */
export function findLeaks(evidence: Evidence[], secrets: string[]): string[] {
  const needles = secrets.flatMap((secret) => encodingsOf(secret).map((found) => ({ secret, ...found })));
  const leaks = evidence.flatMap(({ place, bytes }) =>
    needles
      .filter(({ needle }) => bytes.includes(needle))
      .map(({ secret, encoding }) => `I5 ${place} holds the secret ${secret} (${encoding})`),
  );
  return [...new Set(leaks)];
}

function encodingsOf(secret: string): { encoding: string; needle: Buffer }[] {
  const utf16 = Buffer.from(secret, 'utf16le');
  const hex = Buffer.from(secret).toString('hex');
  return [
    { encoding: 'plain', needle: Buffer.from(secret) },
    { encoding: 'UTF-16LE', needle: utf16 },
    { encoding: 'UTF-16BE', needle: Buffer.from(utf16).swap16() },
    { encoding: 'hex', needle: Buffer.from(hex) },
    { encoding: 'hex', needle: Buffer.from(hex.toUpperCase()) },
    ...[0, 1, 2].flatMap((offset) => base64Inside(secret, offset)),
  ];
}

/** Returns the base64 characters that encode the secret alone when it begins at this byte offset of a text. */
function base64Inside(secret: string, offset: number) {
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString('base64');
  // The first and the last character also encode bits of the neighbouring bytes.
  const own = encoded.slice(offset === 0 ? 0 : offset + 1).replace(/.?=+$/, '');
  const urlSafe = own.replaceAll('+', '-').replaceAll('/', '_');
  return [own, urlSafe].map((text) => ({ encoding: 'base64', needle: Buffer.from(text) }));
}

/** Every value of every table that is not the system's. */
export async function readDatabase(db: Database): Promise<Evidence[]> {
  const tables = await sql<{ schema: string; name: string }>`
    SELECT schemaname AS schema, tablename AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`.execute(db);
  return Promise.all(
    tables.rows.map(async ({ schema, name }) => {
      const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(`${schema}.${name}`)}`.execute(db);
      const values = rows.flatMap((row) => Object.values(row).map(bytesOf));
      return { place: `table ${schema}.${name}`, bytes: Buffer.concat(values) };
    }),
  );
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return Buffer.from(`${text}\n`);
}

/** Every file below a folder, as it is and without the line breaks that mails put into long lines. */
export function readFolder(folder: string): Evidence[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const bytes = readIfThere(path);
      if (!bytes) return [];
      const unfolded = Buffer.from(bytes.toString('latin1').replaceAll(/=?\r?\n/g, ''), 'latin1');
      return [
        { place: `file ${path}`, bytes },
        { place: `file ${path}, unfolded`, bytes: unfolded },
      ];
    });
}

/** Undefined for a folder, and for a file that the shop has renamed or removed since the folder was read. */
function readIfThere(path: string): Buffer | undefined {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
