import { MAX_CART_LINES, MAX_UNITS_PER_LINE } from '../../shared/cart-rules.ts';
import type { Product } from '../../shared/catalog.ts';
import { HOUR_MS } from '../../shared/durations.ts';
import { tryParseJson } from '../../shared/try-parse-json.ts';
import { isRecord, storage, stored } from './storage.ts';

/** The fields of a product that the cart keeps: `price` is the price of one unit, and the others decide the price of more. */
export interface CartProduct
  extends Pick<
    Product,
    '_id' | 'kind' | 'name' | 'image' | 'price' | 'stock' | 'reserved' | 'maxPerGuest' | 'discount' | 'flashSale'
  > {
  /** Empty in a cart that an earlier version of the shop saved. */
  category: string;
  regularPrice: number;
}

export interface SavedLine {
  product: CartProduct;
  quantity: number;
  /** Cents of USD per unit when the shopper last chose the quantity; shown beside a later price. */
  seenPriceCents?: number;
  /** The quantity in the shopper's account at the last sync; absent if the line is in this browser only. */
  syncedQuantity?: number | undefined;
}

/** What this tab knows of a product: its line in the cart, or its removal. */
interface Entry {
  line?: SavedLine;
  /** The time of the last change of the quantity, in milliseconds since 1970; 0 in a cart of an earlier version. */
  at: number;
  /** The owner of a removed line until the account has removed it, too. */
  unsyncedFor?: string | undefined;
}

/** Entries by the id of their product, lines in the sequence of the cart. */
type Entries = ReadonlyMap<string, Entry>;

// Removals are kept this long for tabs that have not seen them. A removal that is not synced to the account is kept
// longer.
const REMOVAL_KEPT_MS = HOUR_MS;

const isKept = ({ line, at, unsyncedFor }: Entry) =>
  line !== undefined || unsyncedFor !== undefined || at > Date.now() - REMOVAL_KEPT_MS;

/**
 * The cart of this browser, which several tabs may change at once. A tab may write before it is notified of another
 * tab's write. So every line has the time of its last change, and a removed line leaves this time behind. The newer
 * change of a line wins, and a tab whose change was overwritten writes it again.
 */
function createCartStorage() {
  /** The account that the cart is synced with, if any. */
  const ownerId = () => (storage.token.read() === null ? undefined : storage.user.read()?._id);
  const storedLines = stored<Entries | null>('guestCart', parseLines, printLines);
  const storedRemovals = stored<Entries>('cartRemovals', parseRemovals, printRemovals);
  let entries: Entries = new Map();
  let seen: { listed: Entries | null; removed: Entries } | undefined;
  let isOverwritten = false;
  let cart: SavedLine[] = [];

  function read(): SavedLine[] {
    const [listed, removed] = [storedLines.read(), storedRemovals.read()];
    if (seen?.listed === listed && seen.removed === removed) return cart;
    seen = { listed, removed };
    const merged = new Map(listed);
    const timeOf = (id: string) => merged.get(id)?.at ?? 0;
    for (const [id, removal] of removed) if (removal.at >= timeOf(id)) merged.set(id, removal);
    // No stored lines means that the browser's storage was cleared: then the entries of this tab are dropped, too.
    const newer = listed === null ? [] : [...entries].filter(([id, entry]) => entry.at > timeOf(id) && isKept(entry));
    for (const [id, entry] of newer) merged.set(id, entry);
    isOverwritten = newer.length > 0;
    entries = merged;
    // A damaged cart, or one of several tabs together, may have more lines than can be ordered.
    cart = [...entries.values()].flatMap(({ line }) => line ?? []).slice(0, MAX_CART_LINES);
    return cart;
  }

  function save(changed: Entries): void {
    entries = changed;
    isOverwritten = false;
    storedRemovals.write(entries);
    storedLines.write(entries);
  }

  storedLines.subscribe(() => {
    read();
    if (isOverwritten) save(entries);
  });

  function write(lines: SavedLine[]): void {
    read();
    const timeAfter = (entry: Entry | undefined) => Math.max(Date.now(), (entry?.at ?? 0) + 1);
    const changed = new Map<string, Entry>();
    for (const line of lines) {
      const before = entries.get(line.product._id);
      const at = before?.line?.quantity === line.quantity ? before.at : timeAfter(before);
      changed.set(line.product._id, { line, at });
    }
    for (const [id, entry] of entries) {
      if (changed.has(id)) continue;
      changed.set(id, entry.line ? { at: timeAfter(entry), unsyncedFor: ownerId() } : entry);
    }
    save(changed);
  }

  return {
    read,
    write,
    clear: () => write([]),
    subscribe: storedLines.subscribe,
    /** The ids of products that were removed here and are still in the account. */
    removals() {
      read();
      const owner = ownerId();
      return [...entries].flatMap(([id, { unsyncedFor }]) => (owner && unsyncedFor === owner ? [id] : []));
    },
    /** Called when the account no longer has these products. */
    forgetRemovals(ids: readonly string[]) {
      read();
      const changed = new Map(entries);
      for (const id of ids) {
        const entry = entries.get(id);
        if (entry) changed.set(id, { ...entry, unsyncedFor: undefined });
      }
      if (ids.length > 0) save(changed);
    },
  };
}

export const guestCart = createCartStorage();

// Some fields have other names in storage, because carts stored by earlier versions use these names.

function printLines(entries: Entries | null): string {
  const lines = [...(entries ?? []).values()].flatMap(({ line, at: changedAt }) => {
    if (line === undefined) return [];
    const { syncedQuantity: keptQuantity, ...fields } = line;
    return { ...fields, keptQuantity, changedAt };
  });
  return JSON.stringify(lines);
}

function parseLines(text: string | null): Entries | null {
  if (text === null) return null;
  const saved = tryParseJson(text);
  const entries = new Map<string, Entry>();
  for (const fields of Array.isArray(saved) ? saved : []) {
    const line = parseLine(fields);
    if (line) entries.set(line.product._id, { line, at: amount(fields.changedAt) });
  }
  return entries;
}

function printRemovals(entries: Entries): string | null {
  const removals = [...entries].filter(([, entry]) => entry.line === undefined && isKept(entry));
  if (removals.length === 0) return null;
  return JSON.stringify(
    Object.fromEntries(removals.map(([id, { at, unsyncedFor }]) => [id, { at, untold: unsyncedFor }])),
  );
}

function parseRemovals(text: string | null): Entries {
  const saved = tryParseJson(text);
  const entries = new Map<string, Entry>();
  for (const [id, removal] of Object.entries(isRecord(saved) ? saved : {})) {
    const { at, untold } = isRecord(removal) ? removal : {};
    entries.set(id, { at: amount(at), unsyncedFor: typeof untold === 'string' ? untold : undefined });
  }
  return entries;
}

const amount = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0);
const whole = (value: unknown) => Math.floor(amount(value));

/** Returns the line; undefined if it has no product id or no valid quantity. */
function parseLine(line: unknown): SavedLine | undefined {
  if (!isRecord(line) || !isRecord(line['product'])) return undefined;
  const { product } = line;
  const id = product['_id'] ?? product['id'];
  const quantity = Math.min(whole(line['quantity']), MAX_UNITS_PER_LINE);
  if (typeof id !== 'string' || id === '' || quantity < 1) return undefined;
  const price = amount(product['price']);
  const seenPriceCents = whole(line['seenPriceCents']);
  const saved = product as Partial<CartProduct>;
  return {
    quantity,
    ...(seenPriceCents > 0 && { seenPriceCents }),
    syncedQuantity: whole(line['keptQuantity']) || undefined,
    product: {
      _id: id,
      kind: product['kind'] === 'physical' ? 'physical' : 'digital',
      name: String(product['name'] ?? ''),
      image: String(product['image'] ?? ''),
      category: String(product['category'] ?? ''),
      price,
      stock: whole(product['stock']),
      reserved: product['reserved'] === true,
      maxPerGuest: whole(product['maxPerGuest']) || null,
      regularPrice: 'regularPrice' in product ? amount(product['regularPrice']) : price,
      discount: isRecord(product['discount']) ? (saved.discount ?? null) : null,
      flashSale: isRecord(product['flashSale']) ? (saved.flashSale ?? null) : null,
    },
  };
}

/** The last payment of this browser, tracked until the buyer has seen the result. */
export interface TrackedPayment {
  orderId: string;
  /**
   * `confirming`: the card is being confirmed. `paid`: the shop is finishing the order. `ready`, `waiting` (for a
   * verified e-mail) and `failed`: results that the buyer has not seen yet. `seen`: the buyer has seen the result.
   */
  phase: 'confirming' | 'paid' | 'ready' | 'waiting' | 'failed' | 'seen';
  /** The page with the finished order: the checkout tells buyers who are not signed in how to open it. */
  path: '/orders' | '/checkout';
  /** The units removed from the cart for this payment; null before the removal. */
  taken: SavedLine[] | null;
}

const phases: readonly unknown[] = ['confirming', 'paid', 'ready', 'waiting', 'failed', 'seen'];

function parsePayment(text: string | null): TrackedPayment | null {
  const saved = tryParseJson(text);
  if (!isRecord(saved) || typeof saved['orderId'] !== 'string' || !phases.includes(saved['phase'])) return null;
  const { orderId, taken } = saved;
  const phase = saved['phase'] as TrackedPayment['phase'];
  const path = saved['path'] === '/orders' ? '/orders' : '/checkout';
  return { orderId, phase, path, taken: Array.isArray(taken) ? taken.flatMap((line) => parseLine(line) ?? []) : null };
}

export const trackedPayment = stored('payment', parsePayment);
