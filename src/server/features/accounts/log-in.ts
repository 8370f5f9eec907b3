import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { findUserByEmail } from './accounts.queries.ts';
import { startSession } from './start-session.ts';

/** Signs in by password. A wrong password and an unknown e-mail cost the same work and get the same answer. */
export async function logIn(
  deps: Deps,
  input: { email: string; password: string; remember: boolean; client: Client },
): Promise<{ token: string; user: UserRow }> {
  const guesser = { address: input.client.ip, account: input.email };
  const user = await deps.limits.countFailures('failed-login', guesser, () => userByPassword(deps, input));
  const session = await startSession(deps, { userId: user.id, role: user.role, ...input });
  return { ...session, user };
}

async function userByPassword(deps: Deps, input: { email: string; password: string }): Promise<UserRow> {
  const user = await findUserByEmail(deps.db, input.email);
  const right = await deps.passwords.verify(user?.password_hash ?? null, input.password);
  if (!user || !right) throw new AppError('INVALID_CREDENTIALS', 'Invalid email or password');
  return user;
}
