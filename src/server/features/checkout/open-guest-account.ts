import type { GuestAccess } from '../../../shared/checkout.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow, UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { findUser, setFirstPassword } from '../accounts/accounts.queries.ts';
import type { Device } from '../accounts/device-cookie.ts';
import { startSession } from '../accounts/start-session.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';

export type GuestDoor =
  | { access: Exclude<GuestAccess, 'signed-in'> }
  | { access: 'signed-in'; token: string; user: UserRow; device: Device };

export interface OpenGuestAccount {
  /** Fulfilled. */
  order: OrderRow;
  /** The request carried this order's checkout cookie. */
  boundBrowser: boolean;
  password: string;
  client: Client;
}

/**
 * How a guest gets at the goods after paying (docs/security.md). The browser that paid sets the password of the
 * account its own order made and is signed in; repeating the call with the same password signs in again, unless by now
 * the login asks for a code, the account is blocked or it is an administrator's. An account that was there before is never
 * touched: a verified one already owns the order, an unverified one gets a mailed link. Wrong passwords count like those of a
 * known device: throws RATE_LIMITED, with the order finished all the same.
 */
export async function openGuestAccount(deps: Deps, input: OpenGuestAccount): Promise<GuestDoor> {
  const { order, boundBrowser, password } = input;
  if (order.user_id === null) return { access: 'check-mail' };
  if (!order.made_account) return { access: 'sign-in' };
  if (!boundBrowser) return { access: 'check-mail' };

  const user = await userWithPassword(deps, order, order.user_id, password);
  if (!user || (await isTwoFactorEnabled(deps.db, user.id))) return { access: 'sign-in' };
  const session = await startSession(deps, { user, remember: false, client: input.client });
  return { access: 'signed-in', ...session, user };
}

/** The user once `password` is theirs: set now if there was none, else only if it is the one that was set before. */
async function userWithPassword(
  deps: Deps,
  order: OrderRow,
  userId: string,
  password: string,
): Promise<UserRow | undefined> {
  let user = await findUser(deps.db, userId);
  if (user?.blocked_at || user?.role === 'admin') return undefined;
  if (user?.password_hash === null) {
    const passwordHash = await deps.passwords.hash(password, order.id);
    const set = await setFirstPassword(deps.db, { userId, passwordHash });
    if (set) return set;
    user = await findUser(deps.db, userId);
  }
  // Since then its owner proved the address or changed the password: this browser is not the place to guess at it.
  if (!user || user.email_verified_at || user.password_changed_at) return undefined;
  const { password_hash } = user;
  const own = await deps.limits.countFailures('device-login', { device: order.id }, () =>
    deps.passwords.verify(password_hash, password, order.id),
  );
  return own ? user : undefined;
}
