import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type ComponentProps, useMemo } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { DEFAULT_COUNTRY, type User } from '../../../shared/accounts.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import type { AddressCountry } from '../../../shared/shipping.ts';
import { personName, phone } from '../../../shared/text.ts';
import { tryParseJson } from '../../../shared/try-parse-json.ts';
import { addressLimits, emailLimit, maxLengthOf, passwordLimit } from '../../lib/form-fields.ts';
import { CONTACT_DRAFT, stored } from '../../lib/storage.ts';
import { AddressFields } from '../../ui/address-fields.tsx';
import { Card } from '../../ui/display.tsx';
import { EmailField, Field, NewPasswordFields } from '../../ui/input.tsx';
import { type Contact, contactSchema } from './contact-schema.ts';

const noAddress = { street: '', city: '', state: '', zipCode: '', country: '' };
const noCountry: AddressCountry = { code: '', name: '', states: null, hasPostcode: false, isShippedTo: false };

/**
 * The contact form, filled with this tab's draft or the details of the signed-in `user`. `countries`: the countries to
 * which the shop ships; undefined for an order without parcels, and while they load.
 */
export function useContactForm(user: User | null, countries: readonly AddressCountry[] | undefined) {
  const owner = user?._id ?? GUEST;
  const values = useMemo<Contact>(() => {
    const { name = '', email = '', phone = '', address: own = noAddress } = user ?? {};
    const ownAddress = { ...own, country: own.country || DEFAULT_COUNTRY };
    const typed = readContactDraft(owner) ?? { name, email, phone, address: ownAddress };
    return {
      name: typed.name,
      email: typed.email,
      phone: typed.phone,
      password: '',
      confirmPassword: '',
      address: countries ? choosable(typed.address, countries) : typed.address,
    };
  }, [owner, user, countries]);
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

/** Typed values by product id and label of the field. */
const typedAnswers = z.record(z.string(), z.record(z.string(), z.string()));
export type TypedAnswers = z.infer<typeof typedAnswers>;

const text = z.string();
const contactDraft = z.object({
  /** A user's id, or GUEST. */
  owner: text,
  name: text,
  email: text,
  phone: text,
  address: z.object({ street: text, city: text, state: text, zipCode: text, country: text }),
  answers: typedAnswers,
  /** In milliseconds since 1970. */
  typedAt: z.number(),
});
type Draft = z.infer<typeof contactDraft>;
type DraftedContact = Omit<Draft, 'owner' | 'typedAt'>;

const GUEST = 'guest';

// Keeps the typed values after a reload. Passwords and card data are never stored.
const draft = stored<Draft | null>(CONTACT_DRAFT, (saved) => contactDraft.safeParse(tryParseJson(saved)).data ?? null);
const MAX_AGE_MS = 30 * MINUTE_MS;

let expiry: ReturnType<typeof setTimeout> | undefined;

function expireIn(ms: number): void {
  clearTimeout(expiry);
  expiry = setTimeout(clearContactDraft, ms);
}

/**
 * Returns what `owner` typed in this tab within the last 30 minutes. Deletes a draft that is older or of another owner, but not
 * that of a user whose session has ended and who may sign in again.
 */
function readContactDraft(owner: string): DraftedContact | undefined {
  const saved = draft.read();
  if (saved === null) return undefined;
  const leftMs = saved.typedAt + MAX_AGE_MS - Date.now();
  const isOfOther = saved.owner !== owner && owner !== GUEST;
  if (isOfOther || !(leftMs > 0 && leftMs <= MAX_AGE_MS)) {
    clearContactDraft();
    return undefined;
  }
  expireIn(leftMs);
  return saved.owner === owner ? saved : undefined;
}

function writeContactDraft(owner: string, { name, email, phone, address, answers }: DraftedContact): void {
  draft.write({ owner, name, email, phone, address, answers, typedAt: Date.now() });
  expireIn(MAX_AGE_MS);
}

export function clearContactDraft(): void {
  clearTimeout(expiry);
  draft.clear();
}
