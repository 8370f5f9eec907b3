import * as z from 'zod/mini';
import { timestamp } from './text.ts';

/** Every way a call can fail on purpose; the server maps each to one HTTP status. */
export const errorCodes = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INVALID_CREDENTIALS',
  'INVALID_CODE',
  'TWO_FACTOR_ENABLED',
  'TWO_FACTOR_NOT_SET_UP',
  'EMAIL_TAKEN',
  'FORBIDDEN',
  'REAUTHENTICATION_REQUIRED',
  'REGISTRATION_CLOSED',
  'NOT_FOUND',
  'ORDER_MISMATCH',
  'PRICE_CHANGED',
  'PRODUCT_UNAVAILABLE',
  'OUT_OF_STOCK',
  'HOLD_LIMIT',
  'REPEAT_ORDER',
  'EDIT_CONFLICT',
  'SAME_NAME',
  'TRANSITION_REFUSED',
  'REFUND_REFUSED',
  'ITEM_NOT_AVAILABLE',
  'LAST_ADMIN',
  'ACCOUNT_BLOCKED',
  'IMAGE_REFUSED',
  'PAYMENT_NOT_CONFIRMED',
  'PAYMENT_MISMATCH',
  'LINK_INVALID',
  'WEBHOOK_INVALID',
  'BODY_TOO_LARGE',
  'RATE_LIMITED',
  'BUSY',
  'PAYMENT_PROVIDER_UNAVAILABLE',
  'DATABASE_UNAVAILABLE',
  'INTERNAL',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export const errorBody = z.object({
  success: z.literal(false),
  code: z.enum(errorCodes),
  message: z.string(),
  /** Names the log lines that belong to this answer. */
  requestId: z.string(),
  /** The path of the input that was refused, as in `orderItems.0.quantity`. */
  field: z.optional(z.string()),
  /** What may be done instead. */
  allowed: z.optional(z.array(z.string())),
  /** Of REPEAT_ORDER: when the same was bought, or its payment began. */
  orderedAt: z.optional(timestamp),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** An expected failure. Its message is written for the person at the screen. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  /** When asking again makes sense, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** What may be done instead. */
  readonly allowed: readonly string[] | undefined;
  readonly orderedAt: Date | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    field?: string,
    hints: { retryAfterSeconds?: number; allowed?: readonly string[]; orderedAt?: Date } = {},
  ) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.field = field;
    this.retryAfterSeconds = hints.retryAfterSeconds;
    this.allowed = hints.allowed;
    this.orderedAt = hints.orderedAt;
  }
}
