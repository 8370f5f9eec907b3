import type { User } from '../../shared/accounts.ts';
import { tryParseJson } from '../../shared/try-parse-json.ts';
import { createCartStorage, parseLine, type SavedLine } from './cart-storage.ts';
import { isRecord, stored } from './stored-value.ts';

const plainText = (text: string | null) => text || null;

const token = stored<string | null>('token', plainText, (text) => text);
const user = stored<User | null>(
  'user',
  (text) => {
    const saved = tryParseJson(text);
    return isRecord(saved) && typeof saved['_id'] === 'string' ? (saved as User) : null;
  },
  (value) => value && JSON.stringify(value),
);

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

/** Everything the shop stores in the browser. public/theme.js also reads the theme, before the first paint. */
export const storage = {
  token,
  user,
  guestCart: createCartStorage(() => (token.read() === null ? undefined : user.read()?._id)),
  payment: stored<TrackedPayment | null>('payment', parsePayment, (payment) => payment && JSON.stringify(payment)),
  theme: stored<'light' | 'dark'>(
    'theme',
    (text) => (text === 'dark' ? 'dark' : 'light'),
    (theme) => theme,
  ),
  preferredCurrency: stored<string | null>('preferredCurrency', plainText, (code) => code),
};

export function forgetSession() {
  token.clear();
  user.clear();
}
