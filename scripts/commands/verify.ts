// npm run verify: checks the books of the shop, also while it sells, and prints every fault. Exits with 1 after a fault, and
// with 2 when it could not check them.

import { checkBooks, PATIENCE_MS } from '../../src/server/features/books/check-books.ts';
import { openPayments } from './open-payments.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { NOT_CHECKED, runCommand } from './run-command.ts';

const USAGE = 'verify -- [--wait SECONDS]';

await runCommand(async (deps) => {
  const { wait } = readArguments(USAGE, { options: { wait: { type: 'string' } } }).values;
  // Without a wait, every order under way would be a fault.
  if (wait !== undefined && !/^\d+$/.test(wait)) throw usageError(USAGE);
  const patienceMs = wait === undefined ? PATIENCE_MS : Number(wait) * 1_000;
  const payments = await openPayments(deps);
  const { faults, checked } = await checkBooks({ ...deps, payments }, { patienceMs });
  for (const { invariant, fault } of faults) console.log(`${invariant}: ${fault}`);
  const found = (...names: string[]) => faults.filter(({ invariant }) => names.includes(invariant)).length || 'none';
  const { orders, payments: paid, refunds, items, receipts, auditEntries } = checked;
  console.table({
    'I1 a captured payment has its delivery or its refund': { checked: `${paid} payments`, faults: found('I1') },
    'I2 an item belongs to one order': { checked: `${items} items`, faults: found('I2') },
    'I3 every item is accounted for': { checked: `${items} items, ${orders} orders`, faults: found('I3') },
    'I4 our money is the provider’s': { checked: `${orders} orders, ${refunds} refunds`, faults: found('I4') },
    'a paid order has its outcome within a minute': { checked: `${orders} orders`, faults: found('outcome') },
    'every item can be decrypted': { checked: `${items} items`, faults: found('items') },
    'the ledger of what was shown is unbroken': { checked: `${items} items`, faults: found('ledger') },
    'receipts are numbered without gaps': { checked: `${receipts} receipts`, faults: found('receipts') },
    'the audit log is unbroken': { checked: `${auditEntries} entries`, faults: found('audit') },
  });
  console.log(
    'The books cannot show I5 (no secret stands in clear anywhere), I7 (what was acknowledged is still there),',
  );
  console.log('and of I6 only that every payment has an outcome, not that its buyer finds it.');
  console.log(faults.length === 0 ? 'Everything adds up.' : `${faults.length} things do not add up.`);
  return faults.length === 0 ? 0 : 1;
}, NOT_CHECKED);
