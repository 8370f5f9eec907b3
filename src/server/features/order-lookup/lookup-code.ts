import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import { LOOKUP_CODE_LENGTH } from '../../../shared/order-lookup.ts';
import type { Config } from '../../config.ts';

type Keys = Pick<Config, 'jwtKeys'>;

/** A one-time code of six digits, each as likely as the others. */
export const randomCode = (): string =>
  String(randomInt(10 ** LOOKUP_CODE_LENGTH)).padStart(LOOKUP_CODE_LENGTH, '0');

/**
 * HMAC-SHA-256 of a code with the lookup it belongs to, the only form in which it is stored. A million codes are soon
 * tried, so it takes a key that is not in the database.
 */
export function hashCode({ jwtKeys }: Keys, lookupId: string, code: string): Buffer {
  return hashWith(jwtKeys[0].key, lookupId, code);
}

/** In constant time, and under every key that is still valid. */
export function isRightCode({ jwtKeys }: Keys, lookupId: string, code: string, hash: Buffer): boolean {
  return jwtKeys.filter(({ key }) => timingSafeEqual(hashWith(key, lookupId, code), hash)).length > 0;
}

const hashWith = (key: Buffer, lookupId: string, code: string) =>
  createHmac('sha256', key).update(`order-lookup|${lookupId}|${code}`).digest();
