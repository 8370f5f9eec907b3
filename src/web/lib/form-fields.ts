import * as z from 'zod/mini';
import { newPassword } from '../../shared/passwords.ts';
import { email } from '../../shared/text.ts';

/** An e-mail address as a form asks for it. */
export const emailField = z.string().check(
  z.trim(),
  z.minLength(1, { error: 'Please enter your email', abort: true }),
  z.refine((value) => email.safeParse(value).success, 'Please enter a valid email address'),
);

/** The two fields in which a new password is chosen, for a form's schema; see `passwordsMatch`. */
export function passwordPair(whenMissing: string) {
  const provided = z.string().check(z.minLength(1, whenMissing));
  return { password: z.pipe(provided, newPassword), confirmPassword: provided };
}

interface Pair {
  password: string;
  confirmPassword: string;
}

/** Said at the second field, and as soon as both are typed: zod would wait until every other field is right. */
export const passwordsMatchOr = (error: string) =>
  z.refine<Pair>((pair) => pair.password === pair.confirmPassword, {
    path: ['confirmPassword'],
    error,
    when: ({ value }) => {
      const pair = value as Partial<Pair>;
      return Boolean(pair.password) && Boolean(pair.confirmPassword);
    },
  });

export const passwordsMatch = passwordsMatchOr('Passwords do not match');
