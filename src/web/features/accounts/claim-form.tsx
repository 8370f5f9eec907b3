import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { CallError, call, messageOf } from '../../lib/api-client.ts';
import { passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { useSession } from '../../state/session.tsx';
import { Button } from '../../ui/button.tsx';
import { FormPage, FormProblem } from '../../ui/form-page.tsx';
import { PasswordField } from '../../ui/password-field.tsx';

const choice = z.object(passwordPair('Please provide a password for your account')).check(passwordsMatch);

const LINK_OVER =
  'If you have set your password already, just sign in. Otherwise write to us, and we will help.';

export function ClaimForm({ claimToken }: { claimToken: string }) {
  const { signIn } = useSession();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState } = useForm<z.infer<typeof choice>>({
    resolver: standardSchemaResolver(choice),
    mode: 'onTouched',
    defaultValues: { password: '', confirmPassword: '' },
  });

  const claim = handleSubmit(async ({ password }) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      signIn(await call('claimAccount', { body: { claimToken, password } }));
      await navigate('/orders', { replace: true });
    } catch (failure) {
      const message = messageOf(failure, 'Verification failed');
      const isOver = failure instanceof CallError && failure.code === 'LINK_INVALID';
      setProblem(isOver ? `${message}. ${LINK_OVER}` : message);
    }
  });

  return (
    <FormPage
      title="Open your order"
      lead="By opening the link we mailed you, you have shown that this address is yours. Choose a password, and your orders are open to you."
    >
      <form noValidate onSubmit={(event) => void claim(event)} className="grid gap-4">
        <PasswordField
          {...register('password', {
            deps: formState.touchedFields.confirmPassword ? ['confirmPassword'] : [],
          })}
          label="New Password"
          autoComplete="new-password"
          required
          hint="At least 6 characters. Other devices are signed out."
          error={formState.errors.password?.message}
        />
        <PasswordField
          {...register('confirmPassword')}
          label="Confirm Password"
          autoComplete="new-password"
          required
          error={formState.errors.confirmPassword?.message}
        />
        <FormProblem>{problem}</FormProblem>
        <Button type="submit" size="lg" loading={formState.isSubmitting}>
          Set password and sign in
        </Button>
      </form>
    </FormPage>
  );
}
