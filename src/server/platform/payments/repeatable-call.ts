import { isKeyMismatch, isRefusal, repeatedFailure, toShopError } from './stripe-errors.ts';

// Each step past the first is a call that failed before and whose failure the provider has kept.
const MAX_KEYS = 5;

/**
 * Calls the provider with an idempotency key so that repeating is safe and yet gets somewhere. For a day the provider
 * repeats its first answer to a key, a failure as well as a success; so after a repeated failure, and after a refusal,
 * `standing` looks at what is true now, and only if the aim is not reached the call is made under a further key. That
 * key follows from the failed request, so that callers who repeat at once still agree on it.
 */
export async function callRepeatably<T>(options: {
  key: string;
  call: (idempotencyKey: string) => Promise<T>;
  /** What the call was to bring about, if it is so by now. */
  standing: () => Promise<T | undefined>;
  /** The further key when this one was used for another request; without it that is an error of ours. */
  keyOnMismatch?: string;
}): Promise<T> {
  let key = options.key;
  let failure: unknown;
  for (let used = 0; used < MAX_KEYS; used += 1) {
    try {
      return await options.call(key);
    } catch (error) {
      failure = error;
    }
    const furtherKey = keyAfter(failure, options);
    if (furtherKey === undefined && !isRefusal(failure)) throw toShopError(failure);
    const standing = await options.standing();
    if (standing !== undefined) return standing;
    if (furtherKey === undefined) throw toShopError(failure);
    key = furtherKey;
  }
  throw toShopError(failure);
}

function keyAfter(failure: unknown, options: { key: string; keyOnMismatch?: string }): string | undefined {
  if (isKeyMismatch(failure)) return options.keyOnMismatch;
  const failedRequest = repeatedFailure(failure);
  return failedRequest && `${options.key}/${failedRequest}`;
}
