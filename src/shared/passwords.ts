import * as z from 'zod/mini';

export const PASSWORD_MIN_LENGTH = 6;
export const ADMIN_PASSWORD_MIN_LENGTH = 12;
const PASSWORD_MAX_LENGTH = 200;
const TOO_LONG = `Password must be at most ${PASSWORD_MAX_LENGTH} characters`;

// The most common leaked passwords of at least six characters.
const common = new Set(
  (
    '123456 1234567 12345678 123456789 1234567890 111111 000000 123123 654321 666666 121212 112233 555555 777777 ' +
    '888888 999999 222222 131313 123321 987654321 147258 159753 102030 123654 696969 password password1 password12 ' +
    'password123 passw0rd p@ssw0rd p@ssword qwerty qwerty1 qwerty12 qwerty123 qwertyuiop qazwsx 1q2w3e 1q2w3e4r ' +
    '1q2w3e4r5t 1qaz2wsx zaq12wsx asdfgh asdfghjkl zxcvbn zxcvbnm abc123 abcdef abcd1234 a123456 aa123456 123abc ' +
    'letmein welcome welcome1 iloveyou admin1 admin123 administrator monkey dragon master sunshine princess football ' +
    'baseball superman batman shadow michael jordan hunter trustno1 whatever starwars pokemon freedom secret login1 ' +
    'default changeme google computer internet samsung killer charlie donald jessica ashley nicole daniel andrew ' +
    'cheese banana summer winter flower lovely liverpool chelsea arsenal malaysia kuala lumpur sayang'
  ).split(' '),
);

/**
 * Normalises a password before it is checked and hashed, because different keyboards may send the same one in different
 * Unicode forms (NIST SP 800-63B section 3.1.1.2).
 */
export const normalizePassword = (password: string): string => password.normalize('NFKC');

/** In code points: a letter may be two code units. */
export const lengthOfPassword = (password: string): number => [...normalizePassword(password)].length;

/** A new password: form and server check its length and reject the most common passwords. */
export const newPassword = z
  .string()
  .check(
    // First, because the time to normalise a text is quadratic in the number of accents of a letter.
    z.maxLength(PASSWORD_MAX_LENGTH, { error: TOO_LONG, abort: true }),
    z.refine(
      (value) => lengthOfPassword(value) >= PASSWORD_MIN_LENGTH,
      `Password must be at least ${PASSWORD_MIN_LENGTH} characters`,
    ),
    z.refine(
      (value) => !common.has(normalizePassword(value).toLowerCase()),
      'This password is too common, please choose another',
    ),
  )
  // For the description of the calls, which cannot say that normalised characters are counted.
  .register(z.globalRegistry, { minLength: PASSWORD_MIN_LENGTH });

/** A password typed to sign in. Only its length is limited, so that passwords chosen under older rules keep working. */
export const typedPassword = z
  .string()
  .check(z.minLength(1, 'is required'), z.maxLength(PASSWORD_MAX_LENGTH, TOO_LONG));
