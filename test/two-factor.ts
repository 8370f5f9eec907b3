import { Secret, TOTP } from 'otpauth';
import { makeUser, TEST_PASSWORD } from './factories.ts';
import { createShopper, type Shopper } from './shopper.ts';
import type { TestShop } from './test-shop.ts';

const STEP_MS = 30_000;

/** Returns the code that an authenticator app shows at a moment for a base32 secret. */
export const codeAt = (secret: string, at: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });

/** Advances the clock to the start of the next step, so that no code is old and none changes for 30 seconds. */
function passToNextStep({ deps, pass }: TestShop): void {
  pass(STEP_MS - (deps.clock.now().getTime() % STEP_MS));
}

export interface Setup {
  qrCode: string;
  secret: string;
  backupCodes: string[];
  madeAt: string;
}

export async function setUp(shopper: Shopper): Promise<Setup> {
  return (await shopper.post('/api/auth/2fa/setup')).body.data as unknown as Setup;
}

/** Signs in with a code, as an administrator must before reading an item: the session of the setup is not enough. */
async function signInWithCode(shopper: Shopper, { email, code }: { email: string; code: string }) {
  await shopper.post('/api/auth/logout');
  const { pendingToken } = (await shopper.signIn(email, TEST_PASSWORD)).body;
  const { body } = await shopper.post('/api/auth/login', { pendingToken, twoFactorToken: code });
  shopper.setToken(body.token);
}

/** Creates a user with two-factor on, signed in as `shopper`; the code of the present moment is unused. */
export async function makeUserWithTwoFactor(shop: TestShop, overrides: Parameters<typeof makeUser>[1] = {}) {
  const user = await makeUser(shop.deps, overrides);
  const shopper = createShopper(shop.url);
  await shopper.signIn(user.email, TEST_PASSWORD);
  const setup = await setUp(shopper);
  /** Returns the code of the present step, or of one that is `stepsAway` later (earlier if negative). */
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
    /** Does the first step of a login, on another device; returns the pending token. */
    begin: async (rememberMe = false): Promise<string> => {
      const body = { email: user.email, password: TEST_PASSWORD, rememberMe };
      return String((await createShopper(shop.url).post('/api/auth/login', body)).body['pendingToken']);
    },
    /** Does the second step of a login. */
    finish: (pendingToken: string, twoFactorToken: unknown) =>
      createShopper(shop.url).post('/api/auth/login', { pendingToken, twoFactorToken }),
    /** Does both steps of a login. */
    signIn: async (twoFactorToken: string) => account.finish(await account.begin(), twoFactorToken),
  };
  return account;
}

export type AccountWithTwoFactor = Awaited<ReturnType<typeof makeUserWithTwoFactor>>;
