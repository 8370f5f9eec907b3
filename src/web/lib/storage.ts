import type { User } from '../../shared/accounts.ts';
import { createCartStorage } from './cart-storage.ts';
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

/** Everything the shop keeps in the browser. The theme is also read by public/theme.js, before anything is painted. */
export const storage = {
  token,
  user,
  guestCart: createCartStorage(() => (token.read() === null ? null : (user.read()?._id ?? null))),
  theme: stored<'light' | 'dark'>(
    'theme',
    (text) => (text === 'dark' ? 'dark' : 'light'),
    (theme) => theme,
  ),
  preferredCurrency: stored<string | null>('preferredCurrency', plainText, (code) => code),
};
