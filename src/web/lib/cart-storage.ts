import type { DigitalProduct } from '../../shared/catalog.ts';
import { isRecord, parseJson, type StoredValue, stored } from './stored-value.ts';

/** What the cart keeps of a product: `price` is what one costs, the rest is what more of them depends on. */
export interface CartProduct
  extends Pick<
    DigitalProduct,
    '_id' | 'name' | 'image' | 'price' | 'stock' | 'reserved' | 'maxPerGuest' | 'discount' | 'flashSale'
  > {
  /** Empty in a cart that an earlier version of the shop saved. */
  category: string;
  regularPrice: number;
}

export interface CartEntry {
  product: CartProduct;
  quantity: number;
  /** Cents of USD that a unit cost when the shopper last chose the quantity: a later price is shown beside it. */
  seenPriceCents?: number;
  /** What the shopper's account held of it when last asked or told; absent while it is in this browser alone. */
  keptQuantity?: number;
}

/** An entry as it is stored: with the moment of its last change, in milliseconds since 1970. */
type SavedEntry = CartEntry & { changedAt?: number };

/** A line that was removed, and whose account has not been told of it yet. */
interface Removal {
  at: number;
  untold?: string | undefined;
}

/** What this tab knows of a product: its entry, or that it was removed. */
interface Line extends Removal {
  entry: CartEntry | undefined;
}

// So long a removal is remembered that another tab may not have seen; one that the account has to be told of is kept.
const REMEMBERED_MS = 60 * 60 * 1_000;

export interface CartStorage extends StoredValue<CartEntry[]> {
  /** The ids of what was removed here and is still in its owner's account. */
  removals(owner: string): string[];
  /** The account no longer has these. */
  forgetRemovals(ids: readonly string[]): void;
  /** The account has one that was removed here. */
  addRemoval(id: string, owner: string): void;
}

/**
 * The cart of this browser, which several tabs change at once. A tab may write before it has heard what another one
 * wrote: browsers tell them later. So every line carries the moment of its last change, a removed one leaves that moment
 * behind, the newer change of each line counts, and a tab that finds its own missing writes it again. `ownerId` is whose
 * account the cart is kept in, if anybody's.
 */
export function createCartStorage(ownerId: () => string | null): CartStorage {
  const saved = stored<SavedEntry[] | null>('guestCart', parseEntries, (entries) => JSON.stringify(entries));
  const removed = stored<Record<string, Removal>>('cartRemovals', parseRemovals, (all) =>
    Object.keys(all).length === 0 ? null : JSON.stringify(all),
  );
  const lines = new Map<string, Line>();
  let seen: { entries: SavedEntry[] | null; removals: Record<string, Removal> } | undefined;
  let value: CartEntry[] = [];

  function read(): CartEntry[] {
    const [entries, removals] = [saved.read(), removed.read()];
    if (seen?.entries === entries && seen.removals === removals) return value;
    seen = { entries, removals };
    if (entries === null) lines.clear();
    for (const { changedAt: at = 0, ...entry } of entries ?? []) learn(entry.product._id, { entry, at });
    for (const [id, removal] of Object.entries(removals)) learn(id, { entry: undefined, ...removal });
    // Written by hand or by an older page, and gone again.
    const listed = new Set(entries?.map(({ product }) => product._id));
    for (const [id, { entry, at }] of lines) if (entry && at === 0 && !listed.has(id)) lines.delete(id);
    const order = new Set([...listed, ...lines.keys()]);
    value = [...order].flatMap((id) => lines.get(id)?.entry ?? []);
    return value;
  }

  function learn(id: string, line: Line): void {
    if (line.at >= (lines.get(id)?.at ?? 0)) lines.set(id, line);
  }

  /** Whether another tab has written without knowing of a newer change that this one knows of. */
  function isOverwritten(): boolean {
    const [entries, removals] = [saved.read(), removed.read()];
    if (entries === null) return false;
    const listed = new Map(entries.map(({ product, changedAt = 0 }) => [product._id, changedAt]));
    return [...lines].some(([id, { entry, at, untold }]) => {
      const savedAt = listed.get(id) ?? (entry ? removals[id]?.at : undefined);
      if (entry) return at > (savedAt ?? 0);
      return (savedAt !== undefined && at > savedAt) || (untold !== undefined && removals[id] === undefined);
    });
  }

  function save(entries: readonly CartEntry[]): void {
    const rememberedSince = Date.now() - REMEMBERED_MS;
    const all: Record<string, Removal> = {};
    for (const [id, { entry, at, untold }] of lines) {
      if (entry) continue;
      if (untold !== undefined || at > rememberedSince) all[id] = { at, untold };
      else lines.delete(id);
    }
    removed.write(all);
    saved.write(entries.map((entry) => ({ ...entry, changedAt: lines.get(entry.product._id)?.at ?? 0 })));
  }

  const nextMoment = (id: string) => Math.max(Date.now(), (lines.get(id)?.at ?? 0) + 1);

  saved.subscribe(() => {
    const entries = read();
    if (isOverwritten()) save(entries);
  });

  function write(entries: CartEntry[]): void {
    const before = new Map(read().map((entry) => [entry.product._id, entry]));
    for (const entry of entries) {
      const id = entry.product._id;
      const isSame = before.get(id)?.quantity === entry.quantity;
      lines.set(id, { entry, at: isSame ? (lines.get(id)?.at ?? 0) : nextMoment(id) });
      before.delete(id);
    }
    for (const id of before.keys()) {
      lines.set(id, { entry: undefined, at: nextMoment(id), untold: ownerId() ?? undefined });
    }
    save(entries);
  }

  return {
    read,
    write,
    clear: () => write([]),
    subscribe: saved.subscribe,
    removals: (owner) => {
      read();
      return [...lines].flatMap(([id, { entry, untold }]) => (!entry && untold === owner ? [id] : []));
    },
    forgetRemovals: (ids) => {
      if (ids.length === 0) return;
      const entries = read();
      for (const id of ids) {
        const line = lines.get(id);
        if (line && !line.entry) lines.set(id, { entry: undefined, at: line.at });
      }
      save(entries);
    },
    addRemoval: (id, owner) => {
      const entries = read();
      if (lines.get(id)?.entry) return;
      lines.set(id, { entry: undefined, at: nextMoment(id), untold: owner });
      save(entries);
    },
  };
}

function parseEntries(text: string | null): SavedEntry[] | null {
  if (text === null) return null;
  const entries = parseJson(text);
  return Array.isArray(entries) ? entries.flatMap(toCartEntry) : [];
}

function parseRemovals(text: string | null): Record<string, Removal> {
  const all = parseJson(text);
  if (!isRecord(all)) return {};
  return Object.fromEntries(
    Object.entries(all).flatMap(([id, removal]) => {
      if (!isRecord(removal)) return [];
      const { at, untold } = removal;
      return [[id, { at: amount(at), ...(typeof untold === 'string' && { untold }) }]];
    }),
  );
}

const amount = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** Entries without a product id are dropped, as are those that no longer make sense. */
export function toCartEntry(entry: unknown): SavedEntry[] {
  if (!isRecord(entry) || !isRecord(entry['product'])) return [];
  const { product } = entry;
  const id = product['_id'] ?? product['id'];
  const quantity = Math.floor(amount(entry['quantity']));
  if (typeof id !== 'string' || id === '' || quantity < 1) return [];
  const price = amount(product['price']);
  const saved = product as Partial<CartProduct>;
  const keptQuantity = Math.floor(amount(entry['keptQuantity']));
  const seenPriceCents = Math.floor(amount(entry['seenPriceCents']));
  return [
    {
      quantity,
      ...(seenPriceCents > 0 && { seenPriceCents }),
      ...(keptQuantity > 0 && { keptQuantity }),
      changedAt: amount(entry['changedAt']),
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
