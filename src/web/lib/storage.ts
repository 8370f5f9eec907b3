import type { User } from '../../shared/accounts.ts';
import type { DigitalProduct } from '../../shared/catalog.ts';

type Key = 'token' | 'user' | 'guestCart' | 'theme' | 'preferredCurrency';

/** One value that outlives the page. `read` answers the same object until the value changes. */
export interface StoredValue<T> {
  read(): T;
  write(value: T): void;
  clear(): void;
  /** Called on every change, in this tab and in the others. */
  subscribe(listener: () => void): () => void;
}

/** What the cart keeps of a product: `price` is what one costs, the rest is what more of them depends on. */
export interface CartProduct
  extends Pick<DigitalProduct, '_id' | 'name' | 'image' | 'price' | 'stock' | 'discount' | 'flashSale'> {
  regularPrice: number;
}

export interface CartEntry {
  product: CartProduct;
  quantity: number;
  /** What the shopper's account held of it when last asked or told; absent while it is in this browser alone. */
  keptQuantity?: number;
}

const listeners = new Map<Key, Set<() => void>>();
// Holds what the browser refuses to store (private windows, a full quota), so that the visit still works.
const unsaved = new Map<Key, string>();

function readText(key: Key): string | null {
  try {
    return unsaved.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeText(key: Key, text: string | null) {
  unsaved.delete(key);
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text !== null) unsaved.set(key, text);
  }
  notify(key);
}

function notify(key: Key) {
  for (const listener of listeners.get(key) ?? []) listener();
}

// `key` is null when another tab cleared everything.
window.addEventListener('storage', ({ key }) => {
  for (const known of listeners.keys()) {
    if (key === null || key === known) notify(known);
  }
});

function stored<T>(
  key: Key,
  parse: (text: string | null) => T,
  print: (value: T) => string | null,
): StoredValue<T> {
  let last: { text: string | null; value: T } | undefined;
  return {
    read() {
      const text = readText(key);
      if (last === undefined || last.text !== text) last = { text, value: parse(text) };
      return last.value;
    },
    write: (value) => writeText(key, print(value)),
    clear: () => writeText(key, null),
    subscribe(listener) {
      const group = listeners.get(key) ?? new Set();
      listeners.set(key, group.add(listener));
      return () => group.delete(listener);
    },
  };
}

function parseJson(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const amount = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;

/** Entries without a product id are dropped, as are those that no longer make sense. */
function toCartEntry(entry: unknown): CartEntry[] {
  if (!isRecord(entry) || !isRecord(entry['product'])) return [];
  const { product } = entry;
  const id = product['_id'] ?? product['id'];
  const quantity = Math.floor(amount(entry['quantity']));
  if (typeof id !== 'string' || id === '' || quantity < 1) return [];
  const price = amount(product['price']);
  const saved = product as Partial<CartProduct>;
  const keptQuantity = Math.floor(amount(entry['keptQuantity']));
  return [
    {
      quantity,
      ...(keptQuantity > 0 && { keptQuantity }),
      product: {
        _id: id,
        name: String(product['name'] ?? ''),
        image: String(product['image'] ?? ''),
        price,
        stock: Math.floor(amount(product['stock'])),
        regularPrice: 'regularPrice' in product ? amount(product['regularPrice']) : price,
        discount: isRecord(product['discount']) ? (saved.discount ?? null) : null,
        flashSale: isRecord(product['flashSale']) ? (saved.flashSale ?? null) : null,
      },
    },
  ];
}

const plainText = (text: string | null) => text || null;

/** Everything the shop keeps in the browser. The theme is also read by public/theme.js, before anything is painted. */
export const storage = {
  token: stored<string | null>('token', plainText, (token) => token),
  user: stored<User | null>(
    'user',
    (text) => {
      const user = parseJson(text);
      return isRecord(user) && typeof user['_id'] === 'string' ? (user as User) : null;
    },
    (user) => user && JSON.stringify(user),
  ),
  guestCart: stored<CartEntry[]>(
    'guestCart',
    (text) => {
      const entries = parseJson(text);
      return Array.isArray(entries) ? entries.flatMap(toCartEntry) : [];
    },
    (entries) => JSON.stringify(entries),
  ),
  theme: stored<'light' | 'dark'>(
    'theme',
    (text) => (text === 'dark' ? 'dark' : 'light'),
    (theme) => theme,
  ),
  preferredCurrency: stored<string | null>('preferredCurrency', plainText, (code) => code),
};
