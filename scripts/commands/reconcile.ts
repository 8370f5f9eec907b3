// npm run reconcile: prints what the payment provider knows of the time since the restored backup.

import { printComparison } from './print-comparison.ts';
import { openPayments, runCommand } from './run-command.ts';

await runCommand(async (deps) => {
  await printComparison({ ...deps, payments: await openPayments(deps) });
  return 0;
});
