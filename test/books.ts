import type { Deps } from '../src/server/deps.ts';
import { checkBooks } from '../src/server/features/books/check-books.ts';
import { issueReceipts } from '../src/server/features/receipts/issue-receipts.ts';

/**
 * Checks the books of a test's shop, which has no background work: a receipt that is missing for more than a minute is a
 * fault, so a slow machine would find one. Issues the receipts first.
 */
export async function checkBooksOf(deps: Deps) {
  while (await issueReceipts(deps));
  return checkBooks(deps, { patienceMs: 0 });
}
