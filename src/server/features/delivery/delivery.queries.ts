import { type Insertable, sql } from 'kysely';
import type { BuyerAnswer, BuyerField } from '../../../shared/catalog.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import { type Database, fieldOf, firstRowOf, rowsOf, type Transaction } from '../../platform/database/database.ts';
import type { ItemRow, OrderLineRow, Tables } from '../../platform/database/tables.ts';
import { decryptUnlessAltered } from '../admin/alerts.queries.ts';

export const findSharedContent = (db: Database, productId: string) =>
  db.selectFrom('shared_contents').selectAll().where('product_id', '=', productId).executeTakeFirst();

/** Stores the first or a new content of a product, and returns its version. */
export const saveSharedContent = (
  trx: Transaction,
  content: Omit<Insertable<Tables['shared_contents']>, 'version'>,
) => fieldOf<number>(trx)`
  ${trx.insertInto('shared_contents').values(content)}
  ON CONFLICT (product_id) DO UPDATE SET key_id = excluded.key_id, nonce = excluded.nonce,
    ciphertext = excluded.ciphertext, updated_at = excluded.updated_at, version = shared_contents.version + 1
  RETURNING version`;

const listAnswers = (db: Database, orderId: string) =>
  rowsOf<Tables['buyer_answers'] & Pick<OrderLineRow, 'product_id'>>(db)`
    SELECT buyer_answers.*, product_id FROM buyer_answers JOIN order_lines ON order_lines.id = order_line_id
    WHERE order_id = ${orderId}`;

/** Delivers an item in place of a faulty one, which becomes `burnt`. */
export async function replaceByItem(trx: Transaction, faultyId: string, item: Insertable<Tables['items']>) {
  // This sequence is required: a unit has at most one sold item, and `replaced_by` refers to an existing row.
  await sql`UPDATE items SET state = 'burnt' WHERE id = ${faultyId}`.execute(trx);
  await trx.insertInto('items').values(item).execute();
  await sql`UPDATE items SET replaced_by = ${item.id} WHERE id = ${faultyId}`.execute(trx);
}

/** `counted_units` were not returned, delivered or not; `delivered` are the numbers of those that are delivered. */
type ManualLine = Pick<OrderLineRow, 'id' | 'product_id' | 'name' | 'quantity' | 'counted_units'> & {
  delivered: number[];
};

const deliveredUnits = sql`ARRAY(
  SELECT unit FROM items WHERE order_line_id = order_lines.id AND state = 'sold' ORDER BY unit)`;

/** Lists the lines of an order that a person delivers; none before the order is paid. */
export const listManualLines = (db: Database, orderId: string) => rowsOf<ManualLine>(db)`
  SELECT id, product_id, name, quantity, counted_units, ${deliveredUnits} AS delivered FROM order_lines
  WHERE order_id = ${orderId} AND delivery = 'manual' AND counted_state = 'sold' ORDER BY position`;

/**
 * Returns the numbers of the units of a line that wait for a person. If units were returned, the first units without an
 * item count as the returned ones, as on the buyer's page.
 */
export function waitingNumbers({ quantity, counted_units: units, delivered }: Omit<ManualLine, 'name'>): number[] {
  const missing = missingNumbers(quantity, delivered);
  return missing.slice(missing.length - (units - delivered.length));
}

/** Returns the numbers of the units of a line that are not among those `there`. */
export const missingNumbers = (quantity: number, there: readonly number[]): number[] =>
  Array.from({ length: quantity }, (_, index) => index + 1).filter((unit) => !there.includes(unit));

/** Updates the number of units of an order that wait for a person, unless it was 0. The order must be locked. */
export const followWaitingUnits = (trx: Transaction, orderId: string) =>
  sql`
    UPDATE orders SET waiting_units = (
      SELECT coalesce(sum(counted_units - cardinality(${deliveredUnits})), 0) FROM order_lines
      WHERE order_id = orders.id AND delivery = 'manual' AND counted_state = 'sold')
    WHERE id = ${orderId} AND waiting_units > 0`.execute(trx);

export const findItem = (db: Database, id: string) =>
  firstRowOf<Pick<ItemRow, 'order_line_id' | 'unit' | 'content_hmac'>>(db)`
    SELECT order_line_id, unit, content_hmac FROM items WHERE id = ${id}`;

/** Returns the answers to a product's fields, in their order, without empty ones. Throws VALIDATION_FAILED. */
export function checkAnswers(
  { name, buyer_fields: fields }: { name: string; buyer_fields: readonly BuyerField[] },
  given: readonly BuyerAnswer[],
): BuyerAnswer[] {
  return fields.flatMap(({ label, kind, required, choices }) => {
    const value = given.find((answer) => answer.label === label)?.value ?? '';
    const isChoice = kind === 'text' || choices.includes(value);
    if (value === '' ? required : !isChoice) {
      throw new AppError('VALIDATION_FAILED', `Please fill in “${label}” of “${name}”`, 'answers');
    }
    return value === '' ? [] : [{ label, value }];
  });
}

export async function writeAnswers(
  { cipher }: Pick<Deps, 'cipher'>,
  trx: Transaction,
  lines: { id: string; productId: string; answers: BuyerAnswer[] }[],
): Promise<void> {
  const rows = lines
    .filter(({ answers }) => answers.length > 0)
    .map(({ id, productId, answers }) => {
      const content = JSON.stringify(answers);
      return { order_line_id: id, ...toColumns(cipher.encrypt({ itemId: id, productId, content })) };
    });
  if (rows.length > 0) await trx.insertInto('buyer_answers').values(rows).execute();
}

/** Reads the buyer's answers by order line. A row that was altered raises an alert and is left out. */
export async function readAnswers(deps: Deps, orderId: string): Promise<Map<string, BuyerAnswer[]>> {
  const read = new Map<string, BuyerAnswer[]>();
  for (const row of await listAnswers(deps.db, orderId)) {
    const { order_line_id: itemId, product_id: productId } = row;
    const alert = { subject: itemId, orderId, message: 'the answers of a buyer were altered in the database' };
    const content = await decryptUnlessAltered(deps, alert, () =>
      deps.cipher.decrypt({ itemId, productId, ...fromColumns(row) }),
    );
    if (content !== null) read.set(itemId, JSON.parse(content) as BuyerAnswer[]);
  }
  return read;
}
