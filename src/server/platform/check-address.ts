import { AppError } from '../../shared/errors.ts';
import type { ShippingAddress } from '../../shared/shipping.ts';
import { countryCodeOf, countryNames, findState, hasPostcode, isPostcode, statesOf } from './countries.ts';

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
  const zipCode = address.zipCode.toUpperCase();
  if (hasPostcode(code) && !isLeftOut(zipCode) && !isPostcode(code, zipCode)) {
    throw new AppError('VALIDATION_FAILED', `Please enter a postcode of ${name}`, `${path}.zipCode`);
  }
  const isListed = statesOf(code) !== undefined && !isLeftOut(address.state);
  const state = isListed ? findState(code, address.state) : address.state;
  if (state === undefined) {
    throw new AppError('VALIDATION_FAILED', `Please choose a state of ${name}`, `${path}.state`);
  }
  return { ...address, state, zipCode, country: name };
}
