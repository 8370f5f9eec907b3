import { beforeAll, describe, expect, it } from 'vitest';
import { createAdmin } from '../../src/server/features/users/users.ts';
import { DAY_MS, MINUTE_MS } from '../../src/shared/durations.ts';
import { makeProduct, type makeUser, TEST_PASSWORD } from '../factories.ts';
import { countWaiting } from '../locks.ts';
import { holdMailJobs, linkTokenTo, mailsTo } from '../sent-mails.ts';
import { createShopper, type Shopper } from '../shopper.ts';
import { changeEmail, signedInUser } from '../signed-in.ts';
import { openTestShop } from '../test-shop.ts';
import { codeAt, makeUserWithTwoFactor, setUp } from '../two-factor.ts';

// A thief has changed the e-mail address of an account to their own: how the owner takes the account back.

const NEW_PASSWORD = 'another battery staple';
const linkInvalid = { status: 400, body: { code: 'LINK_INVALID' } };

const shop = await openTestShop({ settings: { OPEN_REGISTRATION: 'true' } });
beforeAll(async () => {
  await holdMailJobs(shop);
});

let made = 0;
const newEmail = () => `address-${++made}@example.com`;
const visitor = () => createShopper(shop.url);
const undo = (undoToken: string, code?: string) =>
  visitor().post('/api/auth/undoemail', { undoToken, ...(code && { code }) });
const codeNow = (secret: string, steps = 0) =>
  codeAt(secret, new Date(shop.deps.clock.now().getTime() + steps * 30_000));

const signedIn = (overrides: Parameters<typeof makeUser>[1] = {}) =>
  signedInUser(shop, { email: newEmail(), ...overrides });

/** An account with two-factor, signed in with a backup code after that was switched on. */
async function twoFactorAccount() {
  const account = await makeUserWithTwoFactor(shop);
  const browser = visitor();
  browser.setToken((await account.signIn(account.backupCodes.at(-1) ?? '')).body.token);
  return { ...account, browser };
}

async function turnOnTwoFactor(browser: Shopper, steps = 0) {
  const setup = await setUp(browser);
  const verified = await browser.post('/api/auth/2fa/verify', { token: codeNow(setup.secret, steps) });
  expect(verified).toMatchObject({ status: 200 });
  return setup;
}

/** Changes the account's address to `email`, and confirms it from that mailbox. */
async function moveTo(browser: Shopper, email: string) {
  expect(await changeEmail(browser, email)).toMatchObject({ status: 200 });
  await confirmMove(browser, email);
}

async function confirmMove(browser: Shopper, email: string) {
  const confirmToken = await linkTokenTo(shop, email, '/confirm-email');
  expect(await browser.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 200 });
}

/** Changes the account's address as a thief does, to a new address of their own. */
async function stolen(account: { user: { email: string; id: string }; browser: Shopper }) {
  const [old, taken] = [account.user.email, newEmail()];
  await moveTo(account.browser, taken);
  return { old, taken, undoToken: await linkTokenTo(shop, old, '/undo-email') };
}

const emailOf = async (id: string) =>
  (await shop.deps.db.selectFrom('users').select('email').where('id', '=', id).executeTakeFirstOrThrow()).email;

describe('an email change', () => {
  it('is undone by a link mailed to the old email, which also ends the thief’s sessions, password and links', async () => {
    const account = await signedIn();
    const { user, browser: thief } = account;
    const { old, taken, undoToken } = await stolen(account);
    // The thief resets the password by the account's new mailbox, and asks for yet another address.
    await visitor().post('/api/auth/forgotpassword', { email: taken });
    const resetToken = await linkTokenTo(shop, taken, '/reset-password');
    await visitor().post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    await thief.signIn(taken, NEW_PASSWORD);
    const third = newEmail();
    await changeEmail(thief, third);
    await visitor().post('/api/auth/forgotpassword', { email: taken });
    const secondReset = await linkTokenTo(shop, taken, '/reset-password');

    expect(await undo(undoToken)).toMatchObject({ status: 200, body: { success: true, data: { email: old } } });
    expect(await emailOf(user.id)).toBe(old);
    expect(await thief.get('/api/auth/me')).toMatchObject({ status: 401 });
    for (const [email, password] of [
      [taken, NEW_PASSWORD],
      [old, NEW_PASSWORD],
      [old, TEST_PASSWORD],
    ] as const) {
      expect(await visitor().signIn(email, password)).toMatchObject({ status: 401 });
    }
    const reset = (resetToken: string) =>
      visitor().post('/api/auth/resetpassword', { resetToken, password: 'of the owner again' });
    expect(await reset(secondReset)).toMatchObject(linkInvalid);
    expect((await mailsTo(shop, third)).filter(({ text }) => text.includes('token='))).toEqual([]);
    expect((await mailsTo(shop, taken)).at(-1)?.subject).toBe('The change of an email address was undone');

    // The owner sets a new password by the mail to the restored address.
    expect(await reset(await linkTokenTo(shop, old, '/reset-password'))).toMatchObject({ status: 200 });
    expect(await visitor().signIn(old, 'of the owner again')).toMatchObject({ status: 200 });
  });

  it('is undone only by a POST, and only once, even by concurrent calls', async () => {
    const account = await signedIn();
    const { taken, undoToken } = await stolen(account);
    for (const method of ['GET', 'HEAD']) {
      expect([200, 404]).toContain((await visitor().send(method, `/undo-email?token=${undoToken}`)).status);
      expect((await visitor().send(method, `/api/auth/undoemail?undoToken=${undoToken}`)).status).toBe(404);
    }
    expect(await emailOf(account.user.id)).toBe(taken);
    const answers = await Promise.all([undo(undoToken), undo(undoToken), undo(undoToken)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await undo(undoToken)).toMatchObject(linkInvalid);
  });

  it.each([
    ['one minute before their end', -MINUTE_MS, 200],
    ['not one minute after their end', MINUTE_MS, 400],
  ])('can be undone for seven days: %s', async (_, late, status) => {
    const account = await signedIn();
    const { old, undoToken } = await stolen(account);
    shop.pass(7 * DAY_MS + late);
    // The old address is reserved while the link works.
    const other = await signedIn();
    await changeEmail(other.browser, old);
    const subjects = (await mailsTo(shop, old)).map(({ subject }) => subject);
    expect(subjects.at(-1)).toBe(status === 200 ? 'You have an account already' : 'Confirm your new email address');
    expect(await undo(undoToken)).toMatchObject({ status });
  });

  it('followed by another can be undone to the first email, which ends the link of the later change', async () => {
    const account = await signedIn();
    const { old, taken: second, undoToken: first } = await stolen(account);
    const third = newEmail();
    await moveTo(account.browser, third);
    const later = await linkTokenTo(shop, second, '/undo-email');
    expect(await undo(first)).toMatchObject({ status: 200, body: { data: { email: old } } });
    expect(await undo(later)).toMatchObject(linkInvalid);
    expect(await emailOf(account.user.id)).toBe(old);
  });

  it('followed by another can be undone to the first email even after the later change was undone', async () => {
    const account = await signedIn();
    const { old, taken: second, undoToken: first } = await stolen(account);
    await moveTo(account.browser, newEmail());
    const later = await linkTokenTo(shop, second, '/undo-email');
    expect(await undo(later)).toMatchObject({ status: 200, body: { data: { email: second } } });
    expect(await undo(first)).toMatchObject({ status: 200, body: { data: { email: old } } });
  });

  it('from an unverified email is announced there without a link, since it may belong to a stranger', async () => {
    const account = await signedIn({ email_verified_at: null });
    await moveTo(account.browser, newEmail());
    const mails = await mailsTo(shop, account.user.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Your email address was changed']);
    expect(mails[0]?.text).not.toContain('token=');
  });

  it('cannot be undone while the account is blocked, but can be after the block', async () => {
    const account = await signedIn();
    const { undoToken } = await stolen(account);
    const setBlock = (blocked_at: Date | null) =>
      shop.deps.db.updateTable('users').set({ blocked_at }).where('id', '=', account.user.id).execute();
    await setBlock(shop.deps.clock.now());
    expect(await undo(undoToken)).toMatchObject({ status: 403, body: { code: 'ACCOUNT_BLOCKED' } });
    await setBlock(null);
    expect(await undo(undoToken)).toMatchObject({ status: 200 });
  });

  it('cannot be undone after the account was made an administrator', async () => {
    const account = await signedIn();
    const { undoToken } = await stolen(account);
    const { browser: admin } = await signedIn({ role: 'admin' });
    await admin.send('PUT', `/api/admin/users/${account.user.id}/role`, { role: 'admin' });
    expect(await undo(undoToken)).toMatchObject(linkInvalid);
  });
});

describe('the reserved old email', () => {
  it('cannot be used to register or to create an administrator', async () => {
    const account = await signedIn();
    const { old, undoToken } = await stolen(account);
    const body = { name: 'Mallory', email: old, password: NEW_PASSWORD };
    expect(await visitor().post('/api/auth/register', body)).toMatchObject({
      status: 409,
      body: { code: 'EMAIL_TAKEN' },
    });
    const admin = createAdmin(shop.deps, { name: 'Boss', email: old, password: 'a long enough secret' });
    await expect(admin).rejects.toThrow('reserved');
    expect(await undo(undoToken)).toMatchObject({ status: 200 });
  });

  it('cannot be taken by a change whose link was mailed earlier', async () => {
    const account = await signedIn();
    const other = await signedIn();
    const taken = newEmail();
    // The other account can ask for the address only while it is free, so the reservation is lifted for that call.
    await moveTo(account.browser, taken);
    const { id } = account.user;
    await shop.deps.db
      .updateTable('verifications')
      .set({ used_at: shop.deps.clock.now() })
      .where('user_id', '=', id)
      .where('purpose', '=', 'email-undo')
      .execute();
    await changeEmail(other.browser, account.user.email);
    const confirmToken = await linkTokenTo(shop, account.user.email, '/confirm-email');
    await shop.deps.db
      .updateTable('verifications')
      .set({ used_at: null })
      .where('user_id', '=', id)
      .where('purpose', '=', 'email-undo')
      .execute();
    expect(await other.browser.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({
      status: 409,
      body: { code: 'EMAIL_TAKEN' },
    });
  });

  it('cannot be taken by a registration or a purchase during the change', async () => {
    const account = await signedIn();
    const { id: user_id, email } = account.user;
    const now = shop.deps.clock.now();
    const [guest, buyer] = [visitor(), { email, password: NEW_PASSWORD }];
    const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
    const { clientSecret = '' } = (await guest.openPayment(cart, buyer)).body;
    const leave = shop.deps.db.transaction().execute(async (trx) => {
      await trx.updateTable('users').set({ email: newEmail() }).where('id', '=', user_id).execute();
      const registered = visitor().post('/api/auth/register', { name: 'M', email, password: NEW_PASSWORD });
      await guest.confirmCard(clientSecret);
      const placed = guest.placeOrder(cart, clientSecret, buyer);
      await expect.poll(() => countWaiting(shop.deps.db)).toBe(2);
      await trx
        .insertInto('verifications')
        .values({
          ...{
            id: crypto.randomUUID(),
            purpose: 'email-undo',
            user_id,
            email,
            order_id: null,
            secret_hash: null,
            used_at: null,
          },
          ...{
            data: JSON.stringify({ twoFactor: null }),
            created_at: now,
            expires_at: new Date(now.getTime() + DAY_MS),
          },
        })
        .execute();
      return { registered, placed };
    });
    const { registered, placed } = await leave;
    expect(await registered).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(await placed).toMatchObject({ status: 201, body: { data: { access: 'check-mail' } } });
    expect(await shop.deps.db.selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([]);
  });

  it('can be used for a guest purchase, which its account owns once the change is undone', async () => {
    const account = await signedIn();
    const { old, undoToken } = await stolen(account);
    const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
    const guest = visitor();
    const placed = await (await guest.authorise(cart, { email: old, password: NEW_PASSWORD })).place();
    expect(placed).toMatchObject({ status: 201, body: { data: { access: 'check-mail' } } });
    expect(placed.body.data).not.toHaveProperty('token');
    // The thief's account does not get the order.
    expect((await account.browser.get('/api/digital-orders/myorders')).body.data).toEqual([]);
    const claimToken = await linkTokenTo(shop, old, '/claim');
    const claim = () => visitor().post('/api/auth/claim', { claimToken, password: NEW_PASSWORD });
    expect(await claim()).toMatchObject(linkInvalid);

    await undo(undoToken);
    const resetToken = await linkTokenTo(shop, old, '/reset-password');
    await visitor().post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    const owner = visitor();
    await owner.signIn(old, NEW_PASSWORD);
    expect((await owner.get('/api/digital-orders/myorders')).body.data).toHaveLength(1);
  });

  it('can be restored by its own account with another email change', async () => {
    const account = await signedIn();
    const { old } = await stolen(account);
    await moveTo(account.browser, old);
    expect(await emailOf(account.user.id)).toBe(old);
  });
});

describe('the browser that created the account at checkout', () => {
  it('cannot set the password again after an email change was undone', async () => {
    const email = newEmail();
    const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
    const buyer = visitor();
    const { clientSecret = '' } = (await buyer.openPayment(cart, { email })).body;
    await buyer.confirmCard(clientSecret);
    const place = (password: string) => buyer.placeOrder(cart, clientSecret, { email, password });
    const browser = visitor();
    browser.setToken((await place(TEST_PASSWORD)).body.data?.token);
    await browser.post('/api/auth/verifyemail');
    const confirmToken = await linkTokenTo(shop, email, '/confirm-email');
    await browser.post('/api/auth/confirmemail', { confirmToken });
    await moveTo(browser, newEmail());
    await undo(await linkTokenTo(shop, email, '/undo-email'));
    const again = await place(NEW_PASSWORD);
    expect(again.body.data).toMatchObject({ access: 'sign-in' });
    expect(await visitor().signIn(email, NEW_PASSWORD)).toMatchObject({ status: 401 });
  });
});

describe('two-factor', () => {
  it('that was on before the change is required for the undo, and stays on', async () => {
    const account = await twoFactorAccount();
    const { old, undoToken } = await stolen(account);
    expect(await undo(undoToken)).toMatchObject({ status: 200, body: { requiresTwoFactor: true } });
    expect(await emailOf(account.user.id)).not.toBe(old);
    const wrong = { status: 401, body: { code: 'INVALID_CODE' } };
    expect(await undo(undoToken, account.code(5))).toMatchObject(wrong);
    const used = account.code();
    expect(await undo(undoToken, used)).toMatchObject({ status: 200, body: { data: { email: old } } });

    const resetToken = await linkTokenTo(shop, old, '/reset-password');
    await visitor().post('/api/auth/resetpassword', { resetToken, password: TEST_PASSWORD });
    const login = await visitor().signIn(old, TEST_PASSWORD);
    expect(login.body).toMatchObject({ requiresTwoFactor: true });
    const finish = (code: string) => account.finish(String(login.body['pendingToken']), code);
    expect(await finish(used)).toMatchObject(wrong);
    expect(await finish(account.code(1))).toMatchObject({ status: 200 });
  });

  it('that was on before the change is restored, even if the thief has set up another', async () => {
    const account = await twoFactorAccount();
    const { old, undoToken } = await stolen(account);
    const { browser: thief, backupCodes } = account;
    await thief.post('/api/auth/2fa/disable', { password: TEST_PASSWORD });
    const theirs = await turnOnTwoFactor(thief, 1);
    expect(await undo(undoToken)).toMatchObject({ body: { requiresTwoFactor: true } });
    for (const code of [codeNow(theirs.secret), ...theirs.backupCodes.slice(0, 2)]) {
      expect(await undo(undoToken, code)).toMatchObject({ status: 401 });
    }
    expect(await undo(undoToken, account.code())).toMatchObject({ status: 200 });
    const resetToken = await linkTokenTo(shop, old, '/reset-password');
    await visitor().post('/api/auth/resetpassword', { resetToken, password: TEST_PASSWORD });
    const login = await visitor().signIn(old, TEST_PASSWORD);
    const finish = (code: string) => account.finish(String(login.body['pendingToken']), code);
    expect(await finish(theirs.backupCodes[3] ?? '')).toMatchObject({ status: 401 });
    expect(await finish(backupCodes[0] ?? '')).toMatchObject({ status: 200 });
  });

  it('that was switched on after the change is removed by the undo', async () => {
    const account = await signedIn();
    const { old, undoToken } = await stolen(account);
    await turnOnTwoFactor(account.browser);
    expect(await undo(undoToken)).toMatchObject({ status: 200, body: { data: { email: old } } });
    const resetToken = await linkTokenTo(shop, old, '/reset-password');
    await visitor().post('/api/auth/resetpassword', { resetToken, password: NEW_PASSWORD });
    expect((await visitor().signIn(old, NEW_PASSWORD)).body.token).toBeDefined();
  });

  it('that was switched on just before the change is required to confirm the change and to undo it', async () => {
    const { user, browser } = await signedIn();
    const [old, wanted] = [user.email, newEmail()];
    const { secret, backupCodes } = await turnOnTwoFactor(browser);
    await changeEmail(browser, wanted);
    const confirmToken = await linkTokenTo(shop, wanted, '/confirm-email');
    const refused = await browser.post('/api/auth/confirmemail', { confirmToken });
    expect(refused).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('Sign in again with a code') },
    });

    shop.pass(MINUTE_MS);
    const second = visitor();
    const { pendingToken } = (await second.signIn(old, TEST_PASSWORD)).body;
    const { body } = await second.post('/api/auth/login', { pendingToken, twoFactorToken: codeNow(secret) });
    second.setToken(body.token);
    expect(await second.post('/api/auth/confirmemail', { confirmToken })).toMatchObject({ status: 200 });
    const undoToken = await linkTokenTo(shop, old, '/undo-email');
    expect(await undo(undoToken)).toMatchObject({ status: 200, body: { requiresTwoFactor: true } });
    expect(await undo(undoToken, backupCodes[0])).toMatchObject({ status: 200, body: { data: { email: old } } });
  });

  it('cannot be guessed with the undo link, which ends after ten wrong codes', async () => {
    const account = await twoFactorAccount();
    const { undoToken } = await stolen(account);
    // Backup codes have no 0.
    const wrong = account.backupCodes[0]?.replace(/^./, '0');
    const guesses = await Promise.all(Array.from({ length: 12 }, () => undo(undoToken, wrong)));
    const codes = guesses.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'INVALID_CODE')).toHaveLength(10);
    expect(codes.filter((code) => code === 'LINK_INVALID')).toHaveLength(2);
    expect(await undo(undoToken, account.code())).toMatchObject(linkInvalid);
  });
});
