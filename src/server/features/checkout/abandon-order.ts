import type { Deps } from '../../deps.ts';
import type { OrderRow } from '../../platform/database/tables.ts';
import { endHold } from './holds.queries.ts';
import { releaseIdleOrder } from './release-order.ts';

/** How long after the page is closed or reloaded its buyer may come back. */
const CLOSED_FOR_MS = 60_000;

/**
 * The buyer has left the checkout. When they went to another screen, the goods go back at once; when the page was closed,
 * after 60 s, since a page that is reloaded closes, too. Never while the card is being confirmed or after it was
 * authorised (releaseIdleOrder); what fails here the sweeper does.
 */
export async function abandonOrder(
  deps: Deps,
  order: OrderRow,
  { pageIsClosed }: { pageIsClosed: boolean },
): Promise<void> {
  const now = deps.clock.now();
  if (pageIsClosed) return endHold(deps.db, order.id, new Date(now.getTime() + CLOSED_FOR_MS));
  await endHold(deps.db, order.id, now);
  await releaseIdleOrder(deps, order.id);
}
