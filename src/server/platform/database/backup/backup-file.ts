import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import * as z from 'zod/mini';
import { HOUR_MS } from '../../../../shared/durations.ts';
import { tryParseJson } from '../../../../shared/try-parse-json.ts';
import { flushFolder } from '../../crypto/named-keys.ts';
import { reasonOf, StartError } from '../../system-errors.ts';

// File format: gzip. The first line is the manifest. The tables follow, each as blocks in COPY's text format. Each
// block is preceded by a line with its length in bytes; a line `0` ends the table. The last line is the seal.

const manifestSchema = z.object({
  kedaiBackup: z.literal(1),
  takenAt: z.iso.datetime(),
  shopVersion: z.string(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** The names of the master keys that wrap the data keys, each with its fingerprint; never a key. */
  masterKeys: z.array(z.object({ id: z.string(), fingerprint: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() })),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

const sealSchema = z.object({ tables: z.record(z.string(), z.object({ rows: z.int() })), sha256: z.string() });

export interface BackupTable {
  name: string;
  /** In COPY's text format. */
  content: AsyncIterable<Buffer>;
  /** Returns the number of rows. Valid only after `content` has ended. */
  rows(): number;
}

/** Yields the uncompressed bytes of a backup. Calls `onTable` after each complete table. */
export async function* writeBackup(
  manifest: BackupManifest,
  tables: AsyncIterable<BackupTable>,
  onTable: (table: { name: string; rows: number }) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  const line = (text: string | number) => Buffer.from(`${text}\n`);
  yield hashed(line(JSON.stringify(manifest)));
  const sealed: Record<string, { rows: number }> = {};
  for await (const { name, content, rows } of tables) {
    for await (const block of content) {
      yield hashed(line(block.length));
      yield hashed(block);
    }
    yield hashed(line(0));
    sealed[name] = { rows: rows() };
    onTable({ name, rows: rows() });
  }
  yield line(JSON.stringify({ tables: sealed, sha256: hash.digest('hex') }));
}

// Encrypted bytes as hexadecimal digits shrink to half at any level, so the fastest level is used.
const LEVEL = 1;

/** Compresses a backup into a file, which gets its name only when complete and on the disk. `-` is standard output. */
export async function storeBackup(file: string, bytes: AsyncGenerator<Buffer>): Promise<void> {
  const content = Readable.from(bytes, { objectMode: false });
  const zip = createGzip({ level: LEVEL });
  if (file === '-') return pipeline(content, zip, process.stdout, { end: false }).catch(refuseUnwritten);
  // Run by root, the rename would replace a device such as /dev/null.
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false)
    throw new StartError(`${file} is not a file: name one for the backup, or - for the standard output.`);
  removeAbandonedDrafts(file);
  // Not the process id, which is the same in every container.
  const draft = `${file}.${randomUUID()}.part`;
  const removeDraft = () => rmSync(draft, { force: true });
  // The command turns a signal into an exit.
  process.on('exit', removeDraft);
  try {
    await pipeline(content, zip, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    renameSync(draft, file);
    flushFolder(dirname(file));
  } catch (error) {
    removeDraft();
    return refuseUnwritten(error);
  } finally {
    process.off('exit', removeDraft);
  }
}

/** Throws StartError when the disk or the reader of the standard output took no more; else the error itself. */
function refuseUnwritten(error: unknown): never {
  if (!['write', 'fsync'].includes(Object(error).syscall)) throw error;
  throw new StartError(`The backup cannot be written (${reasonOf(error)}): make space, or choose another place.`, {
    cause: error,
  });
}

// A running backup writes continuously, except while it waits for the database.
const ABANDONED_AFTER_MS = HOUR_MS;

/** Removes the drafts that killed backups of the same name have left. */
function removeAbandonedDrafts(file: string): void {
  const start = `${basename(file)}.`;
  for (const name of readdirSync(dirname(file))) {
    if (!name.startsWith(start) || !/^[\da-f-]+\.part$/.test(name.slice(start.length))) continue;
    const path = join(dirname(file), name);
    const written = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (written < Date.now() - ABANDONED_AFTER_MS) rmSync(path, { force: true });
  }
}

export interface OpenedBackup {
  manifest: BackupManifest;
  /** Yields the content of the next table. The caller must read it to its end. */
  nextTable(): AsyncGenerator<Buffer>;
  /** Returns the number of rows of each table, after the last one. Throws StartError for a file that was changed. */
  checkSeal(): Promise<Map<string, number>>;
}

const refused = (problem: string, cause?: unknown) =>
  new StartError(`The backup ${problem}. Nothing was changed: use another copy of it.`, { cause });

/** Opens a backup and reads its manifest. Throws StartError, like the returned functions, for an incomplete file. */
export async function openBackup(path: string): Promise<OpenedBackup> {
  const hash = createHash('sha256');
  const reader = createReader(path, hash);
  const first = manifestSchema.safeParse(tryParseJson(await reader.line()));
  if (!first.success) throw refused('is not one that this version of the shop can read');
  return {
    manifest: first.data,
    async *nextTable() {
      for (;;) {
        const length = Number(await reader.line());
        if (!Number.isSafeInteger(length) || length < 0) throw refused('was changed');
        if (length === 0) return;
        yield* reader.bytes(length);
      }
    },
    async checkSeal() {
      const sha256 = hash.copy().digest('hex');
      const seal = sealSchema.safeParse(tryParseJson(await reader.line()));
      if (!seal.success || seal.data.sha256 !== sha256) throw refused('was changed');
      // Read the file to its end, where gzip stores the checksum of the content.
      if (!(await reader.isAtEnd())) throw refused('was changed');
      return new Map(Object.entries(seal.data.tables).map(([name, { rows }]) => [name, rows]));
    },
  };
}

function createReader(path: string, hash: Hash) {
  // An error has the whole path, because a command does not run in the operator's folder.
  const file = createReadStream(resolve(path));
  const unzipped = createGunzip();
  file.on('error', (error) => unzipped.destroy(error));
  const chunks = file.pipe(unzipped)[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function read(): Promise<boolean> {
    try {
      const { done, value } = await chunks.next();
      if (done) return false;
      rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
      return true;
    } catch (error) {
      if (Object(error).syscall !== undefined) throw refused(`cannot be read (${reasonOf(error)})`, error);
      throw refused('is not whole, or was changed', error);
    }
  }

  function take(length: number): Buffer {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    hash.update(taken);
    return taken;
  }

  return {
    /** Returns the next line without its line feed. */
    async line(): Promise<string> {
      for (;;) {
        const end = rest.indexOf('\n');
        if (end !== -1) return take(end + 1).toString('utf8', 0, end);
        if (!(await read())) throw refused('is not whole');
      }
    },
    async *bytes(length: number): AsyncGenerator<Buffer> {
      for (let left = length; left > 0; ) {
        if (rest.length === 0 && !(await read())) throw refused('is not whole');
        const block = take(Math.min(left, rest.length));
        left -= block.length;
        yield block;
      }
    },
    isAtEnd: async () => rest.length === 0 && !(await read()),
  };
}
