import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { orderNumber } from '../../../../shared/order-words.ts';

export const customerOf = ({ user, guestName }: Pick<AdminOrder, 'user' | 'guestName'>) =>
  user?.name || guestName || 'Guest';
export const emailOf = ({ contactEmail, user }: Pick<AdminOrder, 'contactEmail' | 'user'>) =>
  contactEmail || user?.email || 'N/A';

/** Whether a search finds the order by its number, a name or an e-mail, regardless of upper and lower case. */
export function isFoundBy(order: AdminOrder, search: string): boolean {
  const { user, guestName, guestEmail, contactEmail } = order;
  const texts = [`#${orderNumber(order._id)}`, guestName, guestEmail, contactEmail, user?.name, user?.email];
  const term = search.trim().toLowerCase();
  return texts.some((text = '') => text.toLowerCase().includes(term));
}
