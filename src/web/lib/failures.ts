import { CallError, messageOf } from './api-client.ts';

// Not in api-client.ts, which every page loads first.

/** Whether nothing exists at a path. Status 400 means that an id in the path is malformed. */
export const isNotFound = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status === 404 || failure.status === 400);

/** The message for what could not be read by the id in a path, as in `Order not found`. */
export const messageOfRead = (failure: unknown, what: string, errorMessage: string): string =>
  isNotFound(failure) ? `${what} not found` : messageOf(failure, errorMessage);

/**
 * Whether the shop rejected a form because its idempotency key was used before with other values. The form then needs a
 * new key.
 */
export const isSentBefore = (failure: unknown): boolean => failure instanceof CallError && failure.field === 'draft';

/**
 * Whether the shop's response was lost, in the network (0, or cut off) or at a proxy (502, 504). The call may have been
 * carried out.
 */
export const isAnswerLost = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status < 400 || failure.status > 500);
