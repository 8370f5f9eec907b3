import { hostname } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { createLineWriter, type LineWriter, standardOutput } from './line-writer.ts';

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
  return {
    type: name,
    message,
    code,
    constraint,
    stack,
    ...(cause !== undefined && { cause: loggableError(cause) }),
  };
}
