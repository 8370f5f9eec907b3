// npm run reconcile: what the payment provider knows of the time since the backup that was restored.

import { printComparison } from './print-comparison.ts';
import { openPayments, runCommand } from './run-command.ts';

await runCommand(async (deps) => {
  await printComparison({ ...deps, payments: await openPayments(deps) });
  return 0;
});
