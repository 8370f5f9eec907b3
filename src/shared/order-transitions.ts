import type { Order, OrderStatus } from './orders.ts';

/** What an administrator may turn an order into. Giving money back after delivery is a refund, not a status. */
const transitions: Record<Order['orderType'], Record<OrderStatus, readonly OrderStatus[]>> = {
  // Keys are delivered by the payment itself.
  digital: { Processing: ['Cancelled'], Shipped: [], Delivered: [], Cancelled: [] },
  physical: {
    Processing: ['Shipped', 'Cancelled'],
    Shipped: ['Delivered'],
    Delivered: [],
    Cancelled: [],
  },
};

export const allowedTransitions = (order: Pick<Order, 'orderType' | 'status'>): readonly OrderStatus[] =>
  transitions[order.orderType][order.status];
