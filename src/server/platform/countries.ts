import { iso31661, iso31662 } from 'iso-3166';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';
import { AppError } from '../../shared/errors.ts';
import type { ShippingAddress } from '../../shared/shipping.ts';

const nameOf = new Intl.DisplayNames('en', { type: 'region' });

/** Every country of ISO 3166-1 by its code, with its English name in the Unicode CLDR, which Node has built in. */
export const countryNames: ReadonlyMap<string, string> = new Map(
  iso31661.map(({ alpha2 }) => [alpha2, nameOf.of(alpha2) ?? alpha2]),
);

const folded = (name: string) => name.trim().toLowerCase();
const codes = new Map(
  iso31661.flatMap(({ alpha2, name }) =>
    [alpha2, name, countryNames.get(alpha2) ?? ''].map((known) => [folded(known), alpha2]),
  ),
);

/** Returns the ISO 3166-1 code of a country, given by its code or English name in any case. */
export const countryCodeOf = (country: string): string | undefined => codes.get(folded(country));

// The list omits this prefix.
const FEDERAL_TERRITORY_OF_MALAYSIA = /^Wilayah Persekutuan /;

/**
 * The states of countries whose addresses need a state, and whose ISO 3166-2 subdivisions are the states in postal
 * addresses.
 */
const states = new Map(
  ['AU', 'CA', 'MY', 'US'].map((code) => [
    code,
    iso31662
      .filter(({ parent }) => parent === code)
      .map((state) => ({
        code: state.code.slice(code.length + 1),
        name: state.name.replace(FEDERAL_TERRITORY_OF_MALAYSIA, ''),
      }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  ]),
);

/** Returns the states of a country (ISO 3166-2); undefined for a country whose addresses need none. */
export const statesOf = (countryCode: string): string[] | undefined => states.get(countryCode)?.map(({ name }) => name);

/** Returns a state in the list's spelling, by its name or its code without the country, as `CA` for California. */
const findState = (countryCode: string, typed: string): string | undefined =>
  states.get(countryCode)?.find(({ code, name }) => [code, name].some((known) => folded(known) === folded(typed)))
    ?.name;

export const hasPostcode = (countryCode: string): boolean => postcodeValidatorExistsForCountry(countryCode);

interface Options {
  /** The field of the call that holds the address; prefixed to the field that an error names. */
  path: string;
  /** Empty fields are not checked, as in a profile. Without a country, nothing is checked. */
  mayBeEmpty?: boolean;
}

/**
 * Returns an address as a parcel needs it: the country by its name, a listed state in the list's spelling, the postcode
 * in upper case. Throws VALIDATION_FAILED with the wrong field.
 */
export function checkAddress(address: ShippingAddress, { path, mayBeEmpty = false }: Options): ShippingAddress {
  const isLeftOut = (field: string) => mayBeEmpty && field === '';
  if (isLeftOut(address.country)) return address;
  const code = countryCodeOf(address.country);
  const name = countryNames.get(code ?? '');
  if (code === undefined || name === undefined) {
    throw new AppError('VALIDATION_FAILED', 'Please choose a country', `${path}.country`);
  }
  // The rules of some countries require a postcode in upper case.
  const zipCode = address.zipCode.toUpperCase();
  if (hasPostcode(code) && !isLeftOut(zipCode) && !postcodeValidator(zipCode, code)) {
    throw new AppError('VALIDATION_FAILED', `Please enter a zip code of ${name}`, `${path}.zipCode`);
  }
  const isListed = statesOf(code) !== undefined && !isLeftOut(address.state);
  const state = isListed ? findState(code, address.state) : address.state;
  if (state === undefined) {
    throw new AppError('VALIDATION_FAILED', `Please choose a state of ${name}`, `${path}.state`);
  }
  return { ...address, state, zipCode, country: name };
}
