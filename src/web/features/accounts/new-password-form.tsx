import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { PasswordField } from '../../ui/password-field.tsx';

const choice = z.object(passwordPair('Please provide a password for your account')).check(passwordsMatch);

interface NewPasswordFormProps {
  submitLabel: string;
  onChosen(password: string): Promise<void>;
  problem: ReactNode;
}

/** A new password, typed twice, by somebody who came by a mailed link. */
export function NewPasswordForm({ submitLabel, onChosen, problem }: NewPasswordFormProps) {
  const { register, handleSubmit, formState } = useForm<z.infer<typeof choice>>({
    resolver: standardSchemaResolver(choice),
    mode: 'onTouched',
    defaultValues: { password: '', confirmPassword: '' },
  });
  const choose = handleSubmit(async ({ password }) => {
    if (!formState.isSubmitting) await onChosen(password);
  });
  return (
    <form noValidate onSubmit={(event) => void choose(event)} className="grid gap-4">
      <PasswordField
        {...passwordLimit}
        {...register('password', {
          deps: formState.touchedFields.confirmPassword ? ['confirmPassword'] : [],
        })}
        label="New Password"
        autoComplete="new-password"
        required
        hint="At least 6 characters. It takes the place of any earlier one, and other devices are signed out."
        error={formState.errors.password?.message}
      />
      <PasswordField
        {...passwordLimit}
        {...register('confirmPassword')}
        label="Confirm Password"
        autoComplete="new-password"
        required
        error={formState.errors.confirmPassword?.message}
      />
      <FormProblem>{problem}</FormProblem>
      <Button type="submit" size="lg" loading={formState.isSubmitting}>
        {submitLabel}
      </Button>
    </form>
  );
}
