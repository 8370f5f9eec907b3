import { describe, expect, it } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { holdMailJobs, linkTokenTo, mailsTo, unsentMailTo, whileSending } from '../../../../test/sent-mails.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { signedIn } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { DAY_MS } from '../../../shared/durations.ts';
import { mailContents } from '../../background-work.ts';

const shop = await openTestShop();

const PATH = '/api/auth/pendingemail';
const address = { street: '', city: '', state: '', zipCode: '', country: 'Malaysia' };

let asked = 0;
/** Somebody signed in who has asked for a new address. */
async function changing(email = `wanted-${++asked}@example.com`) {
  const user = await makeUser(shop.deps);
  const browser = createShopper(shop.url);
  await browser.signIn(user.email, TEST_PASSWORD);
  const ask = (wanted: string) =>
    browser.send('PUT', '/api/auth/updatedetails', { name: user.name, phone: '', address, email: wanted });
  await ask(email);
  const pending = async () => (await browser.get(PATH)).body.data;
  const confirm = (confirmToken: string) => browser.post('/api/auth/confirmemail', { confirmToken });
  const link = () => linkTokenTo(shop, email, '/confirm-email');
  return { user, browser, email, ask, pending, confirm, link };
}

const isOver = { status: 400, body: { code: 'LINK_INVALID' } };

it('a pending email is shown until it is confirmed or its link expires', async () => {
  const { email, pending, confirm, link } = await changing();
  const expiresAt = new Date(shop.deps.clock.now().getTime() + DAY_MS);
  const shown = await pending();
  expect(shown).toMatchObject({ email });
  expect(Math.abs(Date.parse(String(shown?.['expiresAt'])) - expiresAt.getTime())).toBeLessThan(60_000);
  await confirm(await link());
  expect(await pending()).toBeNull();

  const late = await changing();
  shop.pass(DAY_MS / 2 - 60_000);
  const again = createShopper(shop.url);
  await again.signIn(late.user.email, TEST_PASSWORD);
  expect((await again.get(PATH)).body.data).toMatchObject({ email: late.email });
  shop.pass(DAY_MS / 2 + 120_000);
  await again.signIn(late.user.email, TEST_PASSWORD);
  expect((await again.get(PATH)).body.data).toBeNull();
});

it('a pending email is shown the same for an address with an account, and only to its own user', async () => {
  const taken = await makeUser(shop.deps);
  const { pending } = await changing(taken.email);
  expect(await pending()).toMatchObject({ email: taken.email });
  const other = await changing();
  expect(await other.pending()).toMatchObject({ email: other.email });
});

it('a pending email is mailed again on request, and only the newest link works', async () => {
  const { browser, email, confirm, link, pending } = await changing();
  const first = await link();
  expect(await browser.post(PATH)).toMatchObject({ status: 200, body: { data: { email } } });
  const second = await link();
  expect(await confirm(first)).toMatchObject(isOver);
  expect(await confirm(second)).toMatchObject({ status: 200, body: { data: { email } } });
  expect(await pending()).toBeNull();
  expect(await browser.post(PATH)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

it('a pending email is confirmed by the newest link after the clock was a day ahead and was set right', async () => {
  shop.pass(DAY_MS);
  const { user, browser, email, confirm, link, pending } = await changing();
  await link();
  const changed = { currentPassword: TEST_PASSWORD, newPassword: 'another battery staple' };
  await browser.send('PUT', '/api/auth/updatepassword', changed);
  shop.pass(-DAY_MS);
  await browser.signIn(user.email, changed.newPassword);
  await browser.send('PUT', '/api/auth/updatedetails', { name: user.name, phone: '', address, email });
  expect(await pending()).toMatchObject({ email });
  expect(await confirm(await link())).toMatchObject({ status: 200, body: { data: { email } } });
});

it('a user can be blocked while a slow mail server sends the link to a pending email', async () => {
  const { user, browser, email, link } = await changing();
  const admin = await signedIn(shop, { role: 'admin' });
  await link();
  await holdMailJobs(shop);
  await browser.post(PATH);
  const block = () => admin.send('PUT', `/api/admin/users/${user.id}/block`, { blocked: true, reason: 'A thief' });
  const blocked = await whileSending(shop, await unsentMailTo(shop, email), block);
  expect(blocked.status).toBe(200);
});

describe('a slow mail server', () => {
  it('does not delay a confirmation, and the mailed link stays valid until the next one is sent', async () => {
    const { browser, email, confirm, link } = await changing();
    const mailed = await link();
    await holdMailJobs(shop);
    await browser.post(PATH);
    const confirmed = await whileSending(shop, await unsentMailTo(shop, email), () => confirm(mailed));
    expect(confirmed).toMatchObject({ status: 200, body: { data: { email } } });
  });

  it('does not delay the undoing of a change', async () => {
    const { user, browser, email, confirm, link } = await changing();
    await confirm(await link());
    const token = await linkTokenTo(shop, user.email, '/undo-email');
    await holdMailJobs(shop);
    await browser.post('/api/auth/forgotpassword', { email });
    const undo = () => createShopper(shop.url).post('/api/auth/undoemail', { undoToken: token });
    const undone = await whileSending(shop, await unsentMailTo(shop, email), undo);
    expect(undone).toMatchObject({ status: 200, body: { data: { email: user.email } } });
  });
});

describe('a mail job that was killed after it had created a link', () => {
  async function changingWithKilledJob() {
    const made = await changing();
    const mailed = await made.link();
    await holdMailJobs(shop);
    await made.browser.post(PATH);
    const mailId = await unsentMailTo(shop, made.email);
    // What the killed job leaves: a committed link, and the mail unsent.
    await shop.deps.db.transaction().execute(async (trx) => {
      const mail = await trx.selectFrom('mails').selectAll().where('id', '=', mailId).executeTakeFirstOrThrow();
      expect(await mailContents['email-change'](shop.deps, trx, mail)).toBeDefined();
    });
    return { ...made, mailed };
  }

  it('leaves the mailed link valid', async () => {
    const { email, confirm, mailed } = await changingWithKilledJob();
    expect(await confirm(mailed)).toMatchObject({ status: 200, body: { data: { email } } });
  });

  it('is repeated, and then only the newly mailed link works', async () => {
    const { email, confirm, link, mailed } = await changingWithKilledJob();
    const sent = await link();
    expect(await confirm(mailed)).toMatchObject(isOver);
    expect(await confirm(sent)).toMatchObject({ status: 200, body: { data: { email } } });
  });
});

it('a pending email is mailed again only in a recently authenticated session', async () => {
  const { browser, email } = await changing();
  await mailsTo(shop, email);
  shop.pass(11 * 60_000);
  expect(await browser.post(PATH)).toMatchObject({ status: 403, body: { code: 'REAUTHENTICATION_REQUIRED' } });
  expect(await mailsTo(shop, email)).toHaveLength(1);
});

it('a pending email is mailed at most three times an hour', async () => {
  const { browser, email } = await changing();
  for (let time = 0; time < 4; time++) await browser.post(PATH);
  expect(await mailsTo(shop, email)).toHaveLength(3);
});

it('a pending email is mailed even if another user has requested the same address three times', async () => {
  const stranger = await changing();
  for (let time = 0; time < 2; time++) await stranger.browser.post(PATH);
  expect(await mailsTo(shop, stranger.email)).toHaveLength(3);
  const { email, confirm, link } = await changing(stranger.email);
  expect(await confirm(await link())).toMatchObject({ status: 200, body: { data: { email } } });
});

it('a pending email is mailed to one address at most twelve times an hour, for all users together', async () => {
  const { email } = await changing();
  for (let user = 0; user < 4; user++) {
    const { browser } = await changing(email);
    for (let time = 0; time < 2; time++) await browser.post(PATH);
  }
  expect(await mailsTo(shop, email)).toHaveLength(12);
});

it('a cancelled pending email invalidates its link, and the account keeps its address', async () => {
  const { user, browser, confirm, link, pending } = await changing();
  const token = await link();
  expect(await browser.send('DELETE', PATH)).toMatchObject({ status: 200, body: { success: true } });
  expect(await pending()).toBeNull();
  expect(await confirm(token)).toMatchObject(isOver);
  expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ email: user.email });
});

it('a pending email that was cancelled before its mail was created is not mailed', async () => {
  const { deps } = shop;
  const { ask, browser, email, pending, user } = await changing();
  // The state that the mail job finds: the mail of the first request is stored, and its content not yet made.
  const mail = { id: crypto.randomUUID(), kind: 'email-change', recipient: 'unsent@example.com' };
  await ask(mail.recipient);
  await mailsTo(shop, mail.recipient);
  await browser.send('DELETE', PATH);
  const late = { ...mail, order_id: null, user_id: user.id, created_at: deps.clock.now(), sent_at: null };
  await deps.db.insertInto('mails').values(late).execute();
  expect(await mailsTo(shop, mail.recipient)).toHaveLength(1);
  await ask(email);
  expect(await pending()).toMatchObject({ email });
});

it('a cancelled pending email is not confirmed by a link that was being mailed', async () => {
  const { browser, confirm, email, link } = await changing();
  const token = await link();
  await browser.send('DELETE', PATH);
  // As if the transaction that made this mail had committed only now.
  await shop.deps.db.updateTable('verifications').set({ used_at: null }).where('email', '=', email).execute();
  expect(await confirm(token)).toMatchObject(isOver);
});

it('a pending email and its link end with a password change', async () => {
  const { browser, confirm, link, pending } = await changing();
  const token = await link();
  const body = { currentPassword: TEST_PASSWORD, newPassword: 'another good password' };
  const { body: changed } = await browser.send('PUT', '/api/auth/updatepassword', body);
  browser.setToken(changed.token);
  expect(await pending()).toBeNull();
  expect(await confirm(token)).toMatchObject(isOver);
});
