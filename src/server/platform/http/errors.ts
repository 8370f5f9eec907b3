import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorBody, type ErrorCode } from '../../../shared/errors.ts';
import { DatabaseUnavailable, reasonOf } from '../database/database-errors.ts';
import { errorPage, wantsPage } from './error-page.ts';

export const statusOf: Record<ErrorCode, number> = {
  VALIDATION_FAILED: 400,
  WEBHOOK_INVALID: 400,
  LINK_INVALID: 400,
  IMAGE_REFUSED: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  INVALID_CODE: 401,
  PAYMENT_NOT_CONFIRMED: 402,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  REGISTRATION_CLOSED: 403,
  ACCOUNT_BLOCKED: 403,
  NOT_FOUND: 404,
  TWO_FACTOR_ENABLED: 409,
  TWO_FACTOR_NOT_SET_UP: 409,
  EMAIL_TAKEN: 409,
  ORDER_MISMATCH: 409,
  PRICE_CHANGED: 409,
  PRODUCT_UNAVAILABLE: 409,
  OUT_OF_STOCK: 409,
  HOLD_LIMIT: 409,
  REPEAT_ORDER: 409,
  PAYMENT_MISMATCH: 409,
  EDIT_CONFLICT: 409,
  SAME_NAME: 409,
  TRANSITION_REFUSED: 409,
  REFUND_REFUSED: 409,
  ITEM_NOT_AVAILABLE: 409,
  LAST_ADMIN: 409,
  BODY_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  BUSY: 503,
  PAYMENT_PROVIDER_UNAVAILABLE: 503,
  DATABASE_UNAVAILABLE: 503,
  INTERNAL: 500,
};

const RETRY_AFTER_SECONDS = 2;

// What serving files says of an address that climbs out of their folder, or that is too long for any file.
const noFile = new Set(['FST_STATIC_FORBIDDEN_PATH', 'ENAMETOOLONG']);

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** What the caller is told: expected failures as they are, everything else without any detail of ours. */
function publicError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = codeOf(error);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new AppError('BODY_TOO_LARGE', 'The request is too large');
  if (noFile.has(code)) return new AppError('NOT_FOUND', 'There is nothing at this address');
  if (isClientFault(error)) return new AppError('VALIDATION_FAILED', 'The request could not be read');
  if (error instanceof DatabaseUnavailable) {
    return new AppError('DATABASE_UNAVAILABLE', 'The shop is busy. Please try again in a moment.');
  }
  return new AppError('INTERNAL', 'Something went wrong on our side. Please try again.');
}

// Fastify's own refusals: a body that is no JSON, an unknown media type, a bad URL, a body that was broken off.
function isClientFault(error: unknown): boolean {
  const status = (error as FastifyError | null)?.statusCode;
  return /^(FST_ERR|ECONNRESET)/.test(codeOf(error)) && status !== undefined && status >= 400 && status < 500;
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = publicError(error);
  const status = statusOf[told.code];
  if (status === 503) {
    // The caller comes again; a stack for each of a rush would hide what matters.
    request.log.warn({ code: told.code, reason: reasonOf(told.cause ?? error) }, 'request turned away');
  } else if (status >= 500) request.log.error({ err: error, code: told.code }, 'request failed');
  const body: ErrorBody = {
    success: false,
    code: told.code,
    message: told.message,
    requestId: request.id,
    ...(told.field === undefined ? {} : { field: told.field }),
    ...(told.allowed === undefined ? {} : { allowed: [...told.allowed] }),
    ...(told.orderedAt === undefined ? {} : { orderedAt: told.orderedAt.toISOString() }),
  };
  const mayPass = status === 503 || status === 429;
  const retryAfterSeconds = mayPass ? (told.retryAfterSeconds ?? RETRY_AFTER_SECONDS) : undefined;
  if (mayPass) reply.header('Retry-After', retryAfterSeconds);
  reply.status(status).header('Cache-Control', 'no-store');
  if (!wantsPage(request)) return reply.type('application/json').send(body);
  const page = errorPage(request, {
    status,
    message: told.message,
    requestId: request.id,
    retryAfterSeconds,
  });
  return reply.type('text/html; charset=utf-8').send(page);
}
