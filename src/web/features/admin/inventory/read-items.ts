import { formatCount } from '../../../../shared/format.ts';
import { MAX_ITEM_LENGTH, MAX_ITEMS_PER_UPLOAD, uploadedItem } from '../../../../shared/inventory.ts';
import { maskContent } from '../../../../shared/item-text.ts';

/** A file of secrets: one in each line, or a table with the secrets in one column. */
export interface ItemFile {
  name: string;
  /** The table of a CSV with several columns or a header; undefined for a list. */
  table?: ItemTable;
  lines: string[];
}

export interface ItemTable {
  rows: string[][];
  hasHeader: boolean;
  column: number;
}

/** Thrown for a file that is refused; the administrator sees its message. */
export class FileProblem extends Error {}

/**
 * Reads a .txt or .csv file in UTF-8 or UTF-16. A CSV with one column, no header and no multi-line cell is a list.
 * Throws FileProblem for an open quote, and for any other encoding, as UTF-8 would alter the secrets.
 */
export async function readItemFile(file: File): Promise<ItemFile> {
  const text = decode(new Uint8Array(await file.arrayBuffer()));
  // The line break at the end of the file does not begin another line.
  const listOf = (content: string) => linesOf(content.replace(/\r?\n$/, ''));
  if (!/\.csv$/i.test(file.name)) return { name: file.name, lines: listOf(text) };
  // Blank lines, or a line that names the delimiter for Excel.
  const content = text.replace(/^(sep=[,;\t])?\s*[\r\n]+/i, '');
  const lines = listOf(content);
  const rows = await parseRows(content, lines);
  if (rows.some((row) => row.length > 1)) return withTable(file, guessColumn(rows));
  const table = { rows, hasHeader: LIST_HEADER.test(rows[0]?.[0]?.trim() ?? ''), column: 0 };
  // A table with joined lines is shown for confirmation, because a quote may also be part of a secret.
  if (table.hasHeader || rows.length < lines.length) return withTable(file, table);
  return { name: file.name, lines: columnOf(table) };
}

export const withTable = ({ name }: Pick<ItemFile, 'name'>, table: ItemTable): ItemFile => ({
  name,
  lines: columnOf(table),
  table,
});

const columnOf = ({ rows, hasHeader, column }: ItemTable): string[] =>
  rows.slice(hasHeader ? 1 : 0).map((row) => row[column] ?? '');

const NUL_BYTE = 0;

/** Recognises UTF-16 by its byte order mark or, without one, by the zero byte of each Latin letter. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second, third, fourth] = bytes;
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === NUL_BYTE && third === NUL_BYTE && bytes.length > 3) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (second === NUL_BYTE && fourth === NUL_BYTE) return 'utf-16le';
  return 'utf-8';
}

function decode(bytes: Uint8Array): string {
  try {
    // A mark at the beginning of a later line is that of a file that was appended.
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes).replaceAll(/(?<=[\r\n])\ufeff/g, '');
  } catch {
    throw new FileProblem('This file could not be read. Please save it as text in UTF-8.');
  }
}

const DELIMITERS = [',', ';', '\t'];
const ROWS_COMPARED = 20;

/** Parses a CSV into rows. The parser is loaded only when a CSV is chosen. */
async function parseRows(text: string, lines: string[]): Promise<string[][]> {
  const { parse } = await import('csv-parse/browser/esm/sync').catch(() => {
    // After a failed import, Chromium returns the cached failure for every later import of the same file.
    throw new FileProblem('The CSV reader could not be loaded. Please load the page again.');
  });
  const parseWith = (delimiter: string, to?: number): string[][] =>
    parse(text, {
      delimiter,
      // Without this, the end of the first line counts as that of all lines, and joined files have different ones.
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_quotes: true,
      relax_column_count: true,
      ...(to && { to }),
    });
  // A file without a delimiter in its first line is a list, in which a quote may be part of a secret.
  const offered = DELIMITERS.filter((delimiter) => lines[0]?.includes(delimiter));
  try {
    const [widest] = offered
      .map((delimiter) => ({ delimiter, columns: columnsOf(parseWith(delimiter, ROWS_COMPARED)) }))
      .filter(({ columns }) => columns > 1)
      .sort((one, other) => other.columns - one.columns);
    return widest ? parseWith(widest.delimiter) : cellsOf(lines).map((cell) => [unquote(cell)]);
  } catch {
    throw new FileProblem('This file could not be read as CSV: a quote in it is not closed.');
  }
}

/**
 * Returns the number of columns, ignoring empty rows. Rows of different lengths are taken for a list (one column) of
 * secrets that contain commas, unless the first row names a column of keys, because Excel omits trailing commas in some
 * rows.
 */
function columnsOf(rows: string[][]): number {
  const [head = []] = rows;
  if (head.some((cell) => LIST_HEADER.test(cell.trim()))) return head.length;
  const [columns = 1, ...others] = new Set(
    rows.filter((row) => row.some((cell) => cell !== '')).map((row) => row.length),
  );
  return others.length > 0 ? 1 : columns;
}

const hasOpenQuote = (line: string) => line.split('"').length % 2 === 0;

/** Joins the lines of each quoted cell, such as an account with a line for each of its fields. */
function cellsOf(lines: string[]): string[] {
  const cells: string[] = [];
  for (let line = 0; line < lines.length; line += 1) {
    const first = lines[line] ?? '';
    const last =
      first.startsWith('"') && hasOpenQuote(first)
        ? lines.findIndex((other, index) => index > line && hasOpenQuote(other))
        : -1;
    const cell = lines.slice(line, last + 1).join('\n');
    const isCell = /^"([^"]|"")*"\s*$/.test(cell);
    cells.push(isCell ? cell : first);
    if (isCell) line = last;
  }
  return cells;
}

function unquote(cell: string): string {
  const inside = /^\s*"(.*)"\s*$/s.exec(cell)?.[1];
  return inside === undefined ? cell : inside.replaceAll('""', '"');
}

const KEY_WORD = '(key|code|licen[cs]e|secret|serial|item|voucher|pin|credential)s?';
const KEY_HEADER = new RegExp(`\\b${KEY_WORD}\\b`, 'i');
// Matches the header of a list, or of a table whose rows differ in length, e.g. "Product key". Stricter than the
// pattern above, because the line could itself be a key.
const LIST_HEADER = new RegExp(`^([a-z]+[ _-])?${KEY_WORD}$`, 'i');

function guessColumn(rows: string[][]): ItemTable {
  const named = rows[0]?.findIndex((cell) => KEY_HEADER.test(cell.replaceAll(/[_-]/g, ' '))) ?? -1;
  return { rows, hasHeader: named >= 0, column: Math.max(0, named) };
}

export const columnNames = ({ rows, hasHeader }: ItemTable): string[] =>
  (rows[0] ?? []).map((cell, index) => (hasHeader && cell.trim() !== '' ? cell.trim() : `Column ${index + 1}`));

const LINES_PREVIEWED = 5;

export const previewOf = ({ lines }: ItemFile): string[] =>
  lines.slice(0, LINES_PREVIEWED).map((line) => (line.trim() === '' ? '' : maskContent(line.trim())));

/** The secrets of an upload, trimmed and without duplicates, and the numbers of lines that were left out. */
export interface ReadItems {
  items: string[];
  doubled: number;
  empty: number;
}

// These limits keep the progress bar moving and the JSON of a call below 10 MiB, even if every character is escaped.
const ITEMS_PER_CALL = 5_000;
const CHARACTERS_PER_CALL = 1_500_000;

export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\r|\n/));

/** Returns the items to send, or the reason why the lines are refused. */
export function readItems(lines: string[], emptyMessage: string): ReadItems | { problem: string } {
  const items = new Set<string>();
  let empty = 0;
  for (const [index, line] of lines.entries()) {
    const { data: item } = uploadedItem.safeParse(line);
    if (item === undefined) return { problem: `Line ${formatCount(index + 1)} ${reasonFor(line)}` };
    if (item === '') empty += 1;
    else items.add(item);
  }
  if (items.size === 0) return { problem: emptyMessage };
  const filled = lines.length - empty;
  if (filled > MAX_ITEMS_PER_UPLOAD) {
    return {
      problem: `At most ${formatCount(MAX_ITEMS_PER_UPLOAD)} items can be added at once; these are ${formatCount(filled)}`,
    };
  }
  return { items: [...items], doubled: filled - items.size, empty };
}

const reasonFor = (line: string) =>
  line.trim().length > MAX_ITEM_LENGTH
    ? `is longer than ${formatCount(MAX_ITEM_LENGTH)} characters`
    : 'contains a character that cannot be stored';

export function nextChunk(items: readonly string[], from: number): string[] {
  let to = from;
  let characters = 0;
  while (to < items.length && to < from + ITEMS_PER_CALL) {
    characters += items[to]?.length ?? 0;
    if (characters > CHARACTERS_PER_CALL) break;
    to += 1;
  }
  return items.slice(from, to);
}
