import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'react-router';
import * as z from 'zod/mini';
import { orderLookupBody } from '../../../shared/order-lookup.ts';
import { call, messageOf } from '../../lib/api-client.ts';
import { emailField, emailLimit } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormPage, FormProblem } from '../../ui/form-page.tsx';

const details = z.object({
  email: emailField,
  orderNumber: z.string().check(
    z.trim(),
    z.minLength(1, { error: 'Please enter your order number', abort: true }),
    z.refine(
      (value) => orderLookupBody.shape.orderNumber.safeParse(value).success,
      'An order number has 8 characters: the digits 0 to 9 and the letters A to F',
    ),
  ),
});

/** What was asked for, and the name of the question: the code answers that one. */
export interface Lookup extends z.infer<typeof details> {
  lookupId: string;
}

interface LookupFormProps {
  /** What was asked for before. */
  lookup: Lookup | null;
  onAsked(lookup: Lookup): void;
}

export function LookupForm({ lookup, onAsked }: LookupFormProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState } = useForm<z.infer<typeof details>>({
    resolver: standardSchemaResolver(details),
    mode: 'onTouched',
    defaultValues: { email: lookup?.email ?? '', orderNumber: lookup?.orderNumber ?? '' },
  });

  const ask = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const { data } = await call('POST /order-lookup/guest', { body });
      onAsked({ ...body, ...data });
    } catch (failure) {
      setProblem(messageOf(failure, 'Verification failed'));
    }
  });

  return (
    <FormPage
      title="Find my order"
      lead="Without signing in: we mail you a code, and with it you open the order here."
    >
      <form noValidate onSubmit={(event) => void ask(event)} className="grid gap-4">
        <Field
          {...register('email')}
          {...emailLimit}
          label="Email"
          type="email"
          autoComplete="email"
          spellCheck={false}
          required
          hint="The one you bought with."
          error={formState.errors.email?.message}
        />
        <Field
          {...register('orderNumber')}
          label="Order number"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
          hint="8 characters, as in the subject of your order's mail."
          className="tabular uppercase"
          error={formState.errors.orderNumber?.message}
        />
        <FormProblem>{problem}</FormProblem>
        <Button type="submit" size="lg" loading={formState.isSubmitting}>
          Send the code
        </Button>
      </form>
      <p className="text-center text-muted">
        Have a password?{' '}
        <Link to="/login" state={{ from: '/orders' }} className="font-semibold text-accent-ink underline">
          Sign In
        </Link>
      </p>
    </FormPage>
  );
}
