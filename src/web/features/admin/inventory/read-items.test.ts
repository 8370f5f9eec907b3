import { expect, test } from 'vitest';
import { linesOf, nextChunk, readItems } from './read-items.ts';

test('typed text is read line by line, with any line ending', () => {
  expect(linesOf('one\r\ntwo\nthree\rfour')).toEqual(['one', 'two', 'three', 'four']);
  expect(linesOf('one\n\ntwo\n')).toEqual(['one', '', 'two', '']);
});

test('each secret is kept once, trimmed; duplicates and empty lines are counted', () => {
  const read = readItems([' one', 'two', '', 'one\t', ' ', 'two', 'One'], 'none');
  expect(read).toEqual({ items: ['one', 'two', 'One'], doubled: 2, empty: 2 });
});

test('an error names the line that the shop would refuse', () => {
  expect(readItems(['ok', 'x'.repeat(4_001)], 'none')).toEqual({ problem: 'Line 2 is longer than 4,000 characters' });
  const unstorable = { problem: 'Line 1 contains a character that cannot be stored' };
  for (const line of ['a\u0000', 'a\ud800', 'a\ufffd']) expect(readItems([line], 'none')).toEqual(unstorable);
  expect(readItems(['', ' '], 'none')).toEqual({ problem: 'none' });
  const many = Array.from({ length: 100_001 }, (_, index) => `${index}`);
  expect(readItems(many, 'none')).toEqual({ problem: 'At most 100,000 items can be added at once; these are 100,001' });
  expect(readItems([...many.slice(1), ''], 'none')).toMatchObject({ doubled: 0, empty: 1 });
});

test('a chunk has at most 5,000 items and fits the limit of a request body', () => {
  const short = Array.from({ length: 12_000 }, (_, index) => `${index}`);
  expect([0, 5_000, 10_000, 12_000].map((from) => nextChunk(short, from).length)).toEqual([5_000, 5_000, 2_000, 0]);
  const long = Array.from({ length: 1_000 }, () => '\u0001'.repeat(4_000));
  expect(nextChunk(long, 0)).toHaveLength(375);
  expect(JSON.stringify({ items: nextChunk(long, 0) }).length).toBeLessThan(10 * 1024 * 1024);
});
