import { issueReceipts } from '../src/server/features/receipts/issue-receipts.ts';
import { listOrdersWithoutReceipt, listRefundsWithoutNote } from '../src/server/features/receipts/receipts.queries.ts';

/** Numbers all that was paid and given back. The shop's own loop may be at it: then a call leaves it to that, and does nothing. */
export async function issueAllReceipts(deps: Parameters<typeof issueReceipts>[0]): Promise<void> {
  const isDone = () =>
    deps.db
      .transaction()
      .execute(
        async (trx) =>
          (await listOrdersWithoutReceipt(trx, 1)).length + (await listRefundsWithoutNote(trx, 1)).length === 0,
      );
  do await issueReceipts(deps);
  while (!(await isDone()));
}
