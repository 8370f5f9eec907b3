import { NIL } from 'uuid';
import { plural } from '../../../shared/format.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/database.ts';
import { StartError } from '../../platform/system-errors.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { putClosed } from '../closing/closing.ts';
import { lockStockedProducts } from '../inventory/inventory.queries.ts';
import { listAdministrators } from '../users/users.ts';
import { comparePayments, type RestoredPayments } from './check-held-back.ts';
import {
  emptyShelves,
  endOpenAccess,
  holdOrdersBack,
  listReleasable,
  releaseSetAside,
  setItemsAside,
  storeRestoredBackup,
} from './recovery.queries.ts';

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
  await storeRestoredBackup(trx, takenAt, now);
  await putClosed(trx, { since: now, reason: `Restored from the backup of ${takenAt}`, message: MESSAGE });
  const orders = await holdOrdersBack(trx, now);
  const items = await setItemsAside(trx, now);
  const shelves = await emptyShelves(trx, now);
  const unsentMails = await endOpenAccess(trx, now);
  await writeAudit(deps, trx, {
    actor: { userId: null, name: 'npm run restore', ip: '' },
    action: 'shop.restored',
    subject: { type: 'shop', id: 'restore' },
    summary: `Restored the backup of ${takenAt}: closed the shop, set aside ${items} ${plural(items, 'item')} and ${shelves.length} counted ${plural(shelves.length, 'product')}`,
  });
  return { items, shelves, orders, unsentMails, administrators: await listAdministrators(trx) };
}

type ReleaseDeps = Pick<Deps, 'db' | 'payments' | 'cipher' | 'clock'>;

// Items per statement, so that a large stock does not exceed the time limit of a statement.
const BATCH = 10_000;

/** Lists the items that the owner may release: set aside, and named by no payment since the backup. Oldest first. */
export async function listToSignOff(deps: ReleaseDeps) {
  const { namedItems } = await comparePayments(deps);
  const free: Awaited<ReturnType<typeof listReleasable>> = [];
  for (let after: string = NIL; ; ) {
    const items = await listReleasable(deps.db, { after, limit: BATCH });
    for (const item of items) if (!namedItems.has(item.id)) free.push(item);
    if (items.length < BATCH) return free;
    after = items.at(-1)?.id ?? after;
  }
}

/**
 * Releases the items that the owner has signed off, except those named by a payment since the backup. Throws StartError
 * while a payment of a missing order does not name its items, unless the owner accepts the payment by its id, because
 * only the owner can know its items.
 */
export async function releaseSignedOff(
  deps: ReleaseDeps,
  { itemIds, accepted }: { itemIds: string[]; accepted: string[] },
): Promise<{ released: number; paid: number; others: number }> {
  const payments = await comparePayments(deps);
  const silent = unnamedPayments(payments).filter((id) => !accepted.includes(id));
  if (silent.length > 0) {
    throw new StartError(
      `These payments do not say which items they were for: ${silent.join(', ')}. Take what was delivered for them off the list, then accept each with --accept ID. Nothing was changed.`,
    );
  }
  const wanted = [...new Set(itemIds)];
  const free = wanted.filter((id) => !payments.namedItems.has(id));
  const released = await deps.db.transaction().execute(async (trx) => {
    await lockStockedProducts(trx, { itemIds: free });
    let done = 0;
    for (let from = 0; from < free.length; from += BATCH) {
      done += await releaseSetAside(trx, free.slice(from, from + BATCH), deps.clock.now());
    }
    const acceptance = accepted.length > 0 ? `; accepted without their items: ${accepted.join(', ')}` : '';
    await writeAudit(deps, trx, {
      actor: { userId: null, name: 'npm run restore:release', ip: '' },
      action: 'inventory.released',
      subject: { type: 'shop', id: 'restore' },
      summary: `Released ${done} of ${wanted.length} items that the restore had set aside; ${wanted.length - free.length} were paid for since the backup${acceptance}`,
    });
    return done;
  });
  return { released, paid: wanted.length - free.length, others: free.length - released };
}

/** Payments of missing orders that name no items: of an earlier version, or of too many for the metadata. */
const unnamedPayments = ({ missing }: RestoredPayments): string[] =>
  missing.filter(({ intent }) => intent.itemIds === undefined).map(({ intent }) => intent.id);
