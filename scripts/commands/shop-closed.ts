// npm run shop:closed: closes the shop to new payments (on) or opens it (off); without an argument, prints its state.

import { closeShop, openShop } from '../../src/server/features/closing/close-shop.ts';
import { findClosed } from '../../src/server/features/closing/closing.queries.ts';
import { closedText } from '../../src/shared/content.ts';
import { reason as reasonText } from '../../src/shared/inventory.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { runCommand } from './run-command.ts';

const USAGE = 'shop:closed -- on|off --reason "for administrators" [--message "for buyers"]';
const actor = { userId: null, name: 'npm run shop:closed', ip: '' };

await runCommand(async (deps) => {
  const { positionals, values } = readArguments(USAGE, {
    options: { reason: { type: 'string' }, message: { type: 'string' } },
    allowPositionals: true,
  });
  const [wanted = '', ...others] = positionals;
  if (positionals.length > 0 || Object.keys(values).length > 0) {
    const reason = reasonText.safeParse(values.reason);
    const message = closedText.safeParse(values.message);
    const isMessageRefused = values.message !== undefined && !message.success;
    const isRefused = !['on', 'off'].includes(wanted) || others.length > 0 || isMessageRefused;
    if (isRefused || !reason.success) throw usageError(USAGE);
    if (wanted === 'on') await closeShop(deps, { reason: reason.data, message: message.data, actor });
    else await openShop(deps, { reason: reason.data, actor });
  }
  const closed = await findClosed(deps.db);
  if (!closed) console.log('The shop is open.');
  else {
    console.log(`The shop has been closed since ${closed.since.toISOString()}: ${closed.reason}`);
    console.log(`Buyers see: ${closed.message}`);
  }
  return 0;
});
