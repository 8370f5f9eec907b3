/** The moments of the money path between which a process may die; named so that the fault tests can choose one. */
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
