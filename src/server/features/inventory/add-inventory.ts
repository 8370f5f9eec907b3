import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import type { InventoryReport } from '../../../shared/inventory.ts';
import type { Deps } from '../../deps.ts';
import type { Transaction } from '../../platform/database/open-database.ts';
import { type Actor, writeAudit } from '../admin/audit-log.ts';
import { findProductName, insertNewItems, listKnown } from './stock.queries.ts';

// Items per turn of the event loop: some milliseconds.
const BATCH = 1_000;

type AddInventory = { productId: string; items: string[]; dryRun?: boolean | undefined; actor: Actor };

interface NewItem {
  id: string;
  content: string;
  /** A character for each byte, because strings are compared and sorted quickly. */
  fingerprint: string;
}

const toText = (fingerprint: Buffer) => fingerprint.toString('latin1');
const toBytes = (fingerprint: string) => Buffer.from(fingerprint, 'latin1');

/**
 * Puts secrets on sale, each encrypted for its own row. Empty, repeated and known ones are counted and left out. All or
 * nothing, on record. Of two uploads at once each item is new in exactly one. Throws NOT_FOUND.
 */
export async function addInventory(deps: Deps, input: AddInventory): Promise<InventoryReport> {
  const { productId, items, dryRun = false, actor } = input;
  const name = await findProductName(deps.db, productId);
  if (name === undefined) throw new AppError('NOT_FOUND', 'Product not found');
  const empty = items.filter((item) => item === '').length;
  const unique = await fingerprintEach(deps, items);
  const fresh = await withoutKnown(deps, unique);
  const report = (added: number): InventoryReport => ({
    new: added,
    doubled: items.length - empty - unique.length,
    known: unique.length - added,
    empty,
  });
  if (dryRun || fresh.length === 0) return report(fresh.length);
  return deps.db.transaction().execute(async (trx) => {
    const done = report(await insertEncrypted(deps, trx, productId, fresh));
    if (done.new === 0) return done;
    const left = `left out: ${done.doubled} doubled, ${done.known} known, ${done.empty} empty`;
    const summary = `Added ${done.new} to the stock of "${name}"; ${left}`;
    const subject = { type: 'product', id: productId } as const;
    await writeAudit(deps, trx, { actor, action: 'inventory.added', subject, summary });
    return done;
  });
}

/** Each secret once, in the order of the list, in which the items are sold: their ids increase. */
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

async function withoutKnown({ db }: Deps, items: NewItem[]): Promise<NewItem[]> {
  const known = new Set<string>();
  for (const batch of batchesOf(items)) {
    const fingerprints = batch.map(({ fingerprint }) => toBytes(fingerprint));
    for (const fingerprint of await listKnown(db, fingerprints)) known.add(toText(fingerprint));
  }
  return items.filter(({ fingerprint }) => !known.has(fingerprint));
}

async function insertEncrypted({ cipher, clock }: Deps, trx: Transaction, productId: string, fresh: NewItem[]) {
  // Sorted, so that two uploads with items in common do not deadlock.
  const ordered = fresh.toSorted((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1));
  const common = { product_id: productId, state: 'available' as const, added_at: clock.now() };
  let added = 0;
  for (const batch of batchesOf(ordered)) {
    const rows = batch.map(({ id, content, fingerprint }) => {
      const { keyId: key_id, ...sealed } = cipher.encrypt({ itemId: id, productId, content });
      return { id, ...common, key_id, ...sealed, content_hmac: toBytes(fingerprint) };
    });
    added += await insertNewItems(trx, rows);
  }
  return added;
}

function* batchesOf<T>(items: T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}
