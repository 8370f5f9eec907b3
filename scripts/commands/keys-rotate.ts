// npm run keys:rotate: rewraps all keys with the first of MASTER_KEYS, and replaces the current data key by a new one.

import { writeAudit } from '../../src/server/features/admin/audit-log.ts';
import { rotateDataKeys } from '../../src/server/platform/crypto/key-ring.ts';
import { readArguments } from './read-arguments.ts';
import { runCommand } from './run-command.ts';

const keys = (count: number) => (count === 1 ? '1 key was' : `${count} keys were`);

await runCommand({ read: () => readArguments('keys:rotate', {}) }, async ({ config, db, ...deps }) => {
  const [first, ...others] = config.masterKeys;
  const { rewrapped, dataKey } = await db.transaction().execute(async (trx) => {
    const done = await rotateDataKeys(trx, config.masterKeys);
    await writeAudit(deps, trx, {
      actor: { userId: null, name: 'npm run keys:rotate', ip: '' },
      action: 'keys.rotated',
      subject: { type: 'data-key', id: done.dataKey },
      summary: `${keys(done.rewrapped)} rewrapped by the master key "${first.id}", and ${done.dataKey} was made`,
    });
    return done;
  });
  console.log(`${keys(rewrapped)} rewrapped by the master key "${first.id}".`);
  console.log(`The new data key is ${dataKey}.`);
  const names = others.map(({ id }) => `"${id}"`).join(', ');
  if (names !== '')
    console.log(
      `When every process runs with this MASTER_KEYS, remove ${names} from it. Older backups still need what you remove.`,
    );
  return 0;
});
