import { DAY_MS } from '../../../shared/durations.ts';
import type { DeliveredItems } from '../../../shared/orders.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { listDownloads } from './grants.queries.ts';

type DownloadableFile = NonNullable<DeliveredItems['items'][number]['items'][number]['file']>;

/** The files of an order as its page shows them, by the ids of their items. */
export async function readDownloads(db: Database, orderId: string): Promise<Map<string, DownloadableFile>> {
  const files = await listDownloads(db, orderId);
  return new Map(
    files.map(({ itemId, name, bytes, version, used, hadOther, ...sold }) => [
      itemId,
      {
        ...{ name, bytes, version },
        isNewVersion: hadOther && used === 0,
        downloadsLeft: downloadsLeft(sold.limit, used),
        until: lastMoment(sold)?.toISOString() ?? null,
      },
    ]),
  );
}

/** Null without a limit. */
export const downloadsLeft = (limit: number | null, used: number): number | null =>
  limit === null ? null : Math.max(0, limit - used);

/** When the downloads of an item end; null when they do not. */
export const lastMoment = ({ deliveredAt, days }: { deliveredAt: Date; days: number | null }): Date | null =>
  days === null ? null : new Date(deliveredAt.getTime() + days * DAY_MS);
