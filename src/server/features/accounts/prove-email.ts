import type { Transaction } from '../../platform/database/open-database.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import { adoptOrders } from '../orders/orders.queries.ts';
import { setProvenEmail } from './accounts.queries.ts';

/** Somebody has clicked a link mailed to an address: it is theirs, and so are its paid orders that nobody owned. */
export async function proveEmail(
  trx: Transaction,
  proof: { userId: string; email: string; now: Date },
): Promise<UserRow> {
  // First: an order that is just being paid waits for this row, and then sees that the address is proven.
  const user = await setProvenEmail(trx, proof);
  await adoptOrders(trx, proof);
  return user;
}
