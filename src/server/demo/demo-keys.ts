import { accountItem } from '../../shared/item-text.ts';

// Without the letters and digits that are easily confused.
const KEY_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const TOKEN_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const FIRST_WORDS = 'quiet amber paper silver coral lucky cedar velvet arctic mango'.split(' ');
const SECOND_WORDS = 'heron otter kite tiger comet ferry lotus raven panda hornbill'.split(' ');

type Whole = (low: number, high: number) => number;

const characters = (whole: Whole, alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet.charAt(whole(0, alphabet.length - 1))).join('');

const groups = (whole: Whole, count: number, length: number) =>
  Array.from({ length: count }, () => characters(whole, KEY_ALPHABET, length)).join('-');

// Host names end in .test, which is never resolved (RFC 6761).
const styles = {
  'product-key': (whole) => groups(whole, 3, 5),
  'long-key': (whole) => groups(whole, 5, 5),
  voucher: (whole) => groups(whole, 3, 4),
  'gift-card': (whole) => groups(whole, 4, 4),
  account: (whole) =>
    `${FIRST_WORDS[whole(0, 9)]}.${SECOND_WORDS[whole(0, 9)]}${whole(100, 9999)}:${characters(whole, TOKEN_ALPHABET, 14)}`,
  'account-fields': (whole) =>
    accountItem({
      User: `${FIRST_WORDS[whole(0, 9)]}.${SECOND_WORDS[whole(0, 9)]}${whole(100, 9999)}`,
      Password: characters(whole, TOKEN_ALPHABET, 14),
      Note: 'For five devices at a time',
    }),
  confirmation: (whole) => `The year is added to your account. Confirmation ${groups(whole, 2, 5)}`,
  'download-link': (whole) => `https://downloads.kedai.test/${characters(whole, TOKEN_ALPHABET, 28)}`,
  esim: (whole) => `LPA:1$esim.kedai.test$${groups(whole, 4, 5)}`,
} as const satisfies Record<string, (whole: Whole) => string>;

/** The form of a product's keys. */
export type KeyStyle = keyof typeof styles;

/** The first `count` keys of a demo product: the same for a slug on every machine, and worth nothing. */
export function demoKeys(slug: string, style: KeyStyle, count: number): string[] {
  const next = seededRandom(`keys of ${slug}`);
  const whole: Whole = (low, high) => low + Math.floor(next() * (high - low + 1));
  return Array.from({ length: count }, () => styles[style](whole));
}

/** Numbers from 0 to below 1: Mulberry32 (Tommy Ettinger), seeded with the text's FNV-1a hash. Never for real secrets. */
function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
