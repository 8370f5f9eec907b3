import type { Deps } from '../../deps.ts';
import { BrokenSeal } from '../../platform/crypto/aead.ts';
import type { ItemRow } from '../../platform/database/tables.ts';
import { raiseAlert } from '../alerts/raise-alert.ts';
import { openItem } from './open-item.ts';

/**
 * An item's secret, or null when its row was altered: that raises an alert, and must keep nobody from the items beside
 * it, nor an administrator from replacing it.
 */
export async function readItem(
  deps: Pick<Deps, 'cipher' | 'clock' | 'db' | 'log'>,
  item: ItemRow,
): Promise<string | null> {
  try {
    return await openItem(deps, item);
  } catch (error) {
    if (!(error instanceof BrokenSeal)) throw error;
    await raiseAlert(deps, {
      kind: 'unreadable-item',
      subject: item.id,
      message: 'an item in the database was altered',
    });
    return null;
  }
}
