import { describe, expect, it } from 'vitest';
import {
  contains,
  formatShopDay,
  formatShopMoment,
  initialOf,
  isolated,
  isolateNames,
  shopDayOf,
  unitsInWords,
  waitInWords,
} from './format.ts';

describe('a moment in the shop’s time', () => {
  it('names the time zone and has the date in that zone', () => {
    expect(formatShopMoment('2026-11-20T15:59:59Z')).toBe('20 Nov 2026, 23:59 GMT+8');
    expect(formatShopMoment(new Date('2026-11-20T16:00:00Z'))).toBe('21 Nov 2026, 00:00 GMT+8');
  });
});

describe('a day of the shop', () => {
  it('begins at midnight in the shop’s time', () => {
    expect(shopDayOf(new Date('2026-11-20T15:59:59Z'))).toBe('2026-11-20');
    expect(shopDayOf(new Date('2026-11-20T16:00:00Z'))).toBe('2026-11-21');
    expect(formatShopDay('2026-11-21')).toBe('21 Nov');
  });
});

it('a wait is in minutes, and in hours from 90 minutes on', () => {
  expect([61, 5_340, 5_341, 83_100].map(waitInWords)).toEqual(['2 minutes', '89 minutes', '2 hours', '24 hours']);
});

it('the initial of a name is a whole character', () => {
  expect(['aminah', '🎮 Ali', 'émile', '山田', ''].map(initialOf)).toEqual(['A', '🎮', 'É', '山', '?']);
});

it('a search finds a text whether accents are typed as one character or as two', () => {
  for (const form of ['NFC', 'NFD']) {
    expect(contains('Thẻ quà Pokémon'.normalize(form), 'QUÀ POKÉ'.normalize('NFD'))).toBe(true);
    expect(contains('Pokémon'.normalize(form), 'pokè'.normalize('NFC'))).toBe(false);
  }
});

it('a name that is written from right to left is isolated from the quantities beside it', () => {
  const items = [
    { name: 'משחק 2', quantity: 1 },
    { name: 'Neon Apex Rally', quantity: 3 },
  ];
  expect(unitsInWords(items)).toBe('1 × \u2068משחק 2\u2069, 3 × Neon Apex Rally');
  expect(isolateNames('Only 2 of "משחק" and 3 of “Neon” left')).toBe(
    'Only 2 of "\u2068משחק\u2069" and 3 of “Neon” left',
  );
});

it('a name beside other text has no marks that turn that text round', () => {
  for (const mark of '\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069') {
    expect(isolated(`Ali ${mark}moc`)).toBe('Ali moc');
    expect(isolated(`${mark}משחק\u2069`)).toBe('\u2068משחק\u2069');
  }
});
