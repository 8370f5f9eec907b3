import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ComponentProps, useEffect, useState } from 'react';
import { type FieldPath, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { DEFAULT_COUNTRY, typedAddress, type User } from '../../../../shared/accounts.ts';
import { personName, phone } from '../../../../shared/text.ts';
import { CallError, call, messageOf } from '../../../lib/api-client.ts';
import { emailField, emailLimit, filled, maxLengthOf } from '../../../lib/form-fields.ts';
import { useSession } from '../../../state/session.tsx';
import { Button } from '../../../ui/button.tsx';
import { EmailField } from '../../../ui/email-field.tsx';
import { Field } from '../../../ui/field.tsx';
import { FormProblem } from '../../../ui/form-page.tsx';

const details = z.object({
  name: filled('Please enter your name', personName),
  email: emailField,
  phone,
  address: typedAddress,
});
type Details = z.infer<typeof details>;

interface FieldOfDetails extends ComponentProps<'input'> {
  name: FieldPath<Details>;
  label: string;
}

const { street, city, state, zipCode, country } = typedAddress.shape;
const limit = (text: z.ZodMiniType) => ({ maxLength: maxLengthOf(text) });

const fields: FieldOfDetails[] = [
  { name: 'name', label: 'Name', autoComplete: 'name', required: true, ...limit(personName) },
  { name: 'email', label: 'Email', autoComplete: 'email', required: true, ...emailLimit },
  { name: 'phone', label: 'Phone', type: 'tel', autoComplete: 'tel', ...limit(phone) },
  { name: 'address.street', label: 'Street', autoComplete: 'street-address', ...limit(street) },
  { name: 'address.city', label: 'City', autoComplete: 'address-level2', ...limit(city) },
  { name: 'address.state', label: 'State', autoComplete: 'address-level1', ...limit(state) },
  { name: 'address.zipCode', label: 'Zip Code', autoComplete: 'postal-code', ...limit(zipCode) },
  { name: 'address.country', label: 'Country', autoComplete: 'country-name', ...limit(country) },
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
  const { register, handleSubmit, formState, getFieldState, setError, setFocus, setValue } = useForm<Details>(
    {
      resolver: standardSchemaResolver(details),
      mode: 'onTouched',
      defaultValues: detailsOf(user),
    },
  );

  useEffect(() => setFocus('name'), [setFocus]);

  const save = handleSubmit(async (body) => {
    if (formState.isSubmitting) return;
    setProblem(null);
    try {
      const { data, token, pendingEmail } = await call('PUT /auth/updatedetails', { body });
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
        {fields.map(({ name, ...field }) => {
          const props = { ...field, ...register(name), error: getFieldState(name, formState).error?.message };
          if (name !== 'email') return <Field key={name} {...props} />;
          const take = (email: string) => setValue(name, email, { shouldDirty: true, shouldValidate: true });
          return <EmailField key={name} {...props} onTake={take} />;
        })}
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
