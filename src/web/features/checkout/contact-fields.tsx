import type { UseFormReturn } from 'react-hook-form';
import { Field } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import type { Contact } from './contact-schema.ts';

interface ContactFieldsProps {
  form: UseFormReturn<Contact>;
  /** Guests also choose a password. */
  guest: boolean;
  readOnly: boolean;
}

export function ContactFields({ form, guest, readOnly }: ContactFieldsProps) {
  const { register, formState } = form;
  const fieldOf = (name: keyof Contact, deps: (keyof Contact)[] = []) => ({
    ...register(name, { deps }),
    error: formState.errors[name]?.message,
    readOnly,
  });
  // The two passwords are one answer: mending the first may mend the second.
  const sameAnswer: (keyof Contact)[] = formState.touchedFields.confirmPassword ? ['confirmPassword'] : [];

  return (
    <fieldset className="grid gap-4">
      <legend className="mb-4 text-lg font-semibold">Contact Information</legend>
      <Field {...fieldOf('name')} label="Full Name" autoComplete="name" required />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          {...fieldOf('email')}
          label="Email"
          type="email"
          autoComplete="email"
          spellCheck={false}
          required
          hint="We send your receipt here."
        />
        <Field {...fieldOf('phone')} label="Phone" type="tel" autoComplete="tel" optional />
      </div>
      {guest && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <PasswordField
            {...fieldOf('password', sameAnswer)}
            label="Password"
            autoComplete="new-password"
            required
            hint="At least 6 characters: your purchase makes your account."
          />
          <PasswordField
            {...fieldOf('confirmPassword')}
            label="Confirm Password"
            autoComplete="new-password"
            required
          />
        </div>
      )}
    </fieldset>
  );
}
