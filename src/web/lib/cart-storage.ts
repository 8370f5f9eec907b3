import type { DigitalProduct } from '../../shared/catalog.ts';
import { isRecord, parseJson, type StoredValue, stored } from './stored-value.ts';

/** The fields of a product that the cart keeps: `price` is the price of one unit, and the others decide the price of more. */
export interface CartProduct
  extends Pick<
    DigitalProduct,
    '_id' | 'name' | 'image' | 'price' | 'stock' | 'reserved' | 'maxPerGuest' | 'discount' | 'flashSale'
  > {
  /** Empty in a cart that an earlier version of the shop saved. */
  category: string;
  regularPrice: number;
}

/** A line of the cart as it is stored. */
export interface SavedLine {
  product: CartProduct;
  quantity: number;
  /** Cents of USD per unit when the shopper last chose the quantity; shown beside a later price. */
  seenPriceCents?: number;
  /** The quantity in the shopper's account at the last sync; absent if the line is in this browser only. */
  syncedQuantity?: number;
}

/** `changedAt` is the time of the last change of the quantity, in milliseconds since 1970. */
type StampedLine = SavedLine & { changedAt?: number };

/** A removed line; `unsyncedFor` is the id of its owner until the account has removed the line, too. */
interface Removal {
  at: number;
  unsyncedFor?: string | undefined;
}

/** What this tab knows of a product: its line, or its removal. */
interface Change extends Removal {
  line: SavedLine | undefined;
}

// For this long another tab may not have seen a removal. A removal that the account has not seen is kept.
const REMOVAL_KEPT_MS = 60 * 60 * 1_000;

export interface CartStorage extends StoredValue<SavedLine[]> {
  /** The ids of products that were removed here and are still in their owner's account. */
  removals(owner: string): string[];
  /** The account no longer has these products. */
  forgetRemovals(ids: readonly string[]): void;
  /** The account has a product that was removed here. */
  addRemoval(id: string, owner: string): void;
}

/**
 * The cart of this browser, which several tabs change at once. A tab may write before it has been notified of another tab's
 * write. Therefore every line has the time of its last change, a removed line leaves that time behind, the newer change of
 * each line wins, and a tab whose change was overwritten writes it again. `ownerId` is the account that the cart is synced
 * with, if any.
 */
export function createCartStorage(ownerId: () => string | null): CartStorage {
  const saved = stored<StampedLine[] | null>('guestCart', parseLines, printLines);
  const removed = stored<Record<string, Removal>>('cartRemovals', parseRemovals, printRemovals);
  const changes = new Map<string, Change>();
  let seen: { lines: StampedLine[] | null; removals: Record<string, Removal> } | undefined;
  let value: SavedLine[] = [];

  function read(): SavedLine[] {
    const [lines, removals] = [saved.read(), removed.read()];
    if (seen?.lines === lines && seen.removals === removals) return value;
    seen = { lines, removals };
    if (lines === null) changes.clear();
    for (const { changedAt: at = 0, ...line } of lines ?? []) learn(line.product._id, { line, at });
    for (const [id, removal] of Object.entries(removals)) learn(id, { line: undefined, ...removal });
    // Lines without a time, from an earlier version of the shop, exist only while they are stored.
    const listed = new Set(lines?.map(({ product }) => product._id));
    for (const [id, { line, at }] of changes) if (line && at === 0 && !listed.has(id)) changes.delete(id);
    const order = new Set([...listed, ...changes.keys()]);
    value = [...order].flatMap((id) => changes.get(id)?.line ?? []);
    return value;
  }

  function learn(id: string, change: Change): void {
    if (change.at >= (changes.get(id)?.at ?? 0)) changes.set(id, change);
  }

  /** Whether another tab has overwritten a newer change that this tab knows. */
  function isOverwritten(): boolean {
    const [lines, removals] = [saved.read(), removed.read()];
    if (lines === null) return false;
    const listed = new Map(lines.map(({ product, changedAt = 0 }) => [product._id, changedAt]));
    return [...changes].some(([id, { line, at, unsyncedFor }]) => {
      const savedAt = listed.get(id) ?? (line ? removals[id]?.at : undefined);
      if (line) return at > (savedAt ?? 0);
      return (savedAt !== undefined && at > savedAt) || (unsyncedFor !== undefined && removals[id] === undefined);
    });
  }

  function save(lines: readonly SavedLine[]): void {
    const keptSince = Date.now() - REMOVAL_KEPT_MS;
    const removals: Record<string, Removal> = {};
    for (const [id, { line, at, unsyncedFor }] of changes) {
      if (line) continue;
      if (unsyncedFor !== undefined || at > keptSince) removals[id] = { at, unsyncedFor };
      else changes.delete(id);
    }
    removed.write(removals);
    saved.write(lines.map((line) => ({ ...line, changedAt: changes.get(line.product._id)?.at ?? 0 })));
  }

  const nextTime = (id: string) => Math.max(Date.now(), (changes.get(id)?.at ?? 0) + 1);

  saved.subscribe(() => {
    const lines = read();
    if (isOverwritten()) save(lines);
  });

  function write(lines: SavedLine[]): void {
    const before = new Map(read().map((line) => [line.product._id, line]));
    for (const line of lines) {
      const id = line.product._id;
      const isSame = before.get(id)?.quantity === line.quantity;
      changes.set(id, { line, at: isSame ? (changes.get(id)?.at ?? 0) : nextTime(id) });
      before.delete(id);
    }
    for (const id of before.keys()) {
      changes.set(id, { line: undefined, at: nextTime(id), unsyncedFor: ownerId() ?? undefined });
    }
    save(lines);
  }

  return {
    read,
    write,
    clear: () => write([]),
    subscribe: saved.subscribe,
    removals: (owner) => {
      read();
      return [...changes].flatMap(([id, { line, unsyncedFor }]) => (!line && unsyncedFor === owner ? [id] : []));
    },
    forgetRemovals: (ids) => {
      if (ids.length === 0) return;
      const lines = read();
      for (const id of ids) {
        const change = changes.get(id);
        if (change && !change.line) changes.set(id, { line: undefined, at: change.at });
      }
      save(lines);
    },
    addRemoval: (id, owner) => {
      const lines = read();
      if (changes.get(id)?.line) return;
      changes.set(id, { line: undefined, at: nextTime(id), unsyncedFor: owner });
      save(lines);
    },
  };
}

// Two fields have other names in storage, where carts of earlier visits use them.

const printLines = (lines: StampedLine[] | null) =>
  JSON.stringify(lines?.map(({ syncedQuantity, ...line }) => ({ ...line, keptQuantity: syncedQuantity })));

function parseLines(text: string | null): StampedLine[] | null {
  if (text === null) return null;
  const lines = parseJson(text);
  return Array.isArray(lines) ? lines.flatMap(parseLine) : [];
}

function printRemovals(removals: Record<string, Removal>): string | null {
  const entries = Object.entries(removals).map(([id, { at, unsyncedFor }]) => [id, { at, untold: unsyncedFor }]);
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}

function parseRemovals(text: string | null): Record<string, Removal> {
  const removals = parseJson(text);
  if (!isRecord(removals)) return {};
  return Object.fromEntries(
    Object.entries(removals).flatMap(([id, removal]) => {
      if (!isRecord(removal)) return [];
      const { at, untold } = removal;
      return [[id, { at: amount(at), ...(typeof untold === 'string' && { unsyncedFor: untold }) }]];
    }),
  );
}

const amount = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0);

/** The line, or nothing if it has no product id or no valid quantity. */
export function parseLine(line: unknown): StampedLine[] {
  if (!isRecord(line) || !isRecord(line['product'])) return [];
  const { product } = line;
  const id = product['_id'] ?? product['id'];
  const quantity = Math.floor(amount(line['quantity']));
  if (typeof id !== 'string' || id === '' || quantity < 1) return [];
  const price = amount(product['price']);
  const saved = product as Partial<CartProduct>;
  const syncedQuantity = Math.floor(amount(line['keptQuantity']));
  const seenPriceCents = Math.floor(amount(line['seenPriceCents']));
  return [
    {
      quantity,
      ...(seenPriceCents > 0 && { seenPriceCents }),
      ...(syncedQuantity > 0 && { syncedQuantity }),
      changedAt: amount(line['changedAt']),
      product: {
        _id: id,
        name: String(product['name'] ?? ''),
        image: String(product['image'] ?? ''),
        category: String(product['category'] ?? ''),
        price,
        stock: Math.floor(amount(product['stock'])),
        reserved: product['reserved'] === true,
        maxPerGuest: Math.floor(amount(product['maxPerGuest'])) || null,
        regularPrice: 'regularPrice' in product ? amount(product['regularPrice']) : price,
        discount: isRecord(product['discount']) ? (saved.discount ?? null) : null,
        flashSale: isRecord(product['flashSale']) ? (saved.flashSale ?? null) : null,
      },
    },
  ];
}
