import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Transaction } from '../../platform/database/database.ts';
import type { ItemRow, OrderLineRow } from '../../platform/database/tables.ts';
import { decryptUnlessAltered } from '../admin/alerts.queries.ts';
import { findCurrentFile } from '../files/files.queries.ts';
import { insertItems } from '../inventory/inventory.queries.ts';
import { findSharedContent, replaceByItem } from './delivery.queries.ts';

/** Kinds of delivery whose items are copies of what the product has, made on delivery. */
type CopiedDelivery = 'shared' | 'file';

export type CopiedLine = Pick<OrderLineRow, 'id' | 'product_id' | 'quantity'> & { delivery: CopiedDelivery };

/** Returns the content of an item, by kind of delivery. A product is on sale only while it has this content. */
const contentOf: Record<CopiedDelivery, (deps: Deps, trx: Transaction, productId: string) => Promise<string>> = {
  shared: readSharedContent,
  // The file itself is downloaded with a grant for the item.
  file: async (_deps, trx, productId) => {
    const file = await findCurrentFile(trx, productId);
    if (!file) throw new Error(`Product ${productId} has no file`);
    return file.name;
  },
};

/** Returns the content that every buyer gets. Throws if there is none; an altered row also raises an alert. */
export async function readSharedContent(deps: Deps, trx: Transaction, productId: string): Promise<string> {
  const row = await findSharedContent(trx, productId);
  if (!row) throw new Error(`Product ${productId} has no content to share`);
  const alert = { subject: productId, message: 'the content of a product was altered in the database' };
  const content = await decryptUnlessAltered(deps, alert, () =>
    deps.cipher.decrypt({ itemId: productId, productId, ...fromColumns(row) }),
  );
  if (content === null) throw new Error(`The content of product ${productId} was altered`);
  return content;
}

/** Makes an item for each unit of the copied lines of an order, in the transaction that settles the order. */
export async function makeCopies(deps: Deps, trx: Transaction, lines: readonly CopiedLine[], now: Date): Promise<void> {
  for (const line of lines) {
    const content = await contentOf[line.delivery](deps, trx, line.product_id);
    const units = Array.from({ length: line.quantity }, (_, index) => index + 1);
    const items = units.map((unit) =>
      newItem(deps, { productId: line.product_id, lineId: line.id, unit, content, now }),
    );
    await insertItems(trx, items);
  }
}

/** Delivers a copy of the product's current content in place of a faulty item. */
export async function replaceByCopy(
  deps: Deps,
  trx: Transaction,
  { faulty, delivery, now }: { faulty: ItemRow; delivery: CopiedDelivery; now: Date },
): Promise<void> {
  const { product_id: productId, order_line_id: lineId, unit } = faulty;
  if (lineId === null || unit === null) throw new Error(`Item ${faulty.id} was not delivered`);
  const content = await contentOf[delivery](deps, trx, productId);
  await replaceByItem(trx, faulty.id, newItem(deps, { productId, lineId, unit, content, now }));
}

interface NewItem {
  /** Set by the caller when a repeated call must not make a second item. */
  id?: string | undefined;
  productId: string;
  lineId: string;
  unit: number;
  content: string;
  now: Date;
}

/** Returns the row of an item delivered when it is made. Others may have the same content, not the same fingerprint. */
export function newItem(
  { cipher }: Pick<Deps, 'cipher'>,
  { id = uuidv7(), productId, lineId, unit, content, now }: NewItem,
) {
  return {
    id,
    product_id: productId,
    state: 'sold' as const,
    ...toColumns(cipher.encrypt({ itemId: id, productId, content })),
    content_hmac: cipher.fingerprintOfCopy({ itemId: id, content }),
    order_line_id: lineId,
    unit,
    added_at: now,
    delivered_at: now,
  };
}
