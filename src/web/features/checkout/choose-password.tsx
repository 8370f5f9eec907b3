import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import type { CheckoutStatus } from '../../../shared/orders.ts';
import { messageOf } from '../../lib/api-client.ts';
import { passwordLimit, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { PAYMENT_FAILED } from './card/card-entry.ts';
import { finishOrder, mayPass, type PlacedOrder } from './place-order.ts';

const choice = z
  .object(passwordPair('Please provide a password to create your account'))
  .check(passwordsMatch);

interface ChoosePasswordProps {
  checkout: CheckoutStatus;
  onPlaced: (order: PlacedOrder) => Promise<void>;
}

export function ChoosePassword({ checkout, onPlaced }: ChoosePasswordProps) {
  const { email } = checkout;
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState } = useForm<z.infer<typeof choice>>({
    resolver: standardSchemaResolver(choice),
    mode: 'onTouched',
    defaultValues: { password: '', confirmPassword: '' },
  });

  const finish = handleSubmit(async ({ password }) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      await onPlaced(await finishOrder(email, password));
    } catch (failure) {
      const message = messageOf(failure, PAYMENT_FAILED);
      setProblem(mayPass(failure) ? `Your payment is safe. ${message}` : message);
    }
  });

  return (
    <form
      noValidate
      onSubmit={(event) => void finish(event)}
      className="grid w-full max-w-form gap-4 text-left"
    >
      <p className="text-sm text-muted">
        Your account: <strong className="wrap-anywhere text-ink">{email}</strong>
      </p>
      {/* Tells password managers whose password this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        {...passwordLimit}
        {...register('password', {
          deps: formState.touchedFields.confirmPassword ? ['confirmPassword'] : [],
        })}
        label="Password"
        autoComplete="new-password"
        required
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
        Finish order
      </Button>
    </form>
  );
}
