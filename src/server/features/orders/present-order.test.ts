import { describe, expect, it } from 'vitest';
import { totalsOf } from '../../../shared/pricing.ts';
import { presentOrder } from './order-status.ts';
import { columnsOfTotals, type FullOrder } from './orders.queries.ts';

const at = new Date('2026-03-09T10:30:00Z');

const parcel: FullOrder = {
  id: '0198c0de-0000-7000-8000-000000000001',
  type: 'physical',
  state: 'fulfilled',
  user_id: '0198c0de-0000-7000-8000-000000000002',
  contact_email: 'buyer@example.com',
  guest: false,
  guest_name: '',
  guest_phone: '',
  made_account: false,
  checkout_hash: null,
  ip: '',
  ...columnsOfTotals(totalsOf([{ unitPriceCents: 5400, quantity: 1 }], 590)),
  payment_intent_id: 'pi_1',
  payment_attempt: 1,
  refund_reason: null,
  cancel_reason: null,
  shipping_street: '1 Jalan Melati',
  shipping_city: 'Ipoh',
  shipping_state: 'Perak',
  shipping_zip_code: '30000',
  shipping_country: 'Malaysia',
  created_at: at,
  hold_expires_at: at,
  paid_at: at,
  fulfilled_at: at,
  cancelled_at: null,
  refunded_at: null,
  shipped_at: null,
  delivered_at: null,
  refunded_cents: 0,
  disputed_at: null,
  waiting_units: 0,
  sweep_at: null,
  items_open_at: null,
  refunds: [],
  parcels: [],
  lines: [
    {
      id: '0198c0de-0000-7000-8000-000000000003',
      order_id: '0198c0de-0000-7000-8000-000000000001',
      position: 1,
      category: 'Mice',
      kind: 'physical',
      delivery: null,
      region: null,
      platform: null,
      counted_state: 'sold',
      counted_units: 1,
      product_id: '0198c0de-0000-7000-8000-000000000004',
      name: 'Figure',
      image: '/figure.svg',
      quantity: 1,
      unit_price_cents: 5400,
      takes_flash_units: false,
      delivery_instructions: '',
      warranty_days: 0,
      download_limit: null,
      download_days: null,
    },
  ],
};

const statusOf = (changes: Partial<typeof parcel>) => presentOrder({ ...parcel, ...changes }).status;

describe('an order of physical goods', () => {
  it('is Processing until it is shipped, Shipped until it is delivered', () => {
    expect(statusOf({})).toBe('Processing');
    expect(statusOf({ shipped_at: at })).toBe('Shipped');
    expect(statusOf({ shipped_at: at, delivered_at: at })).toBe('Delivered');
  });

  it('is Cancelled once its money is refunded, even after shipping', () => {
    expect(statusOf({ state: 'refunded', shipped_at: at })).toBe('Cancelled');
  });

  it('counts the units that await manual delivery, until a refund begins', () => {
    expect(presentOrder({ ...parcel, waiting_units: 2 }).waitingUnits).toBe(2);
    expect(presentOrder({ ...parcel, waiting_units: 2, state: 'refunding' }).waitingUnits).toBe(0);
  });

  it('has its lines, shipping address and shipping price', () => {
    expect(presentOrder(parcel)).toMatchObject({
      orderItems: [{ product: '0198c0de-0000-7000-8000-000000000004', price: 54 }],
      shippingPrice: 5.9,
      totalPrice: 63.14,
      shippingAddress: { street: '1 Jalan Melati', city: 'Ipoh', zipCode: '30000' },
    });
  });
});

describe('an order of keys', () => {
  it('is Delivered once paid, and has no shipping address', () => {
    const keys = presentOrder({ ...parcel, type: 'digital' });
    expect([keys.status, keys.shippingAddress]).toEqual(['Delivered', null]);
  });

  it('is instant unless one of its lines is delivered manually', () => {
    const [line] = parcel.lines;
    if (!line) throw new Error('The order has no line');
    const isInstant = (...ways: (typeof line)['delivery'][]) =>
      presentOrder({ ...parcel, type: 'digital', lines: ways.map((delivery) => ({ ...line, delivery })) }).isInstant;
    expect([isInstant('unique', 'file'), isInstant('unique', 'manual'), isInstant('manual')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(presentOrder(parcel).isInstant).toBe(false);
  });
});
