import type { AdminOrder } from '../../../../shared/admin-orders.ts';
import { orderNumber } from '../../../../shared/order-number.ts';

/** What is loaded of a list that is the newest first. */
export interface LoadedOrders {
  orders: readonly AdminOrder[];
  hasMore: boolean;
}

const timeOf = ({ createdAt }: AdminOrder) => Date.parse(createdAt);

/** How far back a list is known: what is older may still be missing from it. */
export function knownSince({ orders, hasMore }: LoadedOrders): number {
  const oldest = orders.at(-1);
  return hasMore && oldest ? timeOf(oldest) : Number.NEGATIVE_INFINITY;
}

/** The lists as one, the newest first, as far back as all of them are known: nothing appears above what is shown. */
export function mergeOrders(...lists: LoadedOrders[]): AdminOrder[] {
  const since = Math.max(...lists.map(knownSince));
  return lists
    .flatMap(({ orders }) => orders)
    .filter((order) => timeOf(order) >= since)
    .sort((one, other) => timeOf(other) - timeOf(one));
}

export const customerOf = ({ user, guestName }: Pick<AdminOrder, 'user' | 'guestName'>) =>
  user?.name || guestName || 'Guest';
export const emailOf = ({ contactEmail, user }: Pick<AdminOrder, 'contactEmail' | 'user'>) =>
  contactEmail || user?.email || 'N/A';

/** Whether the search finds the order by its number, a name or an address, in any case. */
export function isFoundBy(order: AdminOrder, search: string): boolean {
  const { user, guestName, guestEmail, contactEmail } = order;
  const words = [
    `#${orderNumber(order._id)}`,
    guestName,
    guestEmail,
    contactEmail,
    user?.name ?? '',
    user?.email ?? '',
  ];
  const part = search.trim().toLowerCase();
  return words.some((word) => word.toLowerCase().includes(part));
}
