// npm run shop:closed: closes the shop to new payments (on) or opens it (off); without an argument, prints its state.

import * as z from 'zod/mini';
import { closeShop, findClosed, openShop } from '../../src/server/features/closing/closing.ts';
import { closedText } from '../../src/shared/content.ts';
import { reason as reasonText } from '../../src/shared/inventory.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { runCommand } from './run-command.ts';

const USAGE = 'shop:closed -- on|off --reason "for administrators" [--message "for buyers"]';
const actor = { userId: null, name: 'npm run shop:closed', ip: '' };

interface Wanted {
  state: 'on' | 'off';
  reason: string;
  message: string | undefined;
}

/** Returns undefined without arguments. */
function readWanted(): Wanted | undefined {
  const { positionals, values } = readArguments(USAGE, {
    options: { reason: { type: 'string' }, message: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length === 0 && Object.keys(values).length === 0) return undefined;
  const [state, ...others] = positionals;
  const reason = reasonText.safeParse(values.reason);
  const message = z.optional(closedText).safeParse(values.message);
  const isRefused = (state !== 'on' && state !== 'off') || others.length > 0;
  if (isRefused || !reason.success || !message.success) throw usageError(USAGE);
  return { state, reason: reason.data, message: message.data };
}

await runCommand({ read: readWanted }, async (deps, wanted) => {
  if (wanted?.state === 'on') await closeShop(deps, { ...wanted, actor });
  if (wanted?.state === 'off') await openShop(deps, { ...wanted, actor });
  const closed = await findClosed(deps.db);
  if (!closed) console.log('The shop is open.');
  else {
    console.log(`The shop has been closed since ${closed.since.toISOString()}: ${closed.reason}`);
    console.log(`Buyers see: ${closed.message}`);
  }
  return 0;
});
