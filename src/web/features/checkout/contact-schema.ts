import * as z from 'zod/mini';
import { address } from '../../../shared/accounts.ts';
import { type AddressCountry, shippingAddress } from '../../../shared/shipping.ts';
import { personName, phone } from '../../../shared/text.ts';
import { emailField, filled, passwordPair, passwordsMatch } from '../../lib/form-fields.ts';

const contactFields = { name: filled('Please enter your full name', personName), email: emailField, phone };
const guestPassword = passwordPair('Please provide a password to create your account');
const noPassword = { password: z.string(), confirmPassword: z.string() };

const { street, city, state, zipCode, country } = shippingAddress.shape;

/** Schema of a shipping address in a country. Only the server checks the format of the postcode. */
const addressIn = ({ name, states, hasPostcode }: AddressCountry) =>
  z.object({
    street: filled('Please enter your street', street),
    city: filled('Please enter your city', city),
    state: states
      ? state.check(z.refine((value) => states.includes(value), `Please choose a state of ${name}`))
      : state,
    zipCode: hasPostcode ? filled('Please enter your zip code', zipCode) : zipCode,
    country: filled('Please choose a country', country),
  });

/** `country` is the country of delivery; undefined for an order without parcels. */
export const contactSchema = (guest: boolean, country: AddressCountry | undefined) =>
  z
    .object({
      ...contactFields,
      ...(guest ? guestPassword : noPassword),
      address: country ? addressIn(country) : address,
    })
    .check(passwordsMatch);

export type Contact = z.infer<ReturnType<typeof contactSchema>>;
