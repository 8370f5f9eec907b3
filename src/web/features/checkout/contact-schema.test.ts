import { describe, expect, it } from 'vitest';
import { contactSchema } from './contact-schema.ts';

const noAddress = { street: '', city: '', state: '', zipCode: '', country: '' };
const guest = {
  address: noAddress,
  name: 'Aisyah Rahman',
  email: 'aisyah@example.com',
  phone: '',
  password: 'durian-88',
  confirmPassword: 'durian-88',
};

function complaints(change: Partial<typeof guest>) {
  const issues = contactSchema(true, undefined).safeParse({ ...guest, ...change }).error?.issues ?? [];
  return issues.map(({ path, message }) => [path.join('.'), message]);
}

const NO_PASSWORD = 'Please provide a password to create your account';

describe('the contact form of a guest', () => {
  it('accepts a name, an email and the same password twice; the phone is optional', () => {
    expect(complaints({})).toEqual([]);
  });

  it.each([
    [{ name: ' ' }, ['name', 'Please enter your full name']],
    [{ email: '' }, ['email', 'Please enter your email']],
    [{ email: 'aisyah@' }, ['email', 'Please enter a valid email address']],
    [{ name: 'a'.repeat(101) }, ['name', 'Please enter at most 100 characters']],
    [{ email: `${'a'.repeat(250)}@example.com` }, ['email', 'Please enter at most 254 characters']],
    [{ phone: '1'.repeat(41) }, ['phone', 'Please enter at most 40 characters']],
    [{ confirmPassword: '' }, ['confirmPassword', NO_PASSWORD]],
    [{ confirmPassword: 'durian-89' }, ['confirmPassword', 'Passwords do not match']],
    [{ password: 'short', confirmPassword: 'short' }, ['password', 'Password must be at least 6 characters']],
  ])('reports one error for %j', (change, complaint) => {
    expect(complaints(change)).toEqual([complaint]);
  });

  it('requires both passwords', () => {
    expect(complaints({ password: '', confirmPassword: '' })).toEqual([
      ['password', NO_PASSWORD],
      ['confirmPassword', NO_PASSWORD],
    ]);
  });

  it('compares the passwords even if other fields are invalid', () => {
    expect(complaints({ name: '', confirmPassword: 'other' })).toContainEqual([
      'confirmPassword',
      'Passwords do not match',
    ]);
  });
});

it('a customer needs no password in the contact form', () => {
  expect(contactSchema(false, undefined).safeParse({ ...guest, password: '', confirmPassword: '' }).success).toBe(true);
});

describe('the shipping address', () => {
  const malaysia = { code: 'MY', name: 'Malaysia', states: ['Johor', 'Perak'], hasPostcode: true, isShippedTo: true };
  const somewhere = { code: 'AE', name: 'Emirates', states: null, hasPostcode: false, isShippedTo: true };
  const ipoh = { street: '1 Jalan', city: 'Ipoh', state: 'Perak', zipCode: '30000', country: 'Malaysia' };
  const complaintsIn = (country: typeof malaysia | typeof somewhere, change: Partial<typeof ipoh>) => {
    const filled = { ...guest, address: { ...ipoh, ...change } };
    const issues = contactSchema(true, country).safeParse(filled).error?.issues ?? [];
    return issues.map(({ path, message }) => [path.join('.'), message]);
  };

  it.each([
    [malaysia, {}, []],
    [malaysia, { street: ' ' }, [['address.street', 'Please enter your street']]],
    [malaysia, { city: '' }, [['address.city', 'Please enter your city']]],
    [malaysia, { zipCode: '' }, [['address.zipCode', 'Please enter your zip code']]],
    [malaysia, { state: 'Texas' }, [['address.state', 'Please choose a state of Malaysia']]],
    [malaysia, { country: '' }, [['address.country', 'Please choose a country']]],
    [somewhere, { state: '', zipCode: '', country: 'Emirates' }, []],
  ])('requires the fields of its country: %j %j', (country, change, complaint) => {
    expect(complaintsIn(country, change)).toEqual(complaint);
  });
});
