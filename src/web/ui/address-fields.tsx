import { type ChangeEvent, type ComponentProps, type ReactNode, useEffect, useRef } from 'react';
import type { UseFormRegisterReturn } from 'react-hook-form';
import { Skeleton } from './display.tsx';
import { Select } from './field.tsx';
import { FormProblem } from './form-page.tsx';
import { Field } from './input.tsx';
import { Loading, TryAgain } from './loading.tsx';

interface Country {
  code: string;
  name: string;
  /** The states to choose from; null where the state is free text. */
  states: string[] | null;
  hasPostcode: boolean;
}

type Name = 'street' | 'city' | 'state' | 'zipCode' | 'country';

interface AddressForm {
  fieldOf(name: Name): UseFormRegisterReturn & { error: string | undefined };
  stateNow(): string;
  clearState(): void;
  limits: Record<Name, { maxLength: number }>;
}

interface AddressFieldsProps {
  form: AddressForm;
  countries: { data: Country[] | undefined; isError: boolean; isFetching: boolean; refetch(): unknown };
  country: Country | undefined;
  legend: ReactNode;
  isRequired: boolean;
  readOnly?: boolean;
  onChosen?(): void;
}

export function AddressFields({ countries, legend, ...fields }: AddressFieldsProps) {
  return (
    // A select has no `readonly` attribute, so a read-only fieldset is inert as a whole.
    <fieldset inert={fields.readOnly} className="grid gap-4">
      <legend className="mb-4 text-lg font-semibold">{legend}</legend>
      {countries.data ? (
        <LoadedFields {...fields} countries={countries.data} />
      ) : countries.isError ? (
        <>
          <FormProblem>The countries did not load.</FormProblem>
          <TryAgain query={countries} variant="secondary" />
        </>
      ) : (
        <Loading label="Loading the countries">
          <Skeleton className="h-56" />
        </Loading>
      )}
    </fieldset>
  );
}

type LoadedFieldsProps = Omit<AddressFieldsProps, 'countries' | 'legend'> & { countries: Country[] };

function LoadedFields({ form, countries, country, isRequired, readOnly = false, onChosen }: LoadedFieldsProps) {
  const { fieldOf, stateNow, clearState, limits } = form;
  const states = country?.states ?? null;
  const statesBefore = useRef(states);
  // Clear a state that the newly chosen country does not have. Without a list of its states, only a state from the list of
  // the country before is known to be none of them.
  useEffect(() => {
    const chosen = stateNow();
    const isElsewhere = states ? !states.includes(chosen) : statesBefore.current?.includes(chosen);
    if (chosen !== '' && isElsewhere) clearState();
    statesBefore.current = states;
  }, [states, stateNow, clearState]);

  const textOf = (name: Name): ComponentProps<typeof Field> => ({
    label: labels[name],
    autoComplete: completions[name],
    ...limits[name],
    ...fieldOf(name),
    readOnly,
  });

  function selectOf(name: Name) {
    const { onChange, ...field } = fieldOf(name);
    const choose = (event: ChangeEvent<HTMLSelectElement>) => {
      void onChange(event);
      onChosen?.();
    };
    return { label: labels[name], autoComplete: completions[name], ...field, onChange: choose };
  }

  return (
    <>
      <Field {...textOf('street')} required={isRequired} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Select {...selectOf('country')} none="Choose a country" options={countries.map(({ name }) => name)} />
        {states ? (
          <Select key={country?.code} {...selectOf('state')} none="Choose a state" options={states} />
        ) : (
          <Field {...textOf('state')} optional={isRequired} />
        )}
        <Field {...textOf('city')} required={isRequired} />
        <Field
          {...textOf('zipCode')}
          required={isRequired && country?.hasPostcode}
          optional={isRequired && country?.hasPostcode === false}
        />
      </div>
    </>
  );
}

const labels: Record<Name, string> = {
  street: 'Street',
  city: 'City',
  state: 'State',
  zipCode: 'Zip Code',
  country: 'Country',
};

const completions: Record<Name, string> = {
  street: 'street-address',
  city: 'address-level2',
  state: 'address-level1',
  zipCode: 'postal-code',
  country: 'country-name',
};
