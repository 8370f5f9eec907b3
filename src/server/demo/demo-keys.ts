import { type SeededRandom, seededRandom } from './seeded-random.ts';

// Without the letters and digits that are taken for one another when typed.
const KEY_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const TOKEN_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const characters = (random: SeededRandom, alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet.charAt(random.whole(0, alphabet.length - 1))).join('');

const groups = (random: SeededRandom, count: number, length: number) =>
  Array.from({ length: count }, () => characters(random, KEY_ALPHABET, length)).join('-');

function account(random: SeededRandom): string {
  const first = random.pick([
    'quiet',
    'amber',
    'paper',
    'silver',
    'coral',
    'lucky',
    'cedar',
    'velvet',
    'arctic',
    'mango',
  ]);
  const second = random.pick([
    'heron',
    'otter',
    'kite',
    'tiger',
    'comet',
    'ferry',
    'lotus',
    'raven',
    'panda',
    'hornbill',
  ]);
  return `${first}.${second}${random.whole(100, 9999)}:${characters(random, TOKEN_ALPHABET, 14)}`;
}

// Addresses end in .test, which never leads anywhere (RFC 6761).
const styles = {
  'product-key': (random) => groups(random, 3, 5),
  'long-key': (random) => groups(random, 5, 5),
  voucher: (random) => groups(random, 3, 4),
  'gift-card': (random) => groups(random, 4, 4),
  account,
  'download-link': (random) => `https://downloads.kedai.test/${characters(random, TOKEN_ALPHABET, 28)}`,
  esim: (random) => `LPA:1$esim.kedai.test$${groups(random, 4, 5)}`,
} as const satisfies Record<string, (random: SeededRandom) => string>;

/** What a product's secrets look like. */
export type KeyStyle = keyof typeof styles;

/** The first `count` secrets of a demo product; the same for the same slug everywhere, worth nothing anywhere. */
export function demoKeys(slug: string, style: KeyStyle, count: number): string[] {
  const random = seededRandom(`keys of ${slug}`);
  return Array.from({ length: count }, () => styles[style](random));
}
