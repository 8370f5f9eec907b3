import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { useMemo } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import type { User } from '../../../shared/accounts.ts';
import { personName, phone } from '../../../shared/text.ts';
import { emailLimit, maxLengthOf, passwordLimit } from '../../lib/form-fields.ts';
import { Field } from '../../ui/field.tsx';
import { EmailField, NewPasswordFields } from '../../ui/text-fields.tsx';
import { readContactDraft, writeContactDraft } from './contact-draft.ts';
import { type Contact, customerContact, guestContact } from './contact-schema.ts';

/** The contact form, with this tab's draft or the details of the signed-in `user`. */
export function useContactForm(user: User | null) {
  const owner = user?._id ?? 'guest';
  const { name = '', email = '', phone = '' } = user ?? {};
  const values = useMemo<Contact>(() => {
    const draft = readContactDraft(owner) ?? { name, email, phone };
    return { name: draft.name, email: draft.email, phone: draft.phone, password: '', confirmPassword: '' };
  }, [owner, name, email, phone]);
  const form = useForm<Contact>({
    resolver: standardSchemaResolver(user ? customerContact : guestContact),
    mode: 'onTouched',
    values,
    resetOptions: { keepDirtyValues: true },
  });
  return { form, saveDraft: () => writeContactDraft(owner, form.getValues()) };
}

interface ContactFieldsProps {
  form: UseFormReturn<Contact>;
  /** Guests also choose a password. */
  guest: boolean;
  readOnly: boolean;
  /** Called when a suggested e-mail was accepted, which fires no input event. */
  onSuggestion(): void;
}

export function ContactFields({ form, guest, readOnly, onSuggestion }: ContactFieldsProps) {
  const { register, formState } = form;
  const fieldOf = (name: keyof Contact) => ({ ...register(name), error: formState.errors[name]?.message, readOnly });

  return (
    <fieldset className="grid gap-4">
      <legend className="mb-4 text-lg font-semibold">Contact Information</legend>
      <Field {...fieldOf('name')} label="Full Name" autoComplete="name" maxLength={maxLengthOf(personName)} required />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <EmailField
          {...fieldOf('email')}
          {...emailLimit}
          onTake={(email) => {
            form.setValue('email', email, { shouldDirty: true, shouldValidate: true });
            onSuggestion();
          }}
          label="Email"
          autoComplete="email"
          required
          hint="We send your receipt here."
        />
        <Field
          {...fieldOf('phone')}
          label="Phone"
          type="tel"
          autoComplete="tel"
          maxLength={maxLengthOf(phone)}
          optional
        />
      </div>
      {guest && (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <NewPasswordFields
            fields={form}
            {...passwordLimit}
            readOnly={readOnly}
            hint="At least 6 characters: your purchase makes your account."
          />
        </div>
      )}
    </fieldset>
  );
}
