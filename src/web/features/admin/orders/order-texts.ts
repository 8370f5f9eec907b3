import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { contains, orderNumber } from '../../../../shared/format.ts';
import type { OrderState } from '../../../../shared/orders.ts';

export const customerOf = ({ user, guestName }: Pick<AdminOrder, 'user' | 'guestName'>) =>
  user?.name || guestName || 'Guest';
export const emailOf = ({ contactEmail, user }: Pick<AdminOrder, 'contactEmail' | 'user'>) =>
  contactEmail || user?.email || 'N/A';

export const paymentStates: Record<OrderState, string> = {
  pending: 'Not paid yet',
  capturing: 'Being taken',
  fulfilled: 'Paid',
  cancelled: 'Cancelled',
  refunding: 'Being refunded',
  refunded: 'Refunded',
  disputed: 'Disputed',
};

export function isFoundBy(order: AdminOrder, search: string): boolean {
  const { user, guestName, guestEmail, contactEmail } = order;
  const texts = [`#${orderNumber(order._id)}`, guestName, guestEmail, contactEmail, user?.name, user?.email];
  return texts.some((text = '') => contains(text, search.trim()));
}
