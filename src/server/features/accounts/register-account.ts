import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../../shared/errors.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { insertUserIfNew } from './accounts.queries.ts';
import type { Device } from './device-cookie.ts';
import { startSession } from './start-session.ts';

/**
 * Makes an account whose address proves nothing yet, and signs in (OPEN_REGISTRATION). An address that is known is
 * refused after the same work. That tells strangers who has an account, which signing in at once cannot hide: one more
 * reason why registration is closed unless an operator opens it.
 */
export async function registerAccount(
  deps: Deps,
  input: { name: string; email: string; password: string; client: Client },
): Promise<{ token: string; user: UserRow; device: Device }> {
  const passwordHash = await deps.passwords.hash(input.password);
  const user = await insertUserIfNew(deps.db, {
    id: uuidv7(),
    email: input.email,
    email_verified_at: null,
    name: input.name,
    password_hash: passwordHash,
    created_at: deps.clock.now(),
  });
  if (!user) throw new AppError('EMAIL_TAKEN', 'This e-mail address already has an account');
  const session = await startSession(deps, { user, remember: false, client: input.client });
  return { ...session, user };
}
