// npm run restore:release: prints the items that the owner may sign off; with a LIST of them, puts those on sale again.

import { readFileSync } from 'node:fs';
import { csvOf } from '../../src/server/features/admin/reports.ts';
import { listToSignOff, releaseSignedOff } from '../../src/server/features/recovery/secure-restored.ts';
import { reasonOf, StartError } from '../../src/server/platform/system-errors.ts';
import { openPayments } from './open-payments.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { runCommand } from './run-command.ts';

const USAGE = 'restore:release -- [LIST [--accept PAYMENT]]';
// Some editors put a byte order mark before the first line.
const ITEM_ID = /^\uFEFF?"?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/i;

function readList() {
  const { positionals, values } = readArguments(USAGE, {
    options: { accept: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  });
  const [list] = positionals;
  if (positionals.length > 1 || (list === undefined && values.accept.length > 0)) throw usageError(USAGE);
  return { itemIds: list === undefined ? undefined : readItemIds(list), accepted: values.accept };
}

function readItemIds(list: string): string[] {
  try {
    const bytes = readFileSync(list);
    // PowerShell writes the output of a command in UTF-16, in which alone a text begins with this byte.
    const text = bytes.toString(bytes[0] === 0xff ? 'utf16le' : 'utf8');
    return text.split(/\r?\n/).flatMap((line) => ITEM_ID.exec(line)?.[1]?.toLowerCase() ?? []);
  } catch (error) {
    throw new StartError(`The list cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

await runCommand({ read: readList }, async (deps, { itemIds, accepted }) => {
  const given = { ...deps, payments: await openPayments(deps) };
  if (itemIds === undefined) {
    const rows = (await listToSignOff(given)).map(({ id, product, added_at }) => [id, product, added_at.toISOString()]);
    process.stdout.write(csvOf([['item', 'product', 'added'], ...rows]));
    return 0;
  }
  const { released, paid, others } = await releaseSignedOff(given, { itemIds, accepted });
  console.log(`${released} items are released.`);
  if (paid > 0) console.log(`${paid} stay set aside: a payment since the backup names them.`);
  if (others > 0) console.log(`${others} are not set aside, belong to an order, or were read: they stay as they are.`);
  return 0;
});
