import type { GuestAccess } from '../../../shared/checkout.ts';
import type { Deps } from '../../deps.ts';
import type { OrderRow, UserRow } from '../../platform/database/tables.ts';
import type { Client } from '../../platform/http/client.ts';
import { findUser, lockUser, updateUser } from '../accounts/accounts.queries.ts';
import { type NewSession, startSession } from '../accounts/sessions.ts';
import { isTwoFactorEnabled } from '../authenticators/authenticators.queries.ts';

type OpenedAccount = { access: Exclude<GuestAccess, 'signed-in'> } | ({ access: 'signed-in' } & NewSession);

interface Guest {
  order: OrderRow;
  boundBrowser: boolean;
  password: string;
  client: Client;
}

/**
 * Decides how a guest reaches the items of a fulfilled order (docs/security.md). The browser with the order's checkout
 * cookie sets the password of the account that this order made, and is signed in. A repeated call with the same
 * password signs in again, unless the account now has two-factor, is blocked or is an administrator's. An account that
 * existed before the order is never changed: a verified account already owns the order, an unverified account gets a
 * mailed link. Wrong passwords count like those of a known device. Throws RATE_LIMITED, after which the order is still
 * finished.
 */
export async function openGuestAccount(deps: Deps, guest: Guest): Promise<OpenedAccount> {
  const { order, boundBrowser } = guest;
  if (order.user_id === null) return { access: 'check-mail' };
  if (!order.made_account) return { access: 'sign-in' };
  if (!boundBrowser) return { access: 'check-mail' };
  return signInGuest(deps, order.user_id, guest);
}

async function signInGuest(deps: Deps, userId: string, guest: Guest): Promise<OpenedAccount> {
  const { order, password, client } = guest;
  const known = await findUser(deps.db, userId);
  if (!known || !isOpenToGuest(known)) return { access: 'sign-in' };
  const firstHash = known.password_hash === null && (await deps.passwords.hash(password, order.id));
  if (!firstHash && !(await isOwnPassword(deps, known, guest))) return { access: 'sign-in' };

  const opened = await deps.db.transaction().execute(async (trx): Promise<OpenedAccount | 'changed'> => {
    const locked = await lockUser(trx, userId);
    if (locked.password_hash !== known.password_hash) return 'changed';
    // The owner may have verified the e-mail or turned two-factor on during the check.
    if (!isOpenToGuest(locked) || (await isTwoFactorEnabled(trx, userId))) return { access: 'sign-in' };
    const user = firstHash ? await updateUser(trx, userId, { password_hash: firstHash }) : locked;
    return { access: 'signed-in', ...(await startSession(deps, trx, { user, remember: false, client })) };
  });
  if (opened !== 'changed') return opened;
  // A concurrent call has set the first password, so this call checks it. A later password was changed by the owner.
  return firstHash ? signInGuest(deps, userId, guest) : { access: 'sign-in' };
}

/**
 * False once the owner has verified the e-mail or changed the password: the browser that paid may not guess passwords.
 */
const isOpenToGuest = ({ email_verified_at, password_changed_at, blocked_at, role }: UserRow): boolean =>
  !email_verified_at && !password_changed_at && !blocked_at && role !== 'admin';

const isOwnPassword = (deps: Deps, { password_hash }: UserRow, { order, password }: Guest): Promise<boolean> =>
  deps.limits.countFailures('device-login', { device: order.id }, () =>
    deps.passwords.verify(password_hash, password, order.id),
  );
