/** The points of the payment flow at which the fault tests kill the process. */
export const crashPoints = [
  'order-written',
  'intent-created',
  'intent-stored',
  'goods-pinned',
  'payment-captured',
  'order-fulfilled',
  'cancelled-at-provider',
  'goods-released',
  'refund-begun',
  'refunded-at-provider',
] as const;

export type CrashPoint = (typeof crashPoints)[number];
