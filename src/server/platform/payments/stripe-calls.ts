import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Stripe } from 'stripe';
import type * as z from 'zod/mini';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Clock } from '../database/database-clock.ts';
import { type OnUnreadable, PaymentRefused } from './payments.ts';

// Each further key follows a failure that the provider has stored and replayed.
const MAX_CHAINED_KEYS = 5;
// A longer outage uses up all these keys, whose failures are replayed for a day; one more changes every ten minutes.
const LAST_KEY_LASTS_MS = 10 * MINUTE_MS;

/**
 * Makes a call with an idempotency key. For a day the provider replays its first response to a key, even a failure. So
 * after a replayed failure or a rejection, `findDone` reads the current state. If the call has had no effect, a
 * replayed failure is followed by a call with a further key. That key is derived from the failed request (the last key
 * from the time), so that concurrent callers use the same key. Throws the errors of toShopError().
 */
export async function callRepeatably<T>(options: {
  key: string;
  call: (idempotencyKey: string) => Promise<T>;
  /** Returns the result if an earlier call had its effect. */
  findDone: () => Promise<T | undefined>;
  /** The key to use if `key` was used for a different request; without it, this is an internal error. */
  keyOnMismatch?: string;
  clock: Clock;
}): Promise<T> {
  let key = options.key;
  let failure: unknown;
  for (let used = 1; used <= MAX_CHAINED_KEYS + 1; used += 1) {
    try {
      return await options.call(key);
    } catch (error) {
      failure = error;
    }
    const furtherKey = keyAfter(failure, options);
    if (furtherKey === undefined && !isRejection(failure)) break;
    const done = await options.findDone();
    if (done !== undefined) return done;
    if (furtherKey === undefined) break;
    const turn = Math.floor(options.clock.now().getTime() / LAST_KEY_LASTS_MS);
    key = used < MAX_CHAINED_KEYS ? furtherKey : `${options.key}/turn-${turn}`;
  }
  throw toShopError(failure);
}

function keyAfter(failure: unknown, options: { key: string; keyOnMismatch?: string }): string | undefined {
  if (failure instanceof Stripe.errors.StripeIdempotencyError) return options.keyOnMismatch;
  if (!(failure instanceof Stripe.errors.StripeError) || !wasReplayed(failure.headers)) return undefined;
  return `${options.key}/${failure.headers?.['original-request'] ?? 'again'}`;
}

/** Tells whether the response is the stored one of an earlier request with the same idempotency key. */
export const wasReplayed = (headers: { [name: string]: unknown } | undefined) =>
  headers?.['idempotent-replayed'] === 'true';

// Rejected, but retryable, e.g. when the balance at the provider is too low today.
const transientCodes = new Set(['balance_insufficient', 'lock_timeout', 'rate_limit', 'idempotency_key_in_use']);

/** True for a final rejection; false if the provider is unreachable, busy, broken or wrongly configured. */
function isRejection(error: unknown): boolean {
  const rejected =
    error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
  return rejected && !transientCodes.has(error.code ?? '');
}

/**
 * Converts an error of the provider to PaymentRefused, to AppError PAYMENT_PROVIDER_UNAVAILABLE or, for a key that was
 * used for two different requests, to an internal error. An error of the shop stays unchanged. Any other error comes
 * from a response that is not the provider's, e.g. of a proxy, for which the SDK has no error.
 */
function toShopError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof PaymentRefused) return error;
  if (!(error instanceof Stripe.errors.StripeError)) return unavailable(error);
  if (isRejection(error)) return new PaymentRefused(error.decline_code || error.code || error.type, error.message);
  const cause = withoutResponse(error);
  if (error instanceof Stripe.errors.StripeIdempotencyError) {
    return new Error('An idempotency key was used for two requests', { cause });
  }
  return unavailable(cause);
}

function unavailable(cause: unknown): AppError {
  const message = 'Payments are not available at the moment. Please try again in a minute.';
  return Object.assign(new AppError('PAYMENT_PROVIDER_UNAVAILABLE', message), { cause });
}

// The SDK's error contains the whole response with client secrets, which a log could print.
function withoutResponse({ type, statusCode, code, detail, requestId }: Stripe.errors.StripeError): Error {
  const networkCode =
    typeof detail === 'object' && detail !== null && 'code' in detail ? String(detail.code) : undefined;
  const parts = [type, statusCode, code, networkCode, requestId];
  return new Error(`Stripe: ${parts.filter((part) => part !== undefined).join(' ')}`);
}

/**
 * Wraps the SDK's client, whose own checks are not enough: a response that is JSON and no object, e.g. `"ok"` of a proxy,
 * would end the process, because nobody can catch the SDK's error. Its timeout begins again with each byte.
 */
export function checkedClient(client: Stripe.HttpClient, bodyMs: number): Stripe.HttpClient {
  const makeRequest: Stripe.HttpClient['makeRequest'] = async (...request) => {
    const response = await client.makeRequest(...request);
    const readBody = response.toJSON.bind(response);
    response.toJSON = async () => {
      const { promise: isLate, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        reject(new Error('the response did not end in time'));
        // Otherwise it would go on, and be kept in memory.
        const raw = response.getRawResponse();
        if (raw instanceof Readable) raw.destroy();
      }, bodyMs);
      const body: unknown = await Promise.race([readBody(), isLate]).finally(() => clearTimeout(timer));
      if (Object(body) !== body) throw new Error('the response is no JSON object');
      return body;
    };
    return response;
  };
  return { getClientName: () => client.getClientName(), makeRequest };
}

/**
 * Creates a lookup of host names that asks once for all calls that wait for the same name. Node asks for two names at a
 * time: while the name service does not answer, calls of the provider would leave no turn to the name of the database.
 */
export function createSharedLookup(ask: LookupFunction = lookup): LookupFunction {
  const waiting = new Map<string, Parameters<LookupFunction>[2][]>();
  return (host, options, callback) => {
    const question = JSON.stringify([host, options]);
    const others = waiting.get(question);
    if (others) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(question, callbacks);
    ask(host, options, (...answer) => {
      waiting.delete(question);
      for (const call of callbacks) call(...answer);
    });
  };
}

/** Makes a call that changes nothing. Throws as toShopError() says. */
export async function read<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toShopError(error);
  }
}

/** Reads a list, which the SDK fetches page by page. Throws as toShopError() says. */
export async function* readAll<T>(list: () => AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* list();
  } catch (error) {
    throw toShopError(error);
  }
}

/** Converts the entries of a list. Skips an entry whose conversion fails if `onUnreadable` is given. */
export async function* convertAll<T extends { id: string }, R>(
  entries: AsyncIterable<T>,
  convert: (entry: T) => R,
  onUnreadable: OnUnreadable | undefined,
): AsyncIterable<R> {
  for await (const entry of entries) {
    let converted: R;
    try {
      converted = convert(entry);
    } catch (error) {
      if (!onUnreadable) throw error;
      onUnreadable(error, entry.id);
      continue;
    }
    yield converted;
  }
}

/** Parameters of a list of what was created since then, in pages of the largest size. */
export const listSince = (since: Date) => ({ created: { gte: Math.floor(since.getTime() / 1_000) }, limit: MAX_PAGE });

/** Parameters of a list of what belongs to a payment intent. */
export const listOf = (intentId: string) => ({ payment_intent: intentId, limit: MAX_PAGE });

const MAX_PAGE = 100;

/** The id of an object that the provider may have expanded. */
export const idOf = (object: string | { id: string }): string => (typeof object === 'string' ? object : object.id);

/** Returns a status that the shop knows. Throws PAYMENT_PROVIDER_UNAVAILABLE for any other, or none. */
export function knownStatus<T extends string>(known: readonly T[], status: string): T {
  const found = known.find((candidate) => candidate === status);
  if (found === undefined) throw unavailable(new Error(`The payment provider answered an unknown status: ${status}`));
  return found;
}

/**
 * Returns an object of the provider. Throws PAYMENT_PROVIDER_UNAVAILABLE if it lacks a field that the shop reads: without
 * its amount, a refund would count as nothing.
 */
export function whole<T>(object: T, fields: z.ZodMiniType<object>): T {
  const { error } = fields.safeParse(object);
  if (!error) return object;
  throw unavailable(new Error(`The payment provider answered without ${error.issues[0]?.path.join('.')}`));
}
