import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/open-database.ts';
import { maskSecrets } from '../inventory/mask-secrets.ts';
import { listItemsOfOrder } from './admin-orders.queries.ts';
import { listOrderLines } from './orders.queries.ts';

/**
 * Masks the secrets of an order's items in a text about the order, because its readers do not need them, and every reveal
 * of an item must be recorded. The name of a file is no secret.
 */
export async function withoutSecrets(
  { cipher }: Pick<Deps, 'cipher'>,
  db: Database,
  { orderId, text }: { orderId: string; text: string },
): Promise<string> {
  const lines = (await listOrderLines(db, orderId)).filter(({ delivery }) => delivery !== 'file');
  const items = await listItemsOfOrder(db, orderId);
  const secret = items.filter((item) => lines.some(({ id }) => id === item.order_line_id));
  return maskSecrets({ cipher }, secret, text);
}

/** The fields in which an administrator describes a change in words, for colleagues, the audit log or the buyer. */
const FIELDS_OF_WORDS = ['reason', 'message', 'text'];

/** Does the same in these fields of an administrator's call: a buyer's mail is easily copied into them with its key. */
export async function withoutSecretsIn<B extends object>(
  deps: Pick<Deps, 'db' | 'cipher'>,
  orderId: string,
  body: B,
): Promise<B> {
  const masked = Object.entries(body).map(async ([field, value]) => {
    const hasWords = FIELDS_OF_WORDS.includes(field) && typeof value === 'string' && value !== '';
    return [field, hasWords ? await withoutSecrets(deps, deps.db, { orderId, text: value }) : value];
  });
  return Object.fromEntries(await Promise.all(masked)) as B;
}
