import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/**
 * One JSON line an event. Requests are not logged, and nothing of a body or a header ever is; of an error only what is
 * named here, because drivers hang whole rows and answers on theirs.
 */
export function createLog(destination?: DestinationStream): FastifyBaseLogger {
  const options = { level: 'info', serializers: { err: loggableError, req: loggableRequest } };
  return destination ? pino(options, destination) : pino(options);
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
