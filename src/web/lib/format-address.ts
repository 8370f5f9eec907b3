interface Address {
  street: string;
  city: string;
  state: string;
  zipCode: string;
  country: string;
}

/** A postal address in one line, without its empty parts. */
export const formatAddress = ({ street, city, state, zipCode, country }: Address): string =>
  [street, city, `${zipCode} ${state}`.trim(), country].filter(Boolean).join(', ');
