import { describe, expect, test, vi } from 'vitest';
import { pageStart, searchText } from './paging.ts';
import { email, id, line, personName, requiredLine, requiredText, text, timestamp } from './text.ts';

const NUL = String.fromCharCode(0);
const LONE_SURROGATE = String.fromCharCode(0xd83d);

describe('text', () => {
  test('is trimmed, may have several lines and is otherwise unchanged', () => {
    expect(text(40).parse('  Activate it\nin your library  ')).toBe('Activate it\nin your library');
    expect(text(40).parse('مرحبا ‏‎ 👩‍👩‍👧')).toBe('مرحبا ‏‎ 👩‍👩‍👧');
    expect(text(40).parse('')).toBe('');
  });

  test('is measured after trimming', () => {
    expect(text(3).safeParse('  abc  ').success).toBe(true);
    expect(text(3).safeParse('abcd').success).toBe(false);
  });

  test('that is too long is refused with the limit', () => {
    const messageOf = (schema: typeof email) =>
      schema.safeParse(`${'a'.repeat(20_000)}@example.com`).error?.issues.map(({ message }) => message);
    expect(messageOf(text(10_000))).toEqual(['Please enter at most 10,000 characters']);
    expect(messageOf(line(40))).toEqual(['Please enter at most 40 characters']);
    expect(messageOf(email)).toContain('Please enter at most 254 characters');
  });

  test.each([
    ['NUL', `a${NUL}b`],
    ['half of an emoji', `a${LONE_SURROGATE}b`],
  ])('with %s is refused, as the database cannot store it', (_what, value) => {
    expect(text(40).safeParse(value).success).toBe(false);
    expect(line(40).safeParse(value).success).toBe(false);
  });

  test.each([[1], [null], [undefined], [['a']], [{}]])('is not converted from another type: %j', (value) => {
    expect(text(40).safeParse(value).success).toBe(false);
  });

  test('that is required must not be only white space', () => {
    expect(requiredText(40).safeParse(' \n ').success).toBe(false);
    expect(requiredLine(40).safeParse('   ').success).toBe(false);
    expect(requiredLine(40).parse(' Mina ')).toBe('Mina');
    expect(requiredLine(40).parse('🎮')).toBe('🎮');
  });

  test.each(['200B', '00AD', '202E', '2800', '3164'])(
    'that is required must have visible characters, not just U+%s',
    (code) => {
      const unseen = String.fromCodePoint(Number.parseInt(code, 16));
      expect(requiredText(40).safeParse(unseen.repeat(3)).success).toBe(false);
      expect(requiredLine(40).safeParse(unseen).success).toBe(false);
      expect(requiredLine(40).safeParse(`${unseen}Mina`).success).toBe(true);
    },
  );
});

test.each(['\n', '\r', '\r\n', '\u2028', '\u2029'])('a line with a line break is refused (%j)', (lineBreak) => {
  expect(line(200).safeParse(`Mina${lineBreak}Bcc: everyone@example.com`).success).toBe(false);
});

describe('an email', () => {
  test('is trimmed and converted to lower case', () => {
    expect(email.parse('  Mina.Tan@Example.COM ')).toBe('mina.tan@example.com');
  });

  test.each(['', 'mina', 'mina@', '@example.com', 'a b@example.com', 'mina@example.com\nBcc: x@example.com', 'a@b'])(
    '%j is refused',
    (value) => {
      expect(email.safeParse(value).success).toBe(false);
    },
  );

  test('has at most 254 characters', () => {
    const addressOf = (length: number) => `mina@${'a.'.repeat((length - 8) / 2)}com`;
    expect(addressOf(254)).toHaveLength(254);
    expect(email.safeParse(addressOf(254)).success).toBe(true);
    expect(email.safeParse(addressOf(256)).success).toBe(false);
  });
});

test('a name has an accent and its letter as one character, as the search looks for them', () => {
  expect(personName.parse('Thẻ'.normalize('NFD'))).toBe('Thẻ'.normalize('NFC'));
});

test('a name or a search that is too long is not composed, which takes seconds for a letter with many accents', () => {
  const composing = vi.spyOn(String.prototype, 'normalize');
  for (const schema of [personName, searchText(100)])
    expect(schema.safeParse('\u0300'.repeat(101)).success).toBe(false);
  expect(composing).not.toHaveBeenCalled();
  composing.mockRestore();
});

test('a limit that is not a number, or too large, is refused in plain words', () => {
  const messageFor = (limit: string) => pageStart.limit.safeParse(limit).error?.issues[0]?.message;
  expect(messageFor('ten')).toBe('must be a number');
  for (const limit of ['0', '201', '1.5']) expect(messageFor(limit)).toBe('must be a whole number from 1 to 200');
});

test('an id is a UUID', () => {
  expect(id.safeParse('0197a3f0-1c2d-7e3f-8a4b-5c6d7e8f9a0b').success).toBe(true);
  expect(
    ['', '1', "' OR 1=1 --", '0197a3f0-1c2d-7e3f-8a4b-5c6d7e8f9a0b '].some((value) => id.safeParse(value).success),
  ).toBe(false);
});

test('a timestamp requires a time zone', () => {
  expect(timestamp.safeParse('2026-03-01T12:00:00Z').success).toBe(true);
  expect(timestamp.safeParse('2026-03-01T20:00:00+08:00').success).toBe(true);
  expect(timestamp.safeParse('2026-03-01T12:00:00').success).toBe(false);
  expect(timestamp.safeParse('2026-02-30T12:00:00Z').success).toBe(false);
});
