import { Secret, TOTP } from 'otpauth';
import { makeUser, TEST_PASSWORD } from './factories.ts';
import { createShopper, type Shopper } from './shopper.ts';
import type { TestShop } from './test-shop.ts';

const STEP_MS = 30_000;

/** What an authenticator app shows at a moment for a secret in base32. */
export const codeAt = (secret: string, at: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });

/** Lets the clock come to the beginning of the next step: no code is old yet, and none changes for thirty seconds. */
function passToNextStep({ deps, pass }: TestShop): void {
  pass(STEP_MS - (deps.clock.now().getTime() % STEP_MS));
}

export interface Setup {
  qrCode: string;
  secret: string;
  backupCodes: string[];
}

export async function setUp(shopper: Shopper): Promise<Setup> {
  return (await shopper.post('/api/auth/2fa/setup')).body.data as unknown as Setup;
}

/** As an administrator has to before they may read an item: the session in which two-factor was set up proves nothing. */
async function signInWithCode(shopper: Shopper, { email, code }: { email: string; code: string }) {
  await shopper.post('/api/auth/logout');
  const { pendingToken } = (await shopper.signIn(email, TEST_PASSWORD)).body;
  const { body } = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: code });
  shopper.setToken(body.token);
}

/** A user who has turned two-factor on: signed in as `shopper`, with the code of this moment not used yet. */
export async function makeUserWithTwoFactor(shop: TestShop, overrides: Parameters<typeof makeUser>[1] = {}) {
  const user = await makeUser(shop.deps, overrides);
  const shopper = createShopper(shop.url);
  await shopper.signIn(user.email, TEST_PASSWORD);
  const setup = await setUp(shopper);
  /** The code that the app shows, or showed or will show some steps away. */
  const code = (stepsAway = 0) => codeAt(setup.secret, new Date(shop.deps.clock.now().getTime() + stepsAway * STEP_MS));
  const { status } = await shopper.post('/api/auth/2fa/verify', { token: code() });
  if (status !== 200) throw new Error(`Two-factor was not turned on: ${status}`);
  passToNextStep(shop);
  if (user.role === 'admin') await signInWithCode(shopper, { email: user.email, code: code() });
  passToNextStep(shop);
  const account = {
    user,
    shopper,
    ...setup,
    code,
    /** The first step of a login, on another device. */
    begin: async (rememberMe = false): Promise<string> => {
      const body = { email: user.email, password: TEST_PASSWORD, rememberMe };
      return String((await createShopper(shop.url).post('/api/auth/login', body)).body['pendingToken']);
    },
    /** The second step. */
    finish: (pendingToken: string, twoFactorToken: unknown) =>
      createShopper(shop.url).post('/api/auth/login', { pendingToken, twoFactorToken }),
    /** Both. */
    signIn: async (twoFactorToken: string) => account.finish(await account.begin(), twoFactorToken),
  };
  return account;
}

export type AccountWithTwoFactor = Awaited<ReturnType<typeof makeUserWithTwoFactor>>;
