import { type ChangeEvent, type ComponentProps, useEffect } from 'react';
import { type FieldPath, get, type UseFormReturn } from 'react-hook-form';
import { type ShippingCountry, shippingAddress } from '../../../shared/shipping.ts';
import { maxLengthOf } from '../../lib/form-fields.ts';
import { Button } from '../../ui/button.tsx';
import { Skeleton } from '../../ui/card.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { FormProblem } from '../../ui/form-page.tsx';
import type { Contact } from './contact-schema.ts';
import type { useShippingCountries } from './shipping.ts';

interface ShippingFieldsProps {
  form: UseFormReturn<Contact>;
  countries: ReturnType<typeof useShippingCountries>;
  /** The chosen one; undefined while none is. */
  country: ShippingCountry | undefined;
  readOnly: boolean;
  onChosen(): void;
}

/** Where the parcels go. */
export function ShippingFields({ form, countries, ...fields }: ShippingFieldsProps) {
  return (
    // A select has no state of its own in which it is only read.
    <fieldset inert={fields.readOnly} className="grid gap-4">
      <legend className="mb-4 text-lg font-semibold">Shipping Address</legend>
      {countries.data ? (
        <AddressFields form={form} countries={countries.data} {...fields} />
      ) : countries.isError ? (
        <>
          <FormProblem>The countries we send to did not load.</FormProblem>
          <Button variant="secondary" loading={countries.isFetching} onClick={() => void countries.refetch()}>
            Try again
          </Button>
        </>
      ) : (
        <div role="status">
          <span className="sr-only">Loading the countries we send to</span>
          <Skeleton className="h-56" />
        </div>
      )}
    </fieldset>
  );
}

type AddressPath = Extract<FieldPath<Contact>, `address.${string}`>;

const limitOf = (name: keyof typeof shippingAddress.shape) => ({ maxLength: maxLengthOf(shippingAddress.shape[name]) });

function AddressFields({
  form,
  countries,
  country,
  readOnly,
  onChosen,
}: Omit<ShippingFieldsProps, 'countries'> & { countries: ShippingCountry[] }) {
  const { register, formState, setValue, getValues } = form;
  const states = country?.states ?? null;
  const errorOf = (name: AddressPath): string | undefined => get(formState.errors, `${name}.message`);
  const fieldOf = (name: AddressPath): ComponentProps<'input'> & { error: string | undefined } => ({
    ...register(name),
    error: errorOf(name),
    readOnly,
  });
  // Another country has other states.
  useEffect(() => {
    if (states && !states.includes(getValues('address.state'))) setValue('address.state', '');
  }, [states, getValues, setValue]);

  function selectOf(name: AddressPath) {
    const { onChange, ...field } = register(name);
    const choose = (event: ChangeEvent<HTMLSelectElement>) => {
      void onChange(event);
      onChosen();
    };
    return { ...field, onChange: choose, error: errorOf(name) };
  }

  return (
    <>
      <Field
        {...fieldOf('address.street')}
        label="Street"
        autoComplete="street-address"
        {...limitOf('street')}
        required
      />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Select {...selectOf('address.country')} label="Country" autoComplete="country-name">
          <option value="">Choose a country</option>
          {countries.map(({ code, name }) => (
            <option key={code}>{name}</option>
          ))}
        </Select>
        {states ? (
          <Select key={country?.code} {...selectOf('address.state')} label="State" autoComplete="address-level1">
            <option value="">Choose a state</option>
            {states.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </Select>
        ) : (
          <Field
            {...fieldOf('address.state')}
            label="State"
            autoComplete="address-level1"
            {...limitOf('state')}
            optional
          />
        )}
        <Field {...fieldOf('address.city')} label="City" autoComplete="address-level2" {...limitOf('city')} required />
        <Field
          {...fieldOf('address.zipCode')}
          label="Zip Code"
          autoComplete="postal-code"
          {...limitOf('zipCode')}
          required={country?.hasPostcode}
          optional={country?.hasPostcode === false}
        />
      </div>
    </>
  );
}
