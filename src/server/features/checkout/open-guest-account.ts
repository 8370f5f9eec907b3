import type { GuestAccess } from '../../../shared/checkout.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow, UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { findUser, setFirstPassword } from '../accounts/accounts.queries.ts';
import type { Device } from '../accounts/device-cookie.ts';
import { startSession } from '../accounts/start-session.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';

type OpenedAccount =
  | { access: Exclude<GuestAccess, 'signed-in'> }
  | { access: 'signed-in'; token: string; user: UserRow; device: Device };

/**
 * Decides how a guest reaches the items of a fulfilled order (docs/security.md). The browser that paid, known by the
 * order's checkout cookie, sets the password of the account that this order made and is signed in. A repeated call with
 * the same password signs in again, unless by now the login asks for a code, the account is blocked or it is an
 * administrator's. An account that existed before is never changed: a verified one already owns the order, an
 * unverified one gets a mailed link. Wrong passwords count like those of a known device. Throws RATE_LIMITED; the order
 * is finished all the same.
 */
export async function openGuestAccount(
  deps: Deps,
  input: { order: OrderRow; boundBrowser: boolean; password: string; client: Client },
): Promise<OpenedAccount> {
  const { order, boundBrowser, password } = input;
  if (order.user_id === null) return { access: 'check-mail' };
  if (!order.made_account) return { access: 'sign-in' };
  if (!boundBrowser) return { access: 'check-mail' };

  const user = await userWithPassword(deps, order, order.user_id, password);
  if (!user || (await isTwoFactorEnabled(deps.db, user.id))) return { access: 'sign-in' };
  const session = await startSession(deps, { user, remember: false, client: input.client });
  return { access: 'signed-in', ...session, user };
}

/**
 * Returns the user if the account had no password, which is set now, or if this is the password that was set before.
 */
async function userWithPassword(deps: Deps, order: OrderRow, userId: string, password: string) {
  let user = await findUser(deps.db, userId);
  if (user?.blocked_at || user?.role === 'admin') return undefined;
  if (user?.password_hash === null) {
    const passwordHash = await deps.passwords.hash(password, order.id);
    const set = await setFirstPassword(deps.db, userId, passwordHash);
    if (set) return set;
    user = await findUser(deps.db, userId);
  }
  // Once the owner has verified the e-mail or changed the password, this browser may not try passwords any more.
  if (!user || user.email_verified_at || user.password_changed_at) return undefined;
  const { password_hash } = user;
  const own = await deps.limits.countFailures('device-login', { device: order.id }, () =>
    deps.passwords.verify(password_hash, password, order.id),
  );
  return own ? user : undefined;
}
