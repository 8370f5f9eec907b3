import * as z from 'zod/mini';
import { typedAddress } from '../../shared/accounts.ts';
import { newPassword } from '../../shared/passwords.ts';
import { email } from '../../shared/text.ts';

/** Returns the maximum length of a text of the contract, for the `maxLength` of a field. */
export function maxLengthOf(schema: z.ZodMiniType): number {
  const { innerType, checks = [] } = schema._zod.def as { innerType?: z.ZodMiniType } & typeof schema._zod.def;
  if (innerType) return maxLengthOf(innerType);
  for (const { _zod } of checks) {
    if (_zod.def.check === 'max_length') return (_zod.def as z.core.$ZodCheckMaxLengthDef).maximum;
  }
  throw new Error('This text has no limit');
}

export const emailLimit = { maxLength: maxLengthOf(email) };
const { street, city, state, zipCode, country } = typedAddress.shape;
const limitOf = (text: z.ZodMiniType) => ({ maxLength: maxLengthOf(text) });
export const addressLimits = {
  street: limitOf(street),
  city: limitOf(city),
  state: limitOf(state),
  zipCode: limitOf(zipCode),
  country: limitOf(country),
};
export const passwordLimit = { maxLength: maxLengthOf(newPassword) };

export const emailInput = { label: 'Email', type: 'email', spellCheck: false, required: true, ...emailLimit };
export const passwordInput = { label: 'Password', autoComplete: 'current-password', required: true, ...passwordLimit };
export const codeInput = { autoComplete: 'one-time-code', autoCapitalize: 'none', spellCheck: false, required: true };

/** A required text of the contract; `whenMissing` is the error of an empty field. */
export const filled = <Text extends z.ZodMiniType<string, string>>(whenMissing: string, text: Text) =>
  z.pipe(z.string().check(z.trim(), z.minLength(1, whenMissing)), text);

/** An e-mail address as typed: only the server converts it to lower case. */
export const emailField = z.string().check(
  z.trim(),
  z.minLength(1, { error: 'Please enter your email', abort: true }),
  z.maxLength(emailLimit.maxLength, { error: `Please enter at most ${emailLimit.maxLength} characters`, abort: true }),
  z.refine((value) => email.safeParse(value).success, 'Please enter a valid email address'),
);

/** Schemas of the two fields for a new password; the form's schema also needs the check `passwordsMatch`. */
export function passwordPair(whenMissing: string, whenUnconfirmed = whenMissing) {
  const provided = (error: string) => z.string().check(z.minLength(1, error));
  return { password: z.pipe(provided(whenMissing), newPassword), confirmPassword: provided(whenUnconfirmed) };
}

/** Reports a mismatch once both fields are filled; without `when`, zod waits for all other fields. */
export const passwordsMatchOr = (error: string) =>
  z.refine<Record<'password' | 'confirmPassword', string>>((pair) => pair.password === pair.confirmPassword, {
    path: ['confirmPassword'],
    error,
    when: ({ value }) => {
      const pair = value as { password?: string; confirmPassword?: string };
      return Boolean(pair.password) && Boolean(pair.confirmPassword);
    },
  });

export const passwordsMatch = passwordsMatchOr('Passwords do not match');
