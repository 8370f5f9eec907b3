import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import type { BodyOf } from '../../../shared/api.ts';
import { orNotFound } from '../../../shared/errors.ts';
import type { InventoryReport } from '../../../shared/inventory.ts';
import type { Deps } from '../../deps.ts';
import { toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/client.ts';
import { writeAudit } from '../admin/audit-log.ts';
import { noteRaisedStock } from '../notices/notices.queries.ts';
import { lockRestorable, lockStockedProducts, putOnSale } from './inventory.queries.ts';
import { assertNotDeleted, findStockedName, insertNewItems, listKnown } from './stock.queries.ts';

// Items per turn of the event loop, which then takes some milliseconds: other requests wait for several turns.
const BATCH = 200;

type AddInventory = BodyOf<'POST /digital-products/:id/inventory'> & { productId: string; actor: Actor };

interface NewItem {
  id: string;
  content: string;
  /** A string with one character per byte, because strings are compared and sorted quickly. */
  fingerprint: string;
}

const toText = (fingerprint: Buffer) => fingerprint.toString('latin1');
const toBytes = (fingerprint: string) => Buffer.from(fingerprint, 'latin1');

/**
 * Puts secrets on sale, each encrypted for its own row. Empty, repeated and known secrets are counted and left out.
 * With `restoreReason`, known secrets that are withdrawn and unread are put on sale again as items of this product. One
 * transaction, with audit entries. In concurrent uploads, exactly one adds or restores each item. A comparison without
 * an upload reveals which lines are keys of the shop, so it is rate-limited and recorded. Throws NOT_FOUND,
 * RATE_LIMITED, and ITEM_NOT_AVAILABLE for a deleted product.
 */
export async function addInventory(deps: Deps, input: AddInventory): Promise<InventoryReport> {
  const { productId, items, dryRun = false, restoreReason, actor } = input;
  const name = orNotFound(await findStockedName(deps.db, productId), 'Product not found');

  const empty = items.filter((item) => item === '').length;
  const unique = await fingerprintEach(deps, items);
  const { fresh, withdrawn, withdrawnOf } = await sortByKnown(deps, unique);
  const doubled = items.length - empty - unique.length;
  /** `withdrawnUnread`: the items that were put on sale again or, without a reason, that could be. */
  const reportOf = (added: number, withdrawnUnread: number): InventoryReport => ({
    new: added,
    doubled,
    known: unique.length - added - withdrawnUnread,
    withdrawn: withdrawnUnread,
    empty,
  });
  const toRestore = restoreReason === undefined ? [] : withdrawn;
  const limited = ['checked-items', { user: actor.userId ?? '' }] as const;
  const isAdding = !dryRun && fresh.length + toRestore.length > 0;
  const compared = isAdding ? unique.length - fresh.length - toRestore.length : unique.length;
  if (compared > 0) {
    // A list that arrives when the limit is used up is not counted.
    await deps.limits.assertLeft(...limited);
    await deps.limits.count(...limited, compared);
  }
  await noteSearch(deps, actor, { name, compared: unique.length, known: unique.length - fresh.length });
  if (!isAdding) return reportOf(fresh.length, withdrawn.length);
  const done = await deps.db.transaction().execute(async (trx) => {
    // New items alone are added without the locks: many would keep buyers waiting.
    if (toRestore.length > 0) await lockStockedProducts(trx, { productIds: [productId, ...withdrawnOf] });
    await assertNotDeleted(trx, productId);
    const added = await insertEncrypted(deps, trx, productId, fresh);
    const restored = await restoreEach(deps, trx, { productId, withdrawn: toRestore });
    await noteRaisedStock(trx, productId);
    const entry = { actor, subject: { type: 'product' as const, id: productId } };
    if (added > 0) {
      const known = unique.length - added - restored;
      const left = `left out: ${doubled} doubled, ${known} known, ${empty} empty`;
      const summary = `Added ${added} to the stock of "${name}"; ${left}`;
      await writeAudit(deps, trx, { ...entry, action: 'inventory.added', summary });
    }
    if (restored > 0) {
      const summary = `Put ${restored} withdrawn on sale again in the stock of "${name}": ${restoreReason}`;
      await writeAudit(deps, trx, { ...entry, action: 'inventory.restored', summary });
    }
    return { added, restored };
  });
  // An earlier dry run has counted them.
  await deps.limits.takeBack(...limited, done.added);
  return reportOf(done.added, restoreReason === undefined ? withdrawn.length : done.restored);
}

/** Records a comparison that found known keys, as searchKey records the search for one key. */
async function noteSearch(deps: Deps, actor: Actor, found: { name: string; compared: number; known: number }) {
  const { name, compared, known } = found;
  if (known === 0) return;
  const summary = `Compared ${compared} with the stock, to add to "${name}": ${known} known`;
  const entry = { actor, action: 'inventory.searched', subject: { type: 'item', id: '' }, summary } as const;
  await deps.db.transaction().execute((trx) => writeAudit(deps, trx, entry));
}

/** Returns each secret once, in the order of the list. Items are sold in this order, because their ids increase. */
async function fingerprintEach({ cipher }: Deps, items: string[]): Promise<NewItem[]> {
  const unique = new Map<string, NewItem>();
  for (const batch of batchesOf(items)) {
    for (const content of batch) {
      if (content === '') continue;
      const fingerprint = toText(cipher.fingerprint(content));
      if (!unique.has(fingerprint)) unique.set(fingerprint, { id: uuidv7(), content, fingerprint });
    }
    await nextTurn();
  }
  return [...unique.values()];
}

/** Returns the items that the shop does not have, those that are withdrawn and unread, and the products of the latter. */
async function sortByKnown({ db }: Deps, items: NewItem[]) {
  const known = new Map<string, Awaited<ReturnType<typeof listKnown>>[number]>();
  for (const batch of batchesOf(items)) {
    const found = await listKnown(
      db,
      batch.map(({ fingerprint }) => toBytes(fingerprint)),
    );
    for (const one of found) known.set(toText(one.content_hmac), one);
  }
  return {
    fresh: items.filter(({ fingerprint }) => !known.has(fingerprint)),
    withdrawn: items.filter(({ fingerprint }) => known.get(fingerprint)?.restorable),
    withdrawnOf: new Set([...known.values()].flatMap((one) => (one.restorable ? [one.product_id] : []))),
  };
}

async function insertEncrypted({ cipher, clock }: Deps, trx: Transaction, productId: string, fresh: NewItem[]) {
  const common = { product_id: productId, state: 'available' as const, added_at: clock.now() };
  let added = 0;
  for (const batch of batchesOf(await sorted(fresh))) {
    const rows = batch.map(({ id, content, fingerprint }) => {
      const sealed = toColumns(cipher.encrypt({ itemId: id, productId, content }));
      return { id, ...common, ...sealed, content_hmac: toBytes(fingerprint) };
    });
    added += await insertNewItems(trx, rows);
  }
  return added;
}

/** Returns how many items were put on sale. The rest were read, or restored by another upload, meanwhile. */
async function restoreEach(
  { cipher, clock }: Deps,
  trx: Transaction,
  { productId, withdrawn }: { productId: string; withdrawn: NewItem[] },
): Promise<number> {
  let restored = 0;
  for (const batch of batchesOf(await sorted(withdrawn))) {
    const contents = new Map(batch.map(({ fingerprint, content }) => [fingerprint, content]));
    const rows = await lockRestorable(
      trx,
      batch.map(({ fingerprint }) => toBytes(fingerprint)),
    );
    const items = rows.map(({ id, content_hmac }) => {
      const content = contents.get(toText(content_hmac)) ?? '';
      return { id, ...toColumns(cipher.encrypt({ itemId: id, productId, content })) };
    });
    await putOnSale(trx, { productId, items, now: clock.now() });
    restored += rows.length;
  }
  return restored;
}

/**
 * Sorts by fingerprint, so that two uploads with common items lock them in the same sequence and do not deadlock. To
 * sort all of them at once would take long: sorts those with the same first byte in a turn.
 */
async function sorted(items: NewItem[]): Promise<NewItem[]> {
  const byFirst = Map.groupBy(items, ({ fingerprint }) => fingerprint.charAt(0));
  const groups: NewItem[][] = [];
  for (const first of [...byFirst.keys()].sort()) {
    groups.push((byFirst.get(first) ?? []).sort((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1)));
    await nextTurn();
  }
  return groups.flat();
}

function* batchesOf<T>(items: T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}
