import { fstatSync, write } from 'node:fs';
import { hostname } from 'node:os';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { MINUTE_MS } from '../../shared/durations.ts';

/**
 * One JSON line per event. A request's path, body and headers are never logged. Only the fields below of an error are
 * logged, because drivers attach whole rows and responses to their errors.
 */
export function createLog(destination: DestinationStream = openStandardOutput()): FastifyBaseLogger {
  const serializers = { err: loggableError, req: ({ id, method }: FastifyRequest) => ({ id, method }) };
  const logMethod = limitRepeats((omitted) => log.warn(omitted, 'Lines of a repeated failure were left out'));
  const log = pino({ level: 'info', serializers, hooks: { logMethod } }, destination);
  return log;
}

/** Lines with the same message and the same cause, in a minute: enough to see what they are about. */
const REPEATS_PER_MINUTE = 10;

/**
 * Leaves out further lines of a failure that repeats, e.g. for each request while the database is away, and writes their
 * number after the minute. Alerts, and lines without a cause, are always written.
 */
function limitRepeats(writeOmitted: (omitted: { lines: number; like: string; reason: string }) => void) {
  const counts = new Map<string, number>();
  return function logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn): void {
    const [about, message] = args as unknown as [{ alert?: unknown; reason?: string; err?: Error } | string, string];
    const { alert, err, reason = err?.message } = Object(about);
    const isLimited = alert === undefined && reason !== undefined;
    const key = `${message} ${reason}`;
    const count = (counts.get(key) ?? 0) + 1;
    if (!isLimited || count <= REPEATS_PER_MINUTE) write.apply(this, args);
    if (!isLimited) return;
    counts.set(key, count);
    if (count > 1) return;
    const endMinute = () => {
      const lines = (counts.get(key) ?? 0) - REPEATS_PER_MINUTE;
      counts.delete(key);
      if (lines > 0) writeOmitted({ lines, like: message, reason });
    };
    setTimeout(endMinute, MINUTE_MS).unref();
  };
}

/** Runs work about one thing. A failure is logged and not thrown, so that it does not stop the work on the others. */
export async function logFailure(
  { log }: { log: FastifyBaseLogger },
  about: { orderId: string | null },
  failure: string,
  work: () => Promise<unknown>,
): Promise<void> {
  await work().catch((error: unknown) => log.error({ err: error, ...about }, failure));
}

function loggableError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, code, constraint, stack, ...(cause !== undefined && { cause: loggableError(cause) }) };
}

/** Writes lines in the background and drops those that fail, so that no caller waits or fails because of the log. */
interface LineWriter {
  /** The line ends with a newline. */
  write(line: string): void;
  /** Resolves when every line is written or dropped, after `limitMs` at the latest. */
  flush(limitMs: number): Promise<void>;
}

/** Writes as many of the bytes as possible. `done` gets their number: all of them, unless there is an error. */
export type Sink = (bytes: Buffer, done: (error: Error | null | undefined, written: number) => void) => void;

const QUEUE_LIMIT_BYTES = 1024 * 1024;
const RETRY_MS = 1_000;
const BUSY_MS = 50;
const NEWLINE = '\n'.charCodeAt(0);

/** Creates a writer that drops and counts lines that cannot be written. The next good line is `lossNotice`. */
export function createLineWriter(
  sink: Sink,
  options: { lossNotice: (lines: number) => string; retryMs?: number },
): LineWriter {
  const { lossNotice, retryMs = RETRY_MS } = options;
  let queue: string[] = [];
  let queuedBytes = 0;
  let isWriting = false;
  let lost = 0;
  /** True if a notice was written since the queue was last empty; the next one waits, so that lines get through. */
  let isNoticeWritten = false;
  /** The last write failed in the middle of a line. */
  let isMidLine = false;
  let retry: NodeJS.Timeout | undefined;
  let flushing: (() => void)[] = [];

  function writeNext(): void {
    if (isWriting) return;
    const isNoticeDue = queue.length > 0 ? !isNoticeWritten : retry === undefined;
    const reported = isNoticeDue ? lost : 0;
    const line = reported > 0 ? lossNotice(reported) : queue.shift();
    if (queue.length === 0) isNoticeWritten = false;
    if (line === undefined) {
      for (const resolve of flushing) resolve();
      flushing = [];
      return;
    }
    if (reported === 0) queuedBytes -= Buffer.byteLength(line);
    const bytes = Buffer.from(isMidLine ? `\n${line}` : line);
    isWriting = true;
    sink(bytes, (error, written) => {
      isWriting = false;
      if (written > 0) isMidLine = bytes[written - 1] !== NEWLINE;
      if (error) dropAll(reported > 0 ? 0 : 1);
      else {
        lost -= reported;
        isNoticeWritten ||= reported > 0;
      }
      writeNext();
    });
  }

  /** Drops and counts the queued lines. The next line tries again; the timer is for a shop that logs no more. */
  function dropAll(inFlight: number): void {
    lost += inFlight + queue.length;
    queue = [];
    queuedBytes = 0;
    retry ??= setTimeout(() => {
      retry = undefined;
      writeNext();
    }, retryMs).unref();
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
      writeNext();
    },
    flush: (limitMs) =>
      new Promise((resolve) => {
        const limit = setTimeout(resolve, limitMs);
        flushing.push(() => {
          clearTimeout(limit);
          resolve();
        });
        writeNext();
      }),
  };
}

/** Standard output, for the log and for plain lines between those of the log. */
export const openStandardOutput = (): LineWriter =>
  createLineWriter(standardOutput(), {
    lossNotice: (lines) => {
      const msg = `${lines} log lines could not be written`;
      const line = { level: 40, time: Date.now(), pid: process.pid, hostname: hostname(), lines, msg };
      return `${JSON.stringify(line)}\n`;
    },
  });

/**
 * Returns a sink for the standard output. A pipe is written through its stream, which does not block; a file or a
 * terminal by asynchronous writes.
 */
function standardOutput(): Sink {
  const { fd } = process.stdout;
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) {
    // The callback of each write handles the error.
    process.stdout.on('error', () => undefined);
    return (bytes, done) => process.stdout.write(bytes, (error) => done(error, error ? 0 : bytes.length));
  }
  const writeFile = (bytes: Buffer, done: Parameters<Sink>[1], from = 0): void => {
    write(fd, bytes, from, (error, written) => {
      // A terminal or a device temporarily accepts no more bytes.
      if (error?.code === 'EAGAIN') setTimeout(() => writeFile(bytes, done, from), BUSY_MS);
      else if (error) done(error, from);
      else if (from + written === bytes.length) done(null, bytes.length);
      else writeFile(bytes, done, from + written);
    });
  };
  return writeFile;
}
