import * as z from 'zod/mini';
import { timestamp } from './text.ts';

export const httpStatusOf = {
  VALIDATION_FAILED: 400,
  UNAUTHENTICATED: 401,
  INVALID_CREDENTIALS: 401,
  INVALID_CODE: 401,
  TWO_FACTOR_ENABLED: 409,
  TWO_FACTOR_NOT_SET_UP: 409,
  EMAIL_TAKEN: 409,
  FORBIDDEN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  REGISTRATION_CLOSED: 403,
  NOT_FOUND: 404,
  ORDER_MISMATCH: 409,
  PRICE_CHANGED: 409,
  PRODUCT_UNAVAILABLE: 409,
  SHIPPING_UNAVAILABLE: 409,
  OUT_OF_STOCK: 409,
  HOLD_LIMIT: 409,
  REPEAT_ORDER: 409,
  EDIT_CONFLICT: 409,
  SAME_NAME: 409,
  TRANSITION_REFUSED: 409,
  REFUND_REFUSED: 409,
  ITEM_NOT_AVAILABLE: 409,
  ITEM_FROZEN: 409,
  REPORT_REFUSED: 409,
  LAST_ADMIN: 409,
  ACCOUNT_BLOCKED: 403,
  IMAGE_REFUSED: 400,
  PAYMENT_NOT_CONFIRMED: 402,
  PAYMENT_MISMATCH: 409,
  LINK_INVALID: 400,
  WEBHOOK_INVALID: 400,
  BODY_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  SHOP_CLOSED: 503,
  BUSY: 503,
  PAYMENT_PROVIDER_UNAVAILABLE: 503,
  DATABASE_UNAVAILABLE: 503,
  INTERNAL: 500,
} as const;
export type ErrorCode = keyof typeof httpStatusOf;

export const errorBody = z.object({
  success: z.literal(false),
  code: z.enum(Object.keys(httpStatusOf) as ErrorCode[]),
  message: z.string(),
  /** Identifies the log lines of this request. */
  requestId: z.string(),
  /** Path of the rejected input, e.g. `orderItems.0.quantity`. */
  field: z.optional(z.string()),
  allowed: z.optional(z.array(z.string())),
  /** Only for REPEAT_ORDER: when the same goods were bought, or when their payment began. */
  orderedAt: z.optional(timestamp),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** An expected failure. The message is shown to the user. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly field: string | undefined;
  /** Seconds until a retry makes sense, if known. */
  declare readonly retryAfterSeconds?: number;
  declare readonly allowed?: readonly string[];
  declare readonly orderedAt?: Date;

  constructor(
    code: ErrorCode,
    message: string,
    field?: string,
    hints?: Pick<AppError, 'retryAfterSeconds' | 'allowed' | 'orderedAt'>,
  ) {
    super(message);
    this.code = code;
    this.field = field;
    Object.assign(this, hints);
  }
}

/**
 * Rejects a form whose idempotency key (`draft`) was used before with other values. `done` says what the earlier
 * request did. From the field `draft`, the browser knows that the form needs a new key.
 */
export const sentBefore = (code: ErrorCode, done: string): AppError =>
  new AppError(code, `An earlier try has ${done}`, 'draft');

/** Returns what was looked up. Throws NOT_FOUND when there is none. */
export function orNotFound<T>(found: T | null | undefined, message: string): T {
  if (found === null || found === undefined) throw new AppError('NOT_FOUND', message);
  return found;
}

export const isAppError = (error: unknown, ...codes: ErrorCode[]): error is AppError =>
  error instanceof AppError && codes.includes(error.code);
