import { AppError } from '../../../shared/errors.ts';
import type { ShippingAddress, ShippingCountry, ShippingZone } from '../../../shared/shipping.ts';
import { shippingCentsOf, zoneOf } from '../../../shared/shipping.ts';
import { countryCodeOf, countryNames, findState, hasPostcode, isPostcode, statesOf } from '../../platform/countries.ts';

type Zones = readonly ShippingZone[];

/** The countries that a zone covers, by name. */
export const listShippingCountries = (zones: Zones): ShippingCountry[] =>
  [...countryNames]
    .filter(([code]) => zoneOf(zones, code))
    .map(([code, name]) => ({ code, name, states: statesOf(code) ?? null, hasPostcode: hasPostcode(code) }))
    .sort((one, other) => one.name.localeCompare(other.name));

/**
 * The address as a parcel has it: the country by its name, a state of a list as the list has it, the postcode in upper case.
 * Throws VALIDATION_FAILED naming the field, or SHIPPING_UNAVAILABLE for a country in no zone.
 */
export function checkAddress(zones: Zones, address: ShippingAddress): ShippingAddress {
  const { code, name } = findCountry(zones, address.country);
  const zipCode = address.zipCode.toUpperCase();
  if (hasPostcode(code) && !isPostcode(code, zipCode)) {
    throw new AppError('VALIDATION_FAILED', `Please enter a postcode of ${name}`, 'shippingAddress.zipCode');
  }
  const state = statesOf(code) ? findState(code, address.state) : address.state;
  if (state === undefined) {
    throw new AppError('VALIDATION_FAILED', `Please choose a state of ${name}`, 'shippingAddress.state');
  }
  return { ...address, state, zipCode, country: name };
}

function findCountry(zones: Zones, country: string) {
  const code = countryCodeOf(country);
  const zone = code === undefined ? undefined : zoneOf(zones, code);
  const name = countryNames.get(code ?? '') ?? country;
  if (code === undefined) {
    throw new AppError('VALIDATION_FAILED', 'Please choose a country', 'shippingAddress.country');
  }
  if (!zone) throw new AppError('SHIPPING_UNAVAILABLE', `We do not ship to ${name}`, 'shippingAddress.country');
  return { code, name, zone };
}

/** What shipping these lines to a country costs, in cents of USD. Throws as checkAddress does, and when no rate is left. */
export function quoteShipping(zones: Zones, country: string, lines: Parameters<typeof shippingCentsOf>[1]) {
  const { name, zone } = findCountry(zones, country);
  const cents = shippingCentsOf(zone, lines);
  if (cents !== undefined) return { shippingCents: cents, freeAbove: zone.freeAbove ?? null };
  throw new AppError('SHIPPING_UNAVAILABLE', `This is too much for one delivery to ${name}. Please take fewer.`);
}
