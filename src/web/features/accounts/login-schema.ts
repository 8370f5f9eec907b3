import * as z from 'zod/mini';
import { emailField } from '../../lib/form-fields.ts';

export const loginForm = z.object({
  email: emailField,
  password: z.string().check(z.minLength(1, 'Please enter your password')),
  rememberMe: z.boolean(),
});
export type LoginForm = z.infer<typeof loginForm>;
