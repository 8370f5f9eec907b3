import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { putClosed } from '../closing/closing.queries.ts';
import { listAdministrators } from '../users/users.queries.ts';
import { emptyShelves, endOpenAccess, holdOrdersBack, setItemsAside, storeRestoredBackup } from './recovery.queries.ts';

/** What was changed to secure a restored database. */
export interface Secured {
  /** Items that were on sale. */
  items: number;
  /** Counted goods that were on the shelf. */
  shelves: { name: string; units: number }[];
  /** Orders that are held back until the provider's data was checked. */
  orders: number;
  unsentMails: number;
  /** E-mails of administrators, some of whom may have lost the role or been blocked since. */
  administrators: string[];
}

const MESSAGE =
  'The shop takes no orders until its books are checked. What you have paid for is delivered. Please come back later.';

/**
 * Secures a restored database in the transaction that has loaded it: closes the shop, sets aside items that may have
 * been sold since the backup, holds back orders that may have been refunded since, and ends all sessions, mailed links
 * and known devices, because some of them were ended since.
 */
export async function secureRestored(
  deps: Pick<Deps, 'cipher' | 'clock'>,
  trx: Transaction,
  takenAt: string,
): Promise<Secured> {
  const now = deps.clock.now();
  await storeRestoredBackup(trx, takenAt);
  await putClosed(trx, { since: now, reason: `Restored from the backup of ${takenAt}`, message: MESSAGE });
  const orders = await holdOrdersBack(trx, now);
  const items = await setItemsAside(trx, now);
  const shelves = await emptyShelves(trx, now);
  const unsentMails = await endOpenAccess(trx, now);
  await writeAudit(deps, trx, {
    actor: { userId: null, name: 'npm run restore', ip: '' },
    action: 'shop.restored',
    subject: { type: 'shop', id: 'restore' },
    summary: `Restored the backup of ${takenAt}: closed the shop, set aside ${items} items and ${shelves.length} counted products`,
  });
  return { items, shelves, orders, unsentMails, administrators: await listAdministrators(trx) };
}
