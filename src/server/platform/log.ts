import { fstatSync, write } from 'node:fs';
import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** Standard output for the log, and for plain lines between its own. */
export function openStandardOutput(): LineWriter {
  return createLineWriter(standardOutput(), {
    lossNotice: (lines) => {
      const msg = `${lines} log lines could not be written`;
      const line = { level: 40, time: Date.now(), pid: process.pid, hostname: hostname(), lines, msg };
      return `${JSON.stringify(line)}\n`;
    },
  });
}

/**
 * One JSON line an event. Requests are not logged, and nothing of a body or a header ever is; of an error only what is
 * named here, because drivers hang whole rows and answers on theirs.
 */
export function createLog(destination: DestinationStream = openStandardOutput()): FastifyBaseLogger {
  return pino({ level: 'info', serializers: { err: loggableError, req: loggableRequest } }, destination);
}

const loggableRequest = ({ id, method }: { id: string; method: string }) => ({ id, method });

function loggableError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, code, constraint, stack, ...(cause !== undefined && { cause: loggableError(cause) }) };
}

/** Writes lines without making anybody wait, and without an error when they cannot be written. */
export interface LineWriter {
  /** The line ends with a newline. */
  write(line: string): void;
  /** Resolves when all that was written is out or lost, after `limitMs` at the latest. */
  flush(limitMs: number): Promise<void>;
}

/** Hands on as much as it can; the callback gets the number of bytes that are out, all of them unless there is an error. */
export type Sink = (bytes: Buffer, done: (error: Error | null | undefined, written: number) => void) => void;

const QUEUE_LIMIT_BYTES = 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
const RETRY_MS = 1_000;
const BUSY_MS = 50;

/**
 * What cannot be written, on a full disk or for a reader that stands still, is dropped and counted. As soon as
 * something can be written again, `lossNotice` goes first: a line that tells the number.
 */
export function createLineWriter(
  sink: Sink,
  options: { lossNotice: (lines: number) => string; retryMs?: number },
): LineWriter {
  const { lossNotice, retryMs = RETRY_MS } = options;
  const queue: string[] = [];
  let queuedBytes = 0;
  let busy = false;
  let lost = 0;
  let midLine = false;
  let retry: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();

  function pump(): void {
    if (busy) return;
    if (queue.length === 0 && (lost === 0 || retry !== undefined)) {
      for (const resolve of waiting) resolve();
      waiting.clear();
      return;
    }
    const lines = takeChunk();
    const told = lost;
    const notice = told > 0 ? [lossNotice(told)] : [];
    // What was cut off in the middle of a line by the error before.
    const parts = [midLine ? '\n' : '', ...notice, ...lines].map((part) => Buffer.from(part));
    const bytes = Buffer.concat(parts);
    busy = true;
    sink(bytes, (error, written) => {
      busy = false;
      const complete = countComplete(parts, written) - 1;
      if (written > 0) midLine = bytes[written - 1] !== NEWLINE;
      if (notice.length > 0 && complete >= notice.length) lost -= told;
      if (error) fail(lines.length - Math.max(0, complete - notice.length));
      pump();
    });
  }

  function fail(lines: number): void {
    lost += lines;
    // Lines that come meanwhile try for themselves; this is for a shop that has nothing more to say.
    retry ??= setTimeout(() => {
      retry = undefined;
      pump();
    }, retryMs).unref();
  }

  function takeChunk(): string[] {
    let bytes = 0;
    const end = queue.findIndex((line) => {
      bytes += Buffer.byteLength(line);
      return bytes > CHUNK_BYTES;
    });
    const lines = queue.splice(0, end === -1 ? queue.length : Math.max(1, end));
    queuedBytes -= lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    return lines;
  }

  return {
    write: (line) => {
      const bytes = Buffer.byteLength(line);
      if (queuedBytes + bytes > QUEUE_LIMIT_BYTES) {
        lost += 1;
        return;
      }
      queue.push(line);
      queuedBytes += bytes;
      pump();
    },
    flush: (limitMs) =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, limitMs);
        waiting.add(() => {
          clearTimeout(limit);
          resolve();
        });
        pump();
      }),
  };
}

const NEWLINE = 10;

/** How many of the parts are entirely among the first `written` bytes. */
function countComplete(parts: Buffer[], written: number): number {
  let end = 0;
  const cut = parts.findIndex((part) => {
    end += part.length;
    return end > written;
  });
  return cut === -1 ? parts.length : cut;
}

/** Standard output: a pipe through its stream, which does not block; anything else by writes in the background. */
export function standardOutput(): Sink {
  const { fd } = process.stdout;
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) {
    // The callback of each write has the error.
    process.stdout.on('error', () => undefined);
    return (bytes, done) => process.stdout.write(bytes, (error) => done(error, error ? 0 : bytes.length));
  }
  const writeFile = (bytes: Buffer, done: Parameters<Sink>[1], from = 0): void => {
    write(fd, bytes, from, (error, written) => {
      // A terminal or a device that is not ready for more.
      if (error?.code === 'EAGAIN') setTimeout(() => writeFile(bytes, done, from), BUSY_MS);
      else if (error) done(error, from);
      else if (from + written === bytes.length) done(null, bytes.length);
      else writeFile(bytes, done, from + written);
    });
  };
  return writeFile;
}
