import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ComponentProps, useMemo } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { DEFAULT_COUNTRY, type User } from '../../../shared/accounts.ts';
import type { AddressCountry } from '../../../shared/shipping.ts';
import { personName, phone } from '../../../shared/text.ts';
import { addressLimits, emailLimit, maxLengthOf, passwordLimit } from '../../lib/form-fields.ts';
import { AddressFields } from '../../ui/address-fields.tsx';
import { Card } from '../../ui/display.tsx';
import { EmailField, Field, NewPasswordFields } from '../../ui/input.tsx';
import { GUEST, readContactDraft, type TypedAnswers, writeContactDraft } from './contact-draft.ts';
import { type Contact, contactSchema } from './contact-schema.ts';

const noAddress = { street: '', city: '', state: '', zipCode: '', country: '' };
const noCountry: AddressCountry = { code: '', name: '', states: null, hasPostcode: false, isShippedTo: false };

/**
 * The contact form, filled with this tab's draft or the details of the signed-in `user`. `countries`: the countries to
 * which the shop ships; undefined for an order without parcels, and while they load.
 */
export function useContactForm(user: User | null, countries: readonly AddressCountry[] | undefined) {
  const owner = user?._id ?? GUEST;
  const { name = '', email = '', phone = '' } = user ?? {};
  const { street, city, state, zipCode, country } = user?.address ?? noAddress;
  const values = useMemo<Contact>(() => {
    const ownAddress = { street, city, state, zipCode, country: country || DEFAULT_COUNTRY };
    const typed = readContactDraft(owner) ?? { name, email, phone, address: ownAddress };
    return {
      ...{ name: typed.name, email: typed.email, phone: typed.phone, password: '', confirmPassword: '' },
      address: countries ? choosable(typed.address, countries) : typed.address,
    };
  }, [owner, name, email, phone, street, city, state, zipCode, country, countries]);
  const form = useForm<Contact>({
    resolver: (...input) => {
      const chosen = countries && (findCountry(countries, input[0].address.country) ?? noCountry);
      return standardSchemaResolver(contactSchema(user === null, chosen))(...input);
    },
    mode: 'onTouched',
    values,
    resetOptions: { keepDirtyValues: true },
  });
  return {
    form,
    draft: {
      readAnswers: () => readContactDraft(owner)?.answers,
      save: (answers: TypedAnswers) => writeContactDraft(owner, { ...form.getValues(), answers }),
    },
  };
}

const isSameText = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase();

export const findCountry = (countries: readonly AddressCountry[], country: string) =>
  countries.find(({ name }) => isSameText(name, country));

/** Converts the country and state of an address to options of their selects; empty if there is no such option. */
function choosable(address: Contact['address'], countries: readonly AddressCountry[]): Contact['address'] {
  const { name = '', states } = findCountry(countries, address.country) ?? {};
  const state = states ? (states.find((known) => isSameText(known, address.state)) ?? '') : address.state;
  return { ...address, state, country: name };
}

interface ContactFieldsProps {
  form: UseFormReturn<Contact>;
  /** Guests also choose a password. */
  guest: boolean;
  readOnly: boolean;
  /** Called when the buyer accepts a suggested e-mail, which fires no input event. */
  onSuggestion(): void;
}

export function ContactFields({ form, guest, readOnly, onSuggestion }: ContactFieldsProps) {
  const { register, formState } = form;
  const fieldOf = (name: 'name' | 'email' | 'phone') => ({
    ...register(name),
    error: formState.errors[name]?.message,
    readOnly,
  });

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
          hint="We write to you here about your order."
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

interface ShippingFieldsProps
  extends Pick<ComponentProps<typeof AddressFields>, 'countries' | 'country' | 'readOnly' | 'onChosen'> {
  form: UseFormReturn<Contact>;
}

export function ShippingFields({ form, ...address }: ShippingFieldsProps) {
  const addressForm = {
    fieldOf: (name: keyof Contact['address']) => ({
      ...form.register(`address.${name}`),
      error: form.formState.errors.address?.[name]?.message,
    }),
    stateNow: () => form.getValues('address.state'),
    clearState: () => {
      form.setValue('address.state', '');
      address.onChosen?.();
    },
    limits: addressLimits,
  };
  return (
    <Card className="p-5 sm:p-6">
      <AddressFields {...address} legend="Shipping Address" form={addressForm} isRequired />
    </Card>
  );
}
