import type { PlacedOrder } from './order-calls.ts';

/** Thanks for a payment, and says which part of the order is delivered and how the rest comes. */
export function thanksFor(order: PlacedOrder['order']): string {
  const { orderType, orderItems = [], waitingUnits = 0 } = order ?? {};
  const isPosted = orderType === 'physical';
  const isByHand = waitingUnits > 0;
  const digital = orderItems.filter(({ productType }) => productType === 'digital');
  const isDelivered = digital.reduce((units, { quantity }) => units + quantity, 0) > waitingUnits;
  const delivered = isByHand ? 'a part of your order is' : isPosted ? 'your digital items are' : 'your order is';
  return [
    `Thank you. Your payment was accepted${isDelivered ? ` and ${delivered} delivered` : ''}.`,
    isByHand && `We deliver ${isDelivered || isPosted ? 'the rest' : 'it'} by hand, and mail you when it is ready.`,
    isPosted && 'We mail you as soon as your parcel is on its way.',
  ]
    .filter(Boolean)
    .join(' ');
}
