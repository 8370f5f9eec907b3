// npm run admin:create: creates an administrator, or makes an existing account one, with a new password. Asks on the
// terminal for values that ADMIN_EMAIL, ADMIN_NAME and ADMIN_PASSWORD do not set; without a terminal it reads lines of
// the standard input.

import * as z from 'zod/mini';
import { readConfig } from '../../src/server/config.ts';
import { findUserByEmail } from '../../src/server/features/accounts/accounts.queries.ts';
import { createAdmin } from '../../src/server/features/users/users.ts';
import { StartError } from '../../src/server/platform/system-errors.ts';
import { ADMIN_PASSWORD_MIN_LENGTH, newPassword } from '../../src/shared/passwords.ts';
import { email as emailSchema, requiredLine } from '../../src/shared/text.ts';
import { openQuestions } from './ask.ts';
import { readArguments } from './read-arguments.ts';
import { type CommandDeps, runAndExit, withDatabaseServer, withDeps } from './run-command.ts';

const longEnough = z.minLength(ADMIN_PASSWORD_MIN_LENGTH, `must have at least ${ADMIN_PASSWORD_MIN_LENGTH} characters`);
// Piped, because the shorter minimum of customers would be reported first.
const adminPassword = z.pipe(z.string().check(longEnough), newPassword);
const { ADMIN_EMAIL, ADMIN_NAME, ADMIN_PASSWORD } = process.env;

// Also on a new database, before the first start of the shop.
await runAndExit(async () => {
  readArguments('admin:create', {});
  const config = readConfig();
  return withDatabaseServer(config, (connectionString) => withDeps({ config, connectionString }, askAndCreate));
});

async function askAndCreate(deps: CommandDeps): Promise<number> {
  const { isTerminal, ask, close } = openQuestions();
  try {
    const email = await ask('Email', emailSchema, { given: ADMIN_EMAIL });
    const known = await findUserByEmail(deps.db, email);
    let name = known?.name ?? '';
    if (known) {
      const role = known.role === 'admin' ? 'an administrator' : 'a customer';
      console.log(
        `${email} already has an account: ${known.name}, ${role}${known.blocked_at ? ', blocked' : ''}. ` +
          'It becomes an administrator with a new password, and is signed out everywhere.',
      );
      const answer = await ask('Type yes to go on', z.string());
      if (answer.trim() !== 'yes') throw new StartError('Nothing was changed.');
    } else name = await ask('Name', requiredLine(100), { given: ADMIN_NAME });

    const secret = { given: ADMIN_PASSWORD, isHidden: true };
    const password = await ask(`Password (at least ${ADMIN_PASSWORD_MIN_LENGTH} characters)`, adminPassword, secret);
    if (isTerminal && ADMIN_PASSWORD === undefined) {
      const again = await ask('Password again', z.string(), { isHidden: true });
      if (again !== password) throw new StartError('The passwords differ. Nothing was changed.');
    }
    await createAdmin(deps, { name, email, password });
    console.log(`${email} is an administrator. Sign in at ${deps.config.publicUrl}/login and turn two-factor on.`);
    return 0;
  } finally {
    close();
  }
}
