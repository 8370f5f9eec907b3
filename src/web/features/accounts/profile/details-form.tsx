import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ComponentProps, useEffect, useState } from 'react';
import { type FieldPath, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { DEFAULT_COUNTRY, typedAddress, type User } from '../../../../shared/accounts.ts';
import { line } from '../../../../shared/text.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { emailField } from '../../../lib/form-fields.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';

const details = z.object({
  name: line(100).check(z.minLength(1, 'Please enter your name')),
  email: emailField,
  phone: line(40),
  address: typedAddress,
});
type Details = z.infer<typeof details>;

interface FieldOfDetails extends ComponentProps<'input'> {
  name: FieldPath<Details>;
  label: string;
}

const fields: FieldOfDetails[] = [
  { name: 'name', label: 'Name', autoComplete: 'name', required: true, maxLength: 100 },
  { name: 'email', label: 'Email', type: 'email', autoComplete: 'email', spellCheck: false, required: true },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', maxLength: 40 },
  { name: 'address.street', label: 'Street', autoComplete: 'street-address', maxLength: 200 },
  { name: 'address.city', label: 'City', autoComplete: 'address-level2', maxLength: 100 },
  { name: 'address.state', label: 'State', autoComplete: 'address-level1', maxLength: 100 },
  { name: 'address.zipCode', label: 'Zip Code', autoComplete: 'postal-code', maxLength: 20 },
  { name: 'address.country', label: 'Country', autoComplete: 'country-name', maxLength: 100 },
];

function detailsOf({ name, email, phone, address }: User): Details {
  return { name, email, phone, address: { ...address, country: address.country || DEFAULT_COUNTRY } };
}

interface DetailsFormProps {
  user: User;
  /** `pendingEmail` is the new address that its owner has yet to confirm. */
  onSaved(pendingEmail: string | null): void;
  onCancel(): void;
}

export function DetailsForm({ user, onSaved, onCancel }: DetailsFormProps) {
  const { signIn } = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  const { register, handleSubmit, formState, getFieldState, setError, setFocus } = useForm<Details>({
    resolver: standardSchemaResolver(details),
    mode: 'onTouched',
    defaultValues: detailsOf(user),
  });

  useEffect(() => setFocus('name'), [setFocus]);

  const save = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const { data, token, pendingEmail } = await call('updateDetails', { body });
      signIn({ token, user: data });
      onSaved(pendingEmail);
    } catch (failure) {
      const message = messageOf(failure, 'Failed to update profile');
      const refused = fields.find(({ name }) => failure instanceof CallError && name === failure.field);
      if (refused) setError(refused.name, { message }, { shouldFocus: true });
      else setProblem(message);
    }
  });

  return (
    <form noValidate onSubmit={(event) => void save(event)} className="grid gap-4">
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {fields.map(({ name, ...field }) => (
          <Field
            key={name}
            {...field}
            {...register(name)}
            error={getFieldState(name, formState).error?.message}
          />
        ))}
      </div>
      <FormProblem>{problem}</FormProblem>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" loading={formState.isSubmitting}>
          Save Changes
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
