import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { normalizePassword } from '../../../shared/passwords.ts';
import { createLimiter } from '../limiter.ts';

// OWASP's first choice for argon2id (the library's default variant): 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Hashing is the most expensive work that a stranger can cause, hence the limits.
const CONCURRENT = 2;
const WAITING = 64;
// Additional places for holders: callers who are signed in, have paid, or have a valid link or a known device.
const RESERVED = 64;

/** Every method throws AppError BUSY when too many calls wait. For a named `holder`, see createLimiter. */
export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/** Only tests give a lower cost. */
export function createPasswordHasher(cost = COST) {
  const limited = createLimiter(CONCURRENT, WAITING, RESERVED);
  const dummy = dummyHash(cost);
  return {
    /** An argon2id hash in PHC form. */
    hash: (password: string, holder?: string) => limited(() => hash(normalizePassword(password), cost), holder),
    /** Compares a password with its hash. For null (no account, or no password) returns false after the same work. */
    verify: (passwordHash: string | null, password: string, holder?: string) =>
      limited(() => verify(passwordHash ?? dummy, normalizePassword(password)), holder),
  };
}

/** Creates a hash that no password matches: its salt and hash are random. */
function dummyHash({ memoryCost, timeCost, parallelism }: typeof COST): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`;
}
