import { maskContent } from '../../../shared/masking.ts';
import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/aead.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { openItem } from './open-item.ts';

const UNREADABLE = 'Cannot be read';

/**
 * An item's secret as administrators see it in lists. One whose row was altered raises an alert, and must not keep them
 * from the others, nor from replacing it.
 */
export async function maskItem(deps: Pick<Deps, 'cipher' | 'log'>, item: ItemRow): Promise<string> {
  try {
    return maskContent(await openItem(deps, item));
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error;
    deps.log.error({ alert: 'unreadable-item', itemId: item.id }, 'an item in the database was altered');
    return UNREADABLE;
  }
}
