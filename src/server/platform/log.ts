import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';
import { openStandardOutput } from './line-writer.ts';

/**
 * One JSON line per event. A request's path, body and headers are never logged. Only the fields below of an error are
 * logged, because drivers attach whole rows and responses to their errors.
 */
export const createLog = (destination: DestinationStream = openStandardOutput()): FastifyBaseLogger =>
  pino({ level: 'info', serializers: { err: loggableError, req: ({ id, method }) => ({ id, method }) } }, destination);

function loggableError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, code, constraint, stack, ...(cause !== undefined && { cause: loggableError(cause) }) };
}
