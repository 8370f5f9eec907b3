import { AppError } from '../../../shared/errors.ts';
import type { AddressCountry, ShippingAddress, ShippingZone } from '../../../shared/shipping.ts';
import { shippingCentsOf, zoneOf } from '../../../shared/shipping.ts';
import { checkAddress, countryCodeOf, countryNames, hasPostcode, statesOf } from '../../platform/countries.ts';

type Zones = readonly ShippingZone[];

/** Lists every country, sorted by name, and whether the shop ships there. */
export const listAddressCountries = (zones: Zones): AddressCountry[] =>
  [...countryNames]
    .map(([code, name]) => ({
      ...{ code, name, states: statesOf(code) ?? null, hasPostcode: hasPostcode(code) },
      isShippedTo: zoneOf(zones, code) !== undefined,
    }))
    .sort((one, other) => one.name.localeCompare(other.name));

/**
 * Checks and normalises an address. Throws what checkAddress throws, and SHIPPING_UNAVAILABLE for a country in no zone.
 */
export function checkShippingAddress(zones: Zones, address: ShippingAddress): ShippingAddress {
  findCountry(zones, address.country);
  return checkAddress(address, { path: 'shippingAddress' });
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

/**
 * Returns the price of shipping these lines to a country, in cents of USD. Throws VALIDATION_FAILED for an unknown
 * country, and SHIPPING_UNAVAILABLE for a country in no zone or when no rate fits.
 */
export function quoteShipping(zones: Zones, country: string, lines: Parameters<typeof shippingCentsOf>[1]) {
  const { name, zone } = findCountry(zones, country);
  const cents = shippingCentsOf(zone, lines);
  if (cents !== undefined) return { shippingCents: cents, freeAbove: zone.freeAbove ?? null };
  throw new AppError('SHIPPING_UNAVAILABLE', `This is too much for one delivery to ${name}. Please take fewer.`);
}
