// npm run verify: checks the books of the shop, also while it sells, and prints every fault. Exits with 1 after a fault, and
// with 2 when it could not check them.

import type { Invariant } from '../../src/server/features/books/account-faults.ts';
import { checkBooks, PATIENCE_MS } from '../../src/server/features/books/check-books.ts';
import { openPayments } from './open-payments.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { NOT_CHECKED, runCommand } from './run-command.ts';

const USAGE = 'verify -- [--wait SECONDS]';

function readPatienceMs(): number {
  const { wait } = readArguments(USAGE, { options: { wait: { type: 'string' } } }).values;
  // Without a wait, every order under way would be a fault.
  if (wait !== undefined && !/^\d+$/.test(wait)) throw usageError(USAGE);
  return wait === undefined ? PATIENCE_MS : Number(wait) * 1_000;
}

await runCommand({ read: readPatienceMs, failureCode: NOT_CHECKED }, async (deps, patienceMs) => {
  const payments = await openPayments(deps);
  const { faults, checked } = await checkBooks({ ...deps, payments }, { patienceMs });
  for (const { invariant, fault } of faults) console.log(`${invariant}: ${fault}`);
  const { orders, payments: paid, refunds, items, receipts, auditEntries } = checked;
  const rules: Record<Invariant, [rule: string, looked: string]> = {
    I1: ['I1 a captured payment has its delivery or its refund', `${paid} payments`],
    I2: ['I2 an item belongs to one order', `${items} items`],
    I3: ['I3 every item is accounted for', `${items} items, ${orders} orders`],
    I4: ['I4 amounts and refunds agree with the provider', `${orders} orders, ${refunds} refunds`],
    outcome: ['a paid order has its outcome within a minute', `${orders} orders`],
    items: ['every item can be decrypted', `${items} items`],
    files: ['every file is complete, its downloads on record', 'all files'],
    ledger: ['the ledger of reads is unbroken', `${items} items`],
    reviews: ['a rating agrees with the published reviews', 'all reviews'],
    reports: ['a reported item stays with its order', 'all reports'],
    receipts: ['receipts are numbered without gaps', `${receipts} receipts`],
    audit: ['the audit log is unbroken', `${auditEntries} entries`],
  };
  const rows = Object.entries(rules).map(([name, [rule, looked]]) => {
    const found = faults.filter(({ invariant }) => invariant === name).length;
    return [rule, { checked: looked, faults: found || 'none' }];
  });
  console.table(Object.fromEntries(rows));
  console.log('Not checked: I5 (no secret is stored in clear), I7 (no acknowledged change is lost), and of I6 whether');
  console.log('buyers find the outcome of their payments.');
  console.log(faults.length === 0 ? 'Everything adds up.' : `${faults.length} faults were found.`);
  return faults.length === 0 ? 0 : 1;
});
