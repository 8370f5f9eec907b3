import { expect, it } from 'vitest';
import type { PlacedOrder } from './order-calls.ts';
import { thanksFor } from './thanks.ts';

type PaidOrder = NonNullable<PlacedOrder['order']>;

const line = (productType: 'digital' | 'physical', quantity = 1): PaidOrder['orderItems'][number] => ({
  ...{ _id: productType, product: productType, name: 'Goods', quantity, image: '', category: 'Other', price: 10 },
  productType,
});

const BY_HAND = 'by hand, and mail you when it is ready.';
const BY_POST = 'We mail you as soon as your parcel is on its way.';

it.each<[goods: string, order: PaidOrder | undefined, text: string]>([
  ['a key', { orderType: 'digital', orderItems: [line('digital')], waitingUnits: 0 }, ' and your order is delivered.'],
  ['a parcel', { orderType: 'physical', orderItems: [line('physical')], waitingUnits: 0 }, `. ${BY_POST}`],
  [
    'a key and a parcel',
    { orderType: 'physical', orderItems: [line('digital'), line('physical')], waitingUnits: 0 },
    ` and your digital items are delivered. ${BY_POST}`,
  ],
  [
    'a unit by hand',
    { orderType: 'digital', orderItems: [line('digital')], waitingUnits: 1 },
    `. We deliver it ${BY_HAND}`,
  ],
  [
    'a key and a unit by hand',
    { orderType: 'digital', orderItems: [line('digital', 2)], waitingUnits: 1 },
    ` and a part of your order is delivered. We deliver the rest ${BY_HAND}`,
  ],
  ['goods that are not known yet', undefined, '.'],
])('the success screen of an order with %s says how each part is delivered', (_, order, text) => {
  expect(thanksFor(order)).toBe(`Thank you. Your payment was accepted${text}`);
});
