import type { User } from '../../shared/accounts.ts';
import { type CartEntry, createCartStorage, toCartEntry } from './cart-storage.ts';
import { isRecord, parseJson, stored } from './stored-value.ts';

const plainText = (text: string | null) => text || null;

const token = stored<string | null>('token', plainText, (text) => text);
const user = stored<User | null>(
  'user',
  (text) => {
    const saved = parseJson(text);
    return isRecord(saved) && typeof saved['_id'] === 'string' ? (saved as User) : null;
  },
  (value) => value && JSON.stringify(value),
);

/** The last payment of this browser, as far as its buyer has to be told of it. */
export interface KeptPayment {
  orderId: string;
  /**
   * `confirming` the card; `paid`, and the shop finishes the order; `ready`, `waiting` for the verified e-mail or
   * `failed`, and not yet seen; `seen`.
   */
  phase: 'confirming' | 'paid' | 'ready' | 'waiting' | 'failed' | 'seen';
  /** Where the finished order is: the checkout tells those who are not signed in how to reach it. */
  path: '/orders' | '/checkout';
  /** What left the cart for it; null before. */
  taken: CartEntry[] | null;
}

const phases: readonly unknown[] = ['confirming', 'paid', 'ready', 'waiting', 'failed', 'seen'];

function parsePayment(text: string | null): KeptPayment | null {
  const saved = parseJson(text);
  if (!isRecord(saved) || typeof saved['orderId'] !== 'string' || !phases.includes(saved['phase']))
    return null;
  const { orderId, taken } = saved;
  const phase = saved['phase'] as KeptPayment['phase'];
  const path = saved['path'] === '/orders' ? '/orders' : '/checkout';
  return { orderId, phase, path, taken: Array.isArray(taken) ? taken.flatMap(toCartEntry) : null };
}

/** Everything the shop keeps in the browser. The theme is also read by public/theme.js, before anything is painted. */
export const storage = {
  token,
  user,
  guestCart: createCartStorage(() => (token.read() === null ? null : (user.read()?._id ?? null))),
  payment: stored<KeptPayment | null>(
    'payment',
    parsePayment,
    (payment) => payment && JSON.stringify(payment),
  ),
  theme: stored<'light' | 'dark'>(
    'theme',
    (text) => (text === 'dark' ? 'dark' : 'light'),
    (theme) => theme,
  ),
  preferredCurrency: stored<string | null>('preferredCurrency', plainText, (code) => code),
};
