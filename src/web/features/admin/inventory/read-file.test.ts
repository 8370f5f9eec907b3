import { expect, test } from 'vitest';
import { columnNames, previewOf, readItemFile, withTable } from './read-items.ts';

const read = (content: string | Buffer, name = 'keys.txt') =>
  readItemFile(new File([typeof content === 'string' ? content : new Uint8Array(content)], name));
const linesOfFile = async (content: string | Buffer, name?: string) => (await read(content, name)).lines;
const csv = (content: string | Buffer) => read(content, 'KEYS.CSV');

test('a file is read line by line, with any line ending, without its byte order mark', async () => {
  expect(await linesOfFile('\ufeffone\r\ntwo\nthree\rfour\n')).toEqual(['one', 'two', 'three', 'four']);
  expect(await linesOfFile('')).toEqual([]);
  expect(await linesOfFile('"one", two')).toEqual(['"one", two']);
});

test('a file in UTF-16 is converted, with or without a byte order mark, in either byte order', async () => {
  const text = 'KEY-1\r\nmünze-2\r\nمفتاح';
  const lines = text.split('\r\n');
  for (const marked of [text, `\ufeff${text}`]) {
    const littleEndian = Buffer.from(marked, 'utf16le');
    expect(await linesOfFile(littleEndian)).toEqual(lines);
    expect(await linesOfFile(Buffer.from(littleEndian).swap16())).toEqual(lines);
  }
});

test('a file in another encoding is refused, as its secrets would be altered', async () => {
  await expect(read(Buffer.from('caf\u00e9', 'latin1'))).rejects.toThrow('Please save it as text in UTF-8');
});

test('a CSV with one column is a list: quotes around a line are removed, commas are kept', async () => {
  const list = '"one"\nt"w"o\n"a ""b"", c"\nuser:pa,ss\n"';
  expect(await csv(list)).toEqual({ name: 'KEYS.CSV', lines: ['one', 't"w"o', 'a "b", c', 'user:pa,ss', '"'] });
});

test('a cell of several lines in a CSV with one column is one item, with a preview', async () => {
  const account = (user: string) => `User: ${user}\nPassword: "a",b`;
  const list = ['ann', 'bob'].map((user) => `"${account(user).replaceAll('"', '""')}"`).join('\r\n');
  const file = await csv(`KEY-1\r\n${list}\r\n"KEY-2\r\nKEY-3`);
  expect(file.lines).toEqual(['KEY-1', account('ann'), account('bob'), '"KEY-2', 'KEY-3']);
  expect(previewOf(file).slice(1, 3)).toEqual(['ann:••••••••', 'bob:••••••••']);
  expect(file.table).toBeDefined();
});

test.each(['Key', 'license_keys', '"Product key"', ' VOUCHER CODE '])(
  'the first line %j of a CSV with one column is its header, unless the administrator marks it as a key',
  async (header) => {
    const file = await csv(`${header}\r\nAAAA-1111\r\nBBBB,2222\r\n`);
    expect(file).toMatchObject({ lines: ['AAAA-1111', 'BBBB,2222'], table: { hasHeader: true, column: 0 } });
    if (!file.table) throw new Error('It is a table');
    expect(withTable(file, { ...file.table, hasHeader: false }).lines).toHaveLength(3);
    expect(await linesOfFile(`${header}\r\nAAAA-1111`)).toHaveLength(2);
  },
);

test.each(['KEY-1111', 'STEAM-KEY-ABCD', 'user:secret', 'a code of mine'])(
  'the first line %j of a CSV with one column is an item',
  async (first) => {
    expect(await csv(`${first}\nBBBB`)).toEqual({ name: 'KEYS.CSV', lines: [first, 'BBBB'] });
  },
);

test.each([',', ';', '\t'])(
  'a CSV with columns separated by %j has its header and column guessed, and both can be changed',
  async (comma) => {
    const rows = ['No,License Key,Price', '1,"AAAA-1111-BBBB",5', '2,"with ""quotes""",5', '3,,5', '4,"two\nlines",5'];
    const file = await csv(rows.map((row) => row.replaceAll(',', comma)).join('\r\n'));
    expect(file.lines).toEqual(['AAAA-1111-BBBB', 'with "quotes"', '', 'two\nlines']);
    const { table } = file;
    if (!table) throw new Error('It is a table');
    expect(columnNames(table)).toEqual(['No', 'License Key', 'Price']);
    expect(previewOf(file).slice(0, 3)).toEqual(['AAAA••••••••BBBB', 'with••••••••tes"', '']);
    expect(withTable(file, { ...table, column: 0 }).lines).toEqual(['1', '2', '3', '4']);
    const plain = withTable(file, { ...table, hasHeader: false });
    expect(plain.lines[0]).toBe('License Key');
    expect(columnNames({ ...table, hasHeader: false })).toEqual(['Column 1', 'Column 2', 'Column 3']);
  },
);

test('a CSV with a header is a table, even if some rows are shorter, as in files of Excel', async () => {
  const file = await csv('Region,Product key,Note\r\nEU,AAAA-1111,new\r\nEU,BBBB-2222\r\n,CCCC-3333\r\n');
  expect(file).toMatchObject({ lines: ['AAAA-1111', 'BBBB-2222', 'CCCC-3333'], table: { hasHeader: true, column: 1 } });
  expect(await linesOfFile('AAAA,1\r\nBBBB,2,3', 'list.csv')).toEqual(['AAAA,1', 'BBBB,2,3']);
});

test('a CSV with mixed line endings, as in joined files, keeps all of its rows', async () => {
  const ends = ['\r\n', '\n', '\r\n', '\n', '\r'];
  const file = (row: string) =>
    ['Price,Key', '1,A', `2,${row}`, '3,C', '4,D'].map((line, at) => line + ends[at]).join('');
  expect(await linesOfFile(file('B'), 'joined.csv')).toEqual(['A', 'B', 'C', 'D']);
  expect(await linesOfFile(file('"B\r\nb"'), 'joined.csv')).toEqual(['A', 'B\r\nb', 'C', 'D']);
  expect(await linesOfFile('Key,Price\r\n"A",1\r\n\ufeff"B",2', 'joined.csv')).toEqual(['A', 'B']);
});

test.each(['sep=;\r\n', 'SEP=;\n', '\r\n\r\n'])('the first line %j of a CSV is skipped', async (first) => {
  expect(await linesOfFile(`${first}Key;Price;Note\r\nA;1;x\r\nB;2;y`, 'list.csv')).toEqual(['A', 'B']);
});

test('a CSV without a known header defaults to its first column, and its first line is a key', async () => {
  const file = await csv('AAAA,5\nBBBB,6\nCCCC,7\nDDDD,8\nEEEE,9\nFFFF,10');
  expect(file).toMatchObject({ table: { hasHeader: false, column: 0 } });
  expect(file.lines).toHaveLength(6);
  expect(previewOf(file)).toHaveLength(5);
});

test('a CSV with an unclosed quote is refused', async () => {
  await expect(csv('a,b\n"c,d\ne,f')).rejects.toThrow('a quote in it is not closed');
});
