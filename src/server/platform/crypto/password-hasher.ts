import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createLimiter } from '../limiter.ts';

// OWASP's first choice for argon2id (the library's default variant): 19 MiB, two passes, one lane.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

// Hashing is the most expensive thing a stranger can ask for.
const CONCURRENT = 2;
const WAITING = 64;
// For holders, beside those: whoever is signed in, has paid, has a valid link or uses a known device.
const RESERVED = 64;

/** Every method throws AppError BUSY when too many wait. A named `holder` has reserved places and goes first. */
export interface PasswordHasher {
  /** An argon2id hash in PHC form. */
  hash(password: string, holder?: string): Promise<string>;
  /** Null, for an account without a password or no account at all, is false after the same work. */
  verify(passwordHash: string | null, password: string, holder?: string): Promise<boolean>;
}

export function createPasswordHasher(): PasswordHasher {
  const limited = createLimiter(CONCURRENT, WAITING, RESERVED);
  const dummy = dummyHash();
  return {
    hash: (password, holder) => limited(() => hash(normalized(password), COST), holder),
    verify: (passwordHash, password, holder) =>
      limited(async () => (await verify(passwordHash ?? dummy, normalized(password))) && passwordHash !== null, holder),
  };
}

/** The same password from another keyboard may come in another Unicode form (NIST SP 800-63B section 3.1.1.2). */
const normalized = (password: string): string => password.normalize('NFKC');

/** No known password fits it: salt and hash are both random. */
function dummyHash(): string {
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '');
  const { memoryCost, timeCost, parallelism } = COST;
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$${base64(16)}$${base64(32)}`;
}
