import { useSyncExternalStore } from 'react';
import type { User } from '../../shared/accounts.ts';
import { tryParseJson } from '../../shared/try-parse-json.ts';

/** Key of the details typed at the checkout. It is here because contact-form.tsx is loaded with the checkout only. */
export const CONTACT_DRAFT = 'checkoutContact';

// Values in session storage, which survive a reload and are not shared with other tabs.
const KEYS_OF_TAB = [CONTACT_DRAFT, 'checkoutOrder'];

/** One value in the browser's storage. `read` returns the same object until the value changes. */
export interface StoredValue<T> {
  read(): T;
  write(value: T): void;
  clear(): void;
  /** Called on every change, in this tab and in the others. */
  subscribe(listener: () => void): () => void;
}

const listeners = new Map<string, Set<() => void>>();
// Values that the browser refuses to store (private window, full quota) are kept in memory, so that the visit still
// works.
const unsaved = new Map<string, string>();

const areaOf = (key: string) => (KEYS_OF_TAB.includes(key) ? sessionStorage : localStorage);

function readText(key: string): string | null {
  try {
    return unsaved.get(key) ?? areaOf(key).getItem(key);
  } catch {
    return null;
  }
}

function writeText(key: string, text: string | null) {
  unsaved.delete(key);
  try {
    if (text === null) areaOf(key).removeItem(key);
    else areaOf(key).setItem(key, text);
  } catch {
    if (text !== null) unsaved.set(key, text);
  }
  notify(key);
}

/** Notifies of one key; of all keys if it is null, e.g. when another tab cleared everything. */
function notify(key: string | null) {
  for (const [name, group] of listeners) {
    if (key === null || key === name) for (const listener of group) listener();
  }
}

window.addEventListener('storage', ({ key }) => notify(key));
// A page that Back restores as it was left has missed the events since then, e.g. of a logout.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) notify(null);
});

export const clearStored = (key: string): void => writeText(key, null);

const toJson = (value: unknown) => (value === null ? null : JSON.stringify(value));

export function stored<T>(
  key: string,
  parse: (text: string | null) => T,
  print: (value: T) => string | null = toJson,
): StoredValue<T> {
  let last: { text: string | null; value: T } | undefined;
  return {
    read() {
      const text = readText(key);
      if (last === undefined || last.text !== text) last = { text, value: parse(text) };
      return last.value;
    },
    write: (value) => writeText(key, print(value)),
    clear: () => clearStored(key),
    subscribe(listener) {
      const group = listeners.get(key) ?? new Set();
      listeners.set(key, group.add(listener));
      return () => group.delete(listener);
    },
  };
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a stored value and renders again when any tab changes it. */
export const useStored = <T>(value: StoredValue<T>): T => useSyncExternalStore(value.subscribe, value.read);

export const storedText = (key: string): StoredValue<string | null> =>
  stored<string | null>(
    key,
    (text) => text || null,
    (text) => text,
  );

/** What the browser stores, besides cart and checkout. public/theme.js reads the theme before the first paint. */
export const storage = {
  token: storedText('token'),
  user: stored<User | null>('user', (text) => {
    const saved = tryParseJson(text);
    return isRecord(saved) && typeof saved['_id'] === 'string' ? (saved as User) : null;
  }),
  theme: stored<'light' | 'dark'>(
    'theme',
    (text) => (text === 'dark' ? 'dark' : 'light'),
    (theme) => theme,
  ),
  preferredCurrency: storedText('preferredCurrency'),
};

export function forgetSession() {
  storage.token.clear();
  storage.user.clear();
}
