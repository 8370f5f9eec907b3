import type { Deps } from '../src/server/deps.ts';
import { startSession } from '../src/server/features/accounts/sessions.ts';
import type { Transaction } from '../src/server/platform/database/database.ts';
import type { UserRow } from '../src/server/platform/database/tables.ts';
import { makeUser, TEST_PASSWORD } from './factories.ts';
import type { OpenShop } from './purchases.ts';
import { createShopper, type Shopper } from './shopper.ts';

/** Creates a user, a customer unless overridden, and a browser in which the user is signed in. */
export async function signedInUser(
  { deps, url }: OpenShop,
  overrides: Parameters<typeof makeUser>[1] = {},
): Promise<{ user: UserRow; browser: Shopper; token: string }> {
  const user = await makeUser(deps, overrides);
  const browser = createShopper(url);
  const { body } = await browser.signIn(user.email, TEST_PASSWORD);
  return { user, browser, token: body.token ?? '' };
}

/** Returns the browser of signedInUser() only. */
export async function signedIn(...args: Parameters<typeof signedInUser>): Promise<Shopper> {
  return (await signedInUser(...args)).browser;
}

/** Starts a session without a login, and returns its token. */
export async function newTokenOf(deps: Deps, user: UserRow): Promise<string> {
  const client = { ip: '127.0.0.1', userAgent: '' };
  const start = (trx: Transaction) => startSession(deps, trx, { user, remember: false, client });
  return (await deps.db.transaction().execute(start)).token;
}

const details = {
  name: 'Mei Tan',
  phone: '',
  address: { street: '', city: '', state: '', zipCode: '', country: 'Malaysia' },
};

/** Asks for another e-mail address, with the form that also has the other details. */
export const changeEmail = (by: Shopper, email: string) =>
  by.send('PUT', '/api/auth/updatedetails', { ...details, email });
