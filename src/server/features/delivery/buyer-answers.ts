import type { BuyerAnswer, BuyerField } from '../../../shared/buyer-fields.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import { fromColumns, toColumns } from '../../platform/crypto/item-cipher.ts';
import type { Database, Transaction } from '../../platform/database/open-database.ts';
import { openUnlessAltered } from '../admin/alerts.queries.ts';
import { insertAnswers, listAnswers } from './delivery.queries.ts';

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
  if (rows.length > 0) await insertAnswers(trx, rows);
}

/** Reads the buyer's answers by order line. A row that was altered raises an alert and is left out. */
export async function readAnswers(deps: Deps, db: Database, orderId: string): Promise<Map<string, BuyerAnswer[]>> {
  const read = new Map<string, BuyerAnswer[]>();
  for (const row of await listAnswers(db, orderId)) {
    const { order_line_id: itemId, product_id: productId } = row;
    const alert = { subject: itemId, orderId, message: 'the answers of a buyer were altered in the database' };
    const content = await openUnlessAltered(deps, alert, () =>
      deps.cipher.decrypt({ itemId, productId, ...fromColumns(row) }),
    );
    if (content !== null) read.set(itemId, JSON.parse(content) as BuyerAnswer[]);
  }
  return read;
}
