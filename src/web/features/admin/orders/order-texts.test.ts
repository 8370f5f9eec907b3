import { expect, test } from 'vitest';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { pricesOf, totalsOf } from '../../../../shared/pricing.ts';
import { customerOf, emailOf, isFoundBy } from './order-texts.ts';

const order = (minute: number, overrides: Partial<AdminOrder> = {}): AdminOrder => ({
  _id: `01890000-0000-7000-8000-0000000000${String(minute).padStart(2, '0')}`,
  orderType: 'digital',
  status: 'Delivered',
  refundStatus: null,
  refunds: [],
  state: 'fulfilled',
  isInstant: true,
  waitingUnits: 0,
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  orderItems: [],
  hasItems: true,
  parcels: [],
  paymentMethod: 'Card',
  paymentResult: null,
  isPaid: true,
  ...pricesOf(totalsOf([{ unitPriceCents: 1000, quantity: 1 }])),
  refundedPrice: 0,
  shippingAddress: null,
  contactEmail: 'siti@example.com',
  guestName: '',
  guestEmail: '',
  user: null,
  ...overrides,
});

test('the customer’s name is that of the account, else the name that a guest typed, else "Guest"', () => {
  const user = { _id: 'u', name: 'Siti', email: 'siti@home.example' };
  expect(customerOf(order(1, { user, guestName: 'S.' }))).toBe('Siti');
  expect(customerOf(order(1, { guestName: 'S.' }))).toBe('S.');
  expect(customerOf(order(1))).toBe('Guest');
  expect(emailOf(order(1, { user }))).toBe('siti@example.com');
  expect(emailOf(order(1, { user, contactEmail: '' }))).toBe('siti@home.example');
  expect(emailOf(order(1, { contactEmail: '' }))).toBe('N/A');
});

test.each([
  ['00000012', true],
  ['#00000012', true],
  [' SITI@ex', true],
  ['nurul', true],
  ['guest-of', true],
  ['somebody', false],
])('a search for "%s" matches number, name or email, case-insensitively: %s', (search, found) => {
  const user = { _id: 'u', name: 'Nurul Huda', email: 'n@example.com' };
  expect(isFoundBy(order(12, { user, guestEmail: 'guest-of@example.com' }), search)).toBe(found);
});
