import { describe, expect, test } from 'vitest';
import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { customerOf, emailOf, isFoundBy, knownSince, mergeOrders } from './merge-orders.ts';

const order = (minute: number, overrides: Partial<AdminOrder> = {}): AdminOrder => ({
  _id: `01890000-0000-7000-8000-0000000000${String(minute).padStart(2, '0')}`,
  orderType: 'digital',
  status: 'Delivered',
  refundStatus: null,
  refunds: [],
  state: 'fulfilled',
  createdAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  orderItems: [],
  paymentMethod: 'Card',
  paymentResult: null,
  isPaid: true,
  itemsPrice: 10,
  taxPrice: 0.6,
  shippingPrice: 0,
  totalPrice: 10.6,
  refundedPrice: 0,
  shippingAddress: null,
  contactEmail: 'siti@example.com',
  guestName: '',
  guestEmail: '',
  user: null,
  ...overrides,
});

const minutes = (orders: AdminOrder[]) => orders.map(({ createdAt }) => new Date(createdAt).getUTCMinutes());

describe('two lists of orders', () => {
  test('become one, the newest first', () => {
    const digital = { orders: [order(9), order(4)], hasMore: false };
    const physical = { orders: [order(7), order(2)], hasMore: false };
    expect(minutes(mergeOrders(digital, physical))).toEqual([9, 7, 4, 2]);
  });

  test('are shown only as far back as both are known, so that nothing appears above what is shown', () => {
    const digital = { orders: [order(9), order(6)], hasMore: true };
    const physical = { orders: [order(7), order(5), order(2)], hasMore: true };
    expect(minutes(mergeOrders(digital, physical))).toEqual([9, 7, 6]);
    expect(knownSince(digital)).toBeGreaterThan(knownSince(physical));
    expect(minutes(mergeOrders({ ...digital, hasMore: false }, physical))).toEqual([9, 7, 6, 5, 2]);
  });

  test('may both be empty', () => {
    expect(mergeOrders({ orders: [], hasMore: false }, { orders: [], hasMore: false })).toEqual([]);
  });
});

test('a customer is named by the account, else as a guest typed it, else "Guest"', () => {
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
])('a search for "%s" in any case finds number, name or address: %s', (search, found) => {
  const user = { _id: 'u', name: 'Nurul Huda', email: 'n@example.com' };
  expect(isFoundBy(order(12, { user, guestEmail: 'guest-of@example.com' }), search)).toBe(found);
});
