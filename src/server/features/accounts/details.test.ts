import { describe, expect, it } from 'vitest';
import { insertOrder, makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { linkTokenTo, mailsTo } from '../../../../test/sent-mails.ts';
import { createShopper, type Shopper } from '../../../../test/shopper.ts';
import { signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { HOUR_MS } from '../../../shared/durations.ts';

const shop = await openTestShop();

const address = { street: '1 Jalan Ampang', city: 'Ipoh', state: 'Perak', zipCode: '30000', country: 'Malaysia' };
const details = { name: 'Mei Tan', phone: '+60 12-555 0199', address };

const signedIn = (overrides?: Parameters<typeof makeUser>[1]) => signedInUser(shop, overrides);

const confirm = (confirmToken: string, browser: Shopper) => browser.post('/api/auth/confirmemail', { confirmToken });

let addresses = 0;
const newAddress = () => `new-address-${++addresses}@example.com`;

/** Somebody signed in who has asked for a new address, and the link that was mailed to it. */
async function changing() {
  const { user, browser } = await signedIn();
  const email = newAddress();
  await browser.send('PUT', '/api/auth/updatedetails', { ...details, email });
  return { user, browser, email, token: await linkTokenTo(shop, email, '/confirm-email') };
}

const emailOf = async (userId: string) =>
  (await shop.deps.db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()).email;

describe('the details of an account', () => {
  it('are saved at once, and other fields of the request are ignored', async () => {
    const { user, browser } = await signedIn();
    const saved = await browser.send('PUT', '/api/auth/updatedetails', {
      ...details,
      email: ` ${user.email.toUpperCase()} `,
      role: 'admin',
      _id: '00000000-0000-7000-8000-000000000000',
      emailVerified: false,
      createdAt: '2020-01-01T00:00:00Z',
      password: 'something else',
    });
    expect(saved).toMatchObject({ status: 200, body: { success: true, pendingEmail: null } });
    const me = await browser.get('/api/auth/me');
    expect(saved.body.data).toEqual(me.body.data);
    expect(me.body.data).toEqual({
      ...details,
      _id: user.id,
      email: user.email,
      emailVerified: true,
      role: 'customer',
      createdAt: user.created_at.toISOString(),
    });
    expect(await createShopper(shop.url).signIn(user.email, TEST_PASSWORD)).toMatchObject({ status: 200 });
    expect(await mailsTo(shop, user.email)).toEqual([]);
  });

  it('are returned with a new token of the same session and the same expiry', async () => {
    const { user, browser } = await signedIn();
    const expiryOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const before = await browser.signIn(user.email, TEST_PASSWORD);
    shop.pass(HOUR_MS);
    await browser.post('/api/auth/reauthenticate', { password: TEST_PASSWORD });
    const saved = await browser.send('PUT', '/api/auth/updatedetails', { ...details, email: user.email });
    expect(saved.body.token).not.toBe(before.body.token);
    expect(expiryOf(saved.body.token)).toMatchObject({
      sid: expiryOf(before.body.token).sid,
      exp: expiryOf(before.body.token).exp,
    });
    browser.setToken(saved.body.token);
    expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });
  });

  it('may have a partly empty address, and get country and state as in the lists', async () => {
    const { user, browser } = await signedIn();
    const save = async (change: object) => {
      const body = { ...details, email: user.email, address: { ...address, ...change } };
      return (await browser.send('PUT', '/api/auth/updatedetails', body)).body.data?.['address'];
    };
    const empty = { street: '', city: '', state: '', zipCode: '', country: '' };
    expect(await save(empty)).toEqual(empty);
    expect(await save({ state: '', zipCode: '' })).toEqual({ ...address, state: '', zipCode: '' });
    expect(await save({ country: 'us', state: 'ca', zipCode: '94107' })).toMatchObject({
      ...{ country: 'United States', state: 'California' },
    });
  });

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a line break in the name', { name: 'Mei\r\nBcc: all@example.com' }, 'name'],
    ['no e-mail', { email: 'mei' }, 'email'],
    ['NUL in the street', { address: { ...address, street: 'a\u0000b' } }, 'address.street'],
    ['no address', { address: null }, 'address'],
    ['a country that is none', { address: { ...address, country: 'Atlantis' } }, 'address.country'],
    ['a state of another country', { address: { ...address, state: 'Texas' } }, 'address.state'],
    ['a postcode of another country', { address: { ...address, zipCode: '3000' } }, 'address.zipCode'],
  ])('are rejected with %s, and stay unchanged', async (_, change, field) => {
    const { user, browser } = await signedIn();
    const body = { ...details, email: user.email, ...change };
    expect(await browser.send('PUT', '/api/auth/updatedetails', body)).toMatchObject({ status: 400, body: { field } });
    expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ name: user.name, phone: '' });
  });
});

describe('a new email address', () => {
  it('replaces the old one when its link is used, notifies the old address, and ends other sessions', async () => {
    const { user, browser } = await signedIn();
    const other = createShopper(shop.url);
    await other.signIn(user.email, TEST_PASSWORD);
    const email = newAddress();

    const asked = await browser.send('PUT', '/api/auth/updatedetails', { ...details, email: email.toUpperCase() });
    expect(asked.body).toMatchObject({ pendingEmail: email, data: { email: user.email, name: details.name } });
    expect(await emailOf(user.id)).toBe(user.email);

    const token = await linkTokenTo(shop, email, '/confirm-email');
    expect(await confirm(token, browser)).toMatchObject({ status: 200, body: { data: { email } } });
    expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ email, emailVerified: true });
    expect(await other.get('/api/auth/me')).toMatchObject({ status: 401 });
    expect(await other.signIn(user.email, TEST_PASSWORD)).toMatchObject({ status: 401 });
    expect(await other.signIn(email, TEST_PASSWORD)).toMatchObject({ status: 200 });

    const [told, ...more] = await mailsTo(shop, user.email);
    expect(told).toMatchObject({ subject: 'Your email address was changed' });
    expect(told?.text).toMatch(/On \d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d GMT\+8 your account/);
    expect(more).toEqual([]);
  });

  it('cannot be confirmed while signed out or in another account, and the link stays usable', async () => {
    const { user, browser, email, token } = await changing();
    const orderId = await unownedOrder(email);
    expect(await confirm(token, createShopper(shop.url))).toMatchObject({ status: 401 });
    const { browser: another } = await signedIn();
    expect(await confirm(token, another)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await emailOf(user.id)).toBe(user.email);
    expect(await ownerOf(orderId)).toBeNull();
    expect(await confirm(token, browser)).toMatchObject({ status: 200 });
  });

  it('that has an account gets a mail without a link, with the same response', async () => {
    const { browser } = await signedIn();
    const taken = await makeUser(shop.deps);
    const free = newAddress();
    const ask = (email: string) => browser.send('PUT', '/api/auth/updatedetails', { ...details, email });
    const [forTaken, forFree] = [await ask(taken.email), await ask(free)];
    expect({ ...forTaken.body, token: '', pendingEmail: '' }).toEqual({ ...forFree.body, token: '', pendingEmail: '' });
    expect(forTaken.body['pendingEmail']).toBe(taken.email);

    const [note, ...more] = await mailsTo(shop, taken.email);
    expect(note).toMatchObject({ subject: 'You have an account already' });
    expect(`${note?.text}${note?.html}`).not.toContain('token=');
    expect(more).toEqual([]);
    expect(await linkTokenTo(shop, free, '/confirm-email')).toBeTruthy();
  });

  it('that another account got meanwhile is rejected', async () => {
    const { user, browser, email, token } = await changing();
    await makeUser(shop.deps, { email });
    expect(await confirm(token, browser)).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(await emailOf(user.id)).toBe(user.email);
  });

  it('that two accounts confirm concurrently goes to one of them', async () => {
    const [one, other] = [await changing(), await signedIn()];
    await other.browser.send('PUT', '/api/auth/updatedetails', { ...details, email: one.email });
    const token = await linkTokenTo(shop, one.email, '/confirm-email');
    const answers = await Promise.all([confirm(one.token, one.browser), confirm(token, other.browser)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect([await emailOf(one.user.id), await emailOf(other.user.id)]).toContain(one.email);
  });

  it('is replaced by a later request for another address', async () => {
    const { user, browser, token } = await changing();
    const email = newAddress();
    await browser.send('PUT', '/api/auth/updatedetails', { ...details, email });
    const later = await linkTokenTo(shop, email, '/confirm-email');
    expect(await confirm(token, browser)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await confirm(later, browser)).toMatchObject({ status: 200 });
    expect(await emailOf(user.id)).toBe(email);
  });

  it('gives its account the paid orders of the address that have no owner', async () => {
    const { user, browser, email, token } = await changing();
    const orderId = await unownedOrder(email);
    await confirm(token, browser);
    expect(await ownerOf(orderId)).toBe(user.id);
  });

  it('gets at most three mails an hour', async () => {
    const { browser } = await signedIn();
    const email = newAddress();
    for (let time = 0; time < 5; time++) await browser.send('PUT', '/api/auth/updatedetails', { ...details, email });
    expect(await mailsTo(shop, email)).toHaveLength(3);
  });
});

describe('the link that confirms the current email address', () => {
  it('verifies the address, keeps the session, and gives the account its orders without an owner', async () => {
    const { user, browser } = await signedIn({ email_verified_at: null });
    const orderId = await unownedOrder(user.email);
    expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ emailVerified: false });
    expect(await browser.post('/api/auth/verifyemail')).toMatchObject({ status: 200, body: { success: true } });

    const answer = await confirm(await linkTokenTo(shop, user.email, '/confirm-email'), browser);
    expect(answer).toMatchObject({ status: 200, body: { data: { email: user.email } } });
    expect((await browser.get('/api/auth/me')).body.data).toMatchObject({ emailVerified: true });
    expect(await ownerOf(orderId)).toBe(user.id);
  });

  it('is not sent for a verified address, with the same response', async () => {
    const { user, browser } = await signedIn();
    expect(await browser.post('/api/auth/verifyemail')).toMatchObject({ status: 200, body: { success: true } });
    expect(await mailsTo(shop, user.email)).toEqual([]);
  });

  it('is invalid once the account has another address', async () => {
    const { user, browser } = await signedIn({ email_verified_at: null });
    await browser.post('/api/auth/verifyemail');
    const token = await linkTokenTo(shop, user.email, '/confirm-email');
    const email = newAddress();
    await browser.send('PUT', '/api/auth/updatedetails', { ...details, email });
    await confirm(await linkTokenTo(shop, email, '/confirm-email'), browser);
    expect(await confirm(token, browser)).toMatchObject({ status: 400, body: { code: 'LINK_INVALID' } });
    expect(await emailOf(user.id)).toBe(email);
  });
});

const unownedOrder = (email: string) => insertOrder(shop.deps.db, shop.deps.clock.now(), { contact_email: email });

const ownerOf = async (orderId: string) =>
  (await shop.deps.db.selectFrom('orders').select('user_id').where('id', '=', orderId).executeTakeFirstOrThrow())
    .user_id;
