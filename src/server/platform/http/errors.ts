import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorBody, type ErrorCode, httpStatusOf } from '../../../shared/errors.ts';
import { plural, waitInWords } from '../../../shared/format.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { errorCodeOf, reasonOf } from '../system-errors.ts';
import { html } from './html.ts';
import { loggableRequest } from './http-server.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by sendError() when the request was turned away (503). */
    turnedAwayBy?: ErrorCode;
  }
}

const RETRY_AFTER_SECONDS = 2;
const UNREADABLE = 'The request could not be read';
export const unreadable = (): AppError => new AppError('VALIDATION_FAILED', UNREADABLE);

// Codes of the static file server for a path outside of its folder, and for a path that is too long.
const noFile = new Set(['FST_STATIC_FORBIDDEN_PATH', 'ENAMETOOLONG']);

/** Converts an error for the response: expected failures stay unchanged, other errors lose their internal details. */
function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = errorCodeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new AppError('BODY_TOO_LARGE', 'The request is too large');
  if (noFile.has(code)) return new AppError('NOT_FOUND', 'There is nothing at this address');
  if (isClientFault(error)) return unreadable();
  if (error instanceof DatabaseUnavailable) {
    return new AppError('DATABASE_UNAVAILABLE', 'The shop is busy. Please try again in a moment.');
  }
  return new AppError('INTERNAL', 'Something went wrong on our side. Please try again.');
}

// Fastify's own errors: invalid JSON, an unknown media type, an invalid URL, an aborted body. The static file server
// marks its own as exposable: a condition of the request that does not hold.
function isClientFault(error: unknown): boolean {
  const { statusCode = 500, expose = false } = (error ?? {}) as { statusCode?: number; expose?: boolean };
  return (/^(FST_ERR|ECONNRESET)/.test(errorCodeOf(error)) || expose) && statusCode >= 400 && statusCode < 500;
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = publicError(error);
  const status = httpStatusOf[failure.code];
  if (status === 503) {
    request.turnedAwayBy = failure.code;
    // The client retries; under load, a stack trace for each request would hide other errors.
    const reason = reasonOf(failure.cause ?? error);
    request.log.warn({ ...loggableRequest(request, reply), status, code: failure.code, reason }, 'request turned away');
  } else if (status >= 500) {
    request.log.error({ ...loggableRequest(request, reply), status, err: error, code: failure.code }, 'request failed');
  }
  const body: ErrorBody = {
    success: false,
    code: failure.code,
    message: failure.message,
    requestId: request.id,
    ...(failure.field === undefined ? {} : { field: failure.field }),
    ...(failure.allowed === undefined ? {} : { allowed: [...failure.allowed] }),
    ...(failure.orderedAt === undefined ? {} : { orderedAt: failure.orderedAt.toISOString() }),
  };
  const isTransient = status === 503 || status === 429;
  const retryAfterSeconds = isTransient ? (failure.retryAfterSeconds ?? RETRY_AFTER_SECONDS) : undefined;
  if (isTransient) reply.header('Retry-After', retryAfterSeconds);
  // An error is shown, and not saved under the name of the file that it replaces.
  reply.status(status).header('Cache-Control', 'no-store').removeHeader('Content-Disposition');
  if (!wantsPage(request)) return reply.type('application/json').send(body);
  const page = errorPage({ status, message: failure.message, requestId: request.id, retryAfterSeconds });
  return reply.type('text/html; charset=utf-8').send(page);
}

// Node's codes of a request or of headers that take too long. Others are no HTTP, except an unknown Expect header.
const statusOfUnparsed: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  UNKNOWN_EXPECTATION: 417,
};

/** Answers bytes that are no HTTP request. No hook runs for them, so the headers of every response are added here. */
export function refuseUnparsed({ code }: { code: string }, socket: Socket, headers: Record<string, string>): void {
  if (code !== 'ECONNRESET' && socket.writable) {
    const status = statusOfUnparsed[code] ?? 400;
    const failure = { code: 'VALIDATION_FAILED', message: UNREADABLE, requestId: randomUUID() } as const;
    const body = JSON.stringify({ success: false, ...failure } satisfies ErrorBody);
    const sent = {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': body.length,
      'cache-control': 'no-store',
      connection: 'close',
    };
    const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  }
  socket.destroy();
}

const titles: Partial<Record<number, string>> = {
  404: 'There is nothing at this address',
  429: 'Please wait a moment',
  503: 'The shop is busy',
};

/** Tells whether a browser opens a page. Calls of the API get JSON whatever their Accept header. */
export function wantsPage({ method, headers, url }: FastifyRequest): boolean {
  const isPage = !/^\/api(\/|\?|$)/.test(url) && (method === 'GET' || method === 'HEAD');
  return isPage && (headers.accept ?? '').includes('text/html');
}

/** An error page that loads nothing else, because the shop may be busy or limit this visitor. */
function errorPage(failure: {
  status: number;
  message: string;
  requestId: string;
  retryAfterSeconds: number | undefined;
}): string {
  const { status, message, requestId, retryAfterSeconds } = failure;
  const title = titles[status] ?? (status >= 500 ? 'Something went wrong' : 'This page cannot be shown');
  const when = retryAfterSeconds === undefined ? '' : ` You can try again in ${inWords(retryAfterSeconds)}.`;
  // The same request gets the same answer to a client's fault, except after a wait.
  const isRepeatable = status >= 500 || retryAfterSeconds !== undefined;
  const way = isRepeatable ? html`<a href="">Try again</a>` : html`<a href="/">Back to the shop</a>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${message.replace(/\.?$/, '.')}${when}</p>
<p>${way}</p>
<p><small>Request ${requestId}</small></p>
</main>
</body>
</html>
`.markup;
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} ${plural(seconds, 'second')}`;
  return waitInWords(seconds);
}
