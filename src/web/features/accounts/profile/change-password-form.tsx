import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useEffect, useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import type { User } from '../../../../shared/accounts.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { passwordLimit, passwordPair, passwordsMatchOr } from '../../../lib/form-fields.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';
import { PasswordField } from '../../../ui/password-field.tsx';

const change = z
  .object({
    currentPassword: z.string().check(z.minLength(1, 'Please enter your current password')),
    ...passwordPair('Please enter a new password'),
  })
  .check(passwordsMatchOr('New passwords do not match'));

export function ChangePasswordForm({ user, onChanged }: { user: User; onChanged(): void }) {
  const { signIn } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState, setError, setFocus } = useForm<z.infer<typeof change>>({
    resolver: standardSchemaResolver(change),
    mode: 'onTouched',
    defaultValues: { currentPassword: '', password: '', confirmPassword: '' },
  });

  useEffect(() => setFocus('currentPassword'), [setFocus]);

  const save = handleSubmit(async ({ currentPassword, password }) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const body = { currentPassword, newPassword: password };
      const { token } = await call('PUT /auth/updatepassword', { body });
      signIn({ token, user });
      onChanged();
    } catch (failure) {
      const message = messageOf(failure, 'Failed to update password');
      const field = failure instanceof CallError ? failure.field : undefined;
      if (field === 'currentPassword') setError(field, { message }, { shouldFocus: true });
      else if (field === 'newPassword') setError('password', { message }, { shouldFocus: true });
      else setProblem(message);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void save(event)} className="grid gap-4">
      {/* Tells password managers whose password this is. */}
      <input type="email" autoComplete="username" value={user.email} readOnly hidden />
      <PasswordField
        {...passwordLimit}
        {...register('currentPassword')}
        label="Current Password"
        autoComplete="current-password"
        required
        error={formState.errors.currentPassword?.message}
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <PasswordField
          {...passwordLimit}
          {...register('password', {
            deps: formState.touchedFields.confirmPassword ? ['confirmPassword'] : [],
          })}
          label="New Password"
          autoComplete="new-password"
          required
          error={formState.errors.password?.message}
        />
        <PasswordField
          {...passwordLimit}
          {...register('confirmPassword')}
          label="Confirm New Password"
          autoComplete="new-password"
          required
          error={formState.errors.confirmPassword?.message}
        />
      </div>
      <FormProblem>{problem}</FormProblem>
      <Button type="submit" loading={formState.isSubmitting} className="justify-self-start">
        Update Password
      </Button>
    </form>
  );
}
