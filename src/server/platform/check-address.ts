import { AppError } from '../../shared/errors.ts';
import type { ShippingAddress } from '../../shared/shipping.ts';
import { countryCodeOf, countryNames, findState, hasPostcode, isPostcode, statesOf } from './countries.ts';

interface Options {
  /** Of the address in the call. */
  path: string;
  /** Fields that are empty are not checked, as in a profile. */
  mayBeEmpty?: boolean;
}

/**
 * An address as a parcel has it: the country by its name, a state of a list as the list has it, the postcode in upper case.
 * Throws VALIDATION_FAILED naming the field.
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
