import { iso31661, iso31662 } from 'iso-3166';
import { postcodeValidator, postcodeValidatorExistsForCountry } from 'postcode-validator';

/** Every country of ISO 3166-1 by its code, with its English name in the Unicode CLDR, which Node has built in. */
const nameOf = new Intl.DisplayNames('en', { type: 'region' });
export const countryNames: ReadonlyMap<string, string> = new Map(
  iso31661.map(({ alpha2 }) => [alpha2, nameOf.of(alpha2) ?? alpha2]),
);

const folded = (name: string) => name.trim().toLowerCase();
const codes = new Map(
  iso31661.flatMap(({ alpha2, name }) =>
    [alpha2, name, countryNames.get(alpha2) ?? ''].map((known) => [folded(known), alpha2]),
  ),
);

/** The ISO 3166-1 code of a country by its code or English name, whatever the case. */
export const countryCodeOf = (country: string): string | undefined => codes.get(folded(country));

/** Countries whose addresses need a state, and whose ISO 3166-2 subdivisions are the states that their post knows. */
const FEDERAL_TERRITORY = /^Wilayah Persekutuan /;
const withStates = ['AU', 'CA', 'MY', 'US'];
const states = new Map(
  withStates.map((code) => [
    code,
    iso31662
      .filter(({ parent }) => parent === code)
      .map((state) => ({ code: state.code.slice(code.length + 1), name: state.name.replace(FEDERAL_TERRITORY, '') }))
      .sort((one, other) => one.name.localeCompare(other.name)),
  ]),
);

/** The states of a country to choose from (source: ISO 3166-2); undefined where an address needs none. */
export const statesOf = (countryCode: string): string[] | undefined => states.get(countryCode)?.map(({ name }) => name);

/** A state as the list has it, by its name or its code without the country, as in `CA` for California. */
export const findState = (countryCode: string, typed: string): string | undefined =>
  states.get(countryCode)?.find(({ code, name }) => [code, name].some((known) => folded(known) === folded(typed)))
    ?.name;

export const hasPostcode = (countryCode: string): boolean => postcodeValidatorExistsForCountry(countryCode);

/** In upper case, as some countries' rules want it. */
export const isPostcode = (countryCode: string, postcode: string): boolean => postcodeValidator(postcode, countryCode);
