import { AppError } from '../../../shared/errors.ts';

export const tooManyRequests = (retryAfterMs: number): AppError =>
  new AppError('RATE_LIMITED', 'Please wait a moment before trying again', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)),
  });
