import { CallError } from './api-client.ts';

// Not in api-client.ts, which every page loads first.

/** Whether there is nothing at a path. Status 400: an id in the path is malformed. */
export const isNotFound = (failure: unknown): boolean =>
  failure instanceof CallError && (failure.status === 404 || failure.status === 400);

/** Whether the shop refused a form that it got before with the same idempotency key and other values: it needs a new key. */
export const isSentBefore = (failure: unknown): boolean => failure instanceof CallError && failure.field === 'draft';
