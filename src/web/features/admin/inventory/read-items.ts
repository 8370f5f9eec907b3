import { formatCount } from '../../../../shared/figures.ts';
import { MAX_ITEM_LENGTH, MAX_ITEMS_PER_UPLOAD, uploadedItem } from '../../../../shared/inventory.ts';

/** What an upload holds once it is read: each secret once, trimmed, and what was left out on the way. */
export interface ReadItems {
  items: string[];
  doubled: number;
  empty: number;
}

// Of a call, so that the bar moves; and the characters that certainly fit its 10 MiB, however they are written as JSON.
const ITEMS_PER_CALL = 5_000;
const CHARACTERS_PER_CALL = 1_500_000;

export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\r|\n/));

/**
 * The lines of a .txt or .csv file. A line of a CSV is one secret, also when it holds commas; quotes around all of it
 * are the file's and not the secret's. Throws when the file is not UTF-8: read otherwise its secrets would be altered.
 */
export async function linesOfFile(file: File): Promise<string[]> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  // The line break that ends a file begins no other line.
  const lines = linesOf(text.replace(/\r?\n$/, ''));
  return /\.csv$/i.test(file.name) ? lines.map(unquote) : lines;
}

function unquote(line: string): string {
  const inside = /^\s*"(.*)"\s*$/.exec(line)?.[1];
  return inside === undefined ? line : inside.replaceAll('""', '"');
}

/** What is to be sent of these lines, or why they cannot be. */
export function readItems(lines: string[], whenEmpty: string): ReadItems | { problem: string } {
  const items = new Set<string>();
  let empty = 0;
  for (const [index, line] of lines.entries()) {
    const { data: item } = uploadedItem.safeParse(line);
    if (item === undefined) return { problem: `Line ${formatCount(index + 1)} ${faultOf(line)}` };
    if (item === '') empty += 1;
    else items.add(item);
  }
  if (items.size === 0) return { problem: whenEmpty };
  const filled = lines.length - empty;
  if (filled > MAX_ITEMS_PER_UPLOAD) {
    return {
      problem: `At most ${formatCount(MAX_ITEMS_PER_UPLOAD)} items can be added at once; these are ${formatCount(filled)}`,
    };
  }
  return { items: [...items], doubled: filled - items.size, empty };
}

const faultOf = (line: string) =>
  line.trim().length > MAX_ITEM_LENGTH
    ? `is longer than ${formatCount(MAX_ITEM_LENGTH)} characters`
    : 'contains a character that cannot be stored';

/** The next items that go in one call. */
export function nextChunk(items: string[], from: number): string[] {
  let to = from;
  let characters = 0;
  while (to < items.length && to < from + ITEMS_PER_CALL) {
    characters += items[to]?.length ?? 0;
    if (characters > CHARACTERS_PER_CALL) break;
    to += 1;
  }
  return items.slice(from, to);
}
