// npm run reconcile: prints what the payment provider knows of the time since the restored backup.

import { openPayments } from './open-payments.ts';
import { printComparison } from './print-comparison.ts';
import { readArguments } from './read-arguments.ts';
import { runCommand } from './run-command.ts';

await runCommand({ read: () => readArguments('reconcile', {}) }, async (deps) => {
  await printComparison({ ...deps, payments: await openPayments(deps) });
  return 0;
});
