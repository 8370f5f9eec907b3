import { formatCount } from '../../../../shared/format.ts';
import { MAX_ITEM_LENGTH, MAX_ITEMS_PER_UPLOAD, uploadedItem } from '../../../../shared/inventory.ts';

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
