// npm run audit:verify: checks that no entry of the audit log was changed, removed or inserted. Exits with 1 when one was, and
// with 2 when it could not check them.

import { verifyAuditLog } from '../../src/server/features/admin/audit-log.ts';
import type { AuditRow } from '../../src/server/platform/database/tables.ts';
import { readArguments, usageError } from './read-arguments.ts';
import { NOT_CHECKED, runCommand } from './run-command.ts';

const USAGE = 'audit:verify -- [--after HASH]';
const entries = (count: number) => (count === 1 ? '1 entry' : `${count} entries`);
const describe = ({ id, at, action, actor }: AuditRow) => `number ${id} (${action} by ${actor}, ${at.toISOString()})`;

function readHash(): string | undefined {
  const after = readArguments(USAGE, { options: { after: { type: 'string' } } }).values.after?.toLowerCase();
  // A part of a hash is in no log, and would raise a false alarm.
  if (after !== undefined && !/^[\da-f]{64}$/.test(after)) throw usageError(USAGE);
  return after;
}

await runCommand({ read: readHash, failureCode: NOT_CHECKED }, async (deps, after) => {
  const { whole, newest, broken, sinceRemembered } = await verifyAuditLog(deps, after);
  if (broken) {
    console.error(
      `The audit log is broken after ${entries(whole)}: ${describe(broken)} was changed, or an entry before it was removed or inserted.`,
    );
    return 1;
  }
  if (after !== undefined && sinceRemembered === undefined) {
    console.error(
      `The entry with the remembered hash is missing, and others may be missing, too. The chain of the remaining ${entries(whole)} is unbroken.`,
    );
    return 1;
  }
  console.log(`The audit log is unbroken: ${entries(whole)}.`);
  if (sinceRemembered !== undefined)
    console.log(`It has the remembered entry, and ${entries(sinceRemembered)} after that.`);
  if (newest) {
    const hash = newest.hash.toString('hex');
    console.log(`The newest entry is ${describe(newest)}. Its hash is ${hash}`);
    console.log(
      `Store this hash elsewhere. It shows later whether entries were removed from the end: npm run audit:verify -- --after ${hash}`,
    );
  }
  return 0;
});
