import type { Deps } from '../../deps.ts';
import type { Database } from '../../platform/database/open-database.ts';
import type { Actor } from '../../platform/http/client.ts';
import { maskSecrets, maskTyped } from '../inventory/mask-secrets.ts';
import { listItemsOfOrder } from './admin-orders.queries.ts';
import { listOrderLines } from './orders.queries.ts';

/** Lists the items of an order whose content is secret. The name of a file is not. */
async function listSecretItems(db: Database, orderId: string) {
  const lines = (await listOrderLines(db, orderId)).filter(({ delivery }) => delivery !== 'file');
  const items = await listItemsOfOrder(db, orderId);
  return items.filter((item) => lines.some(({ id }) => id === item.order_line_id));
}

/**
 * Masks the secrets of an order's items in a text about the order, because its readers do not need them, and every reveal
 * of an item must be recorded.
 */
export const withoutSecrets = async (
  deps: Pick<Deps, 'cipher'>,
  db: Database,
  { orderId, text }: { orderId: string; text: string },
): Promise<string> => maskSecrets(deps, await listSecretItems(db, orderId), text);

/** The fields in which an administrator describes a change in words, for colleagues, the audit log or the buyer. */
const FIELDS_OF_WORDS = ['reason', 'message', 'text'];

/** Does the same in these fields of an administrator's call: a buyer's mail is easily copied into them with its key. */
export async function withoutSecretsIn<B extends object>(
  deps: Pick<Deps, 'db' | 'cipher' | 'limits'>,
  { orderId, actor }: { orderId: string; actor: Actor },
  body: B,
): Promise<B> {
  const words = Object.entries(body).filter(([field, value]) => FIELDS_OF_WORDS.includes(field) && value);
  if (words.length === 0) return body;
  const secret = await listSecretItems(deps.db, orderId);
  const masked = words.map(async ([field, text]) => [field, await maskTyped(deps, actor, text, secret)]);
  return { ...body, ...Object.fromEntries(await Promise.all(masked)) };
}
