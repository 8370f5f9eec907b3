import { maskContent } from '../../../shared/masking.ts';
import type { Deps } from '../../deps.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { readItem } from './read-item.ts';

/** An item's secret as administrators see it in lists. */
export async function maskItem(
  deps: Pick<Deps, 'cipher' | 'clock' | 'db' | 'log'>,
  item: ItemRow,
): Promise<string> {
  const content = await readItem(deps, item);
  return content === null ? 'Cannot be read' : maskContent(content);
}
