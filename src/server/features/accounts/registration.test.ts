import { describe, expect, it } from 'vitest';
import { makeUser, TEST_PASSWORD } from '../../../../test/factories.ts';
import { createShopper } from '../../../../test/shopper.ts';
import { openTestShop } from '../../../../test/test-shop.ts';

const newcomer = { name: 'Mina Park', email: 'Mina@Example.com ', password: 'my own choice' };

const shop = await openTestShop({ settings: { OPEN_REGISTRATION: 'true' } });

describe('open registration', () => {
  const register = (body: object) => createShopper(shop.url).post('/api/auth/register', body);

  it('gives a visitor an account with an unverified email, and signs in', async () => {
    const answer = await register({ ...newcomer, role: 'admin', emailVerified: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { user: { name: 'Mina Park', email: 'mina@example.com', emailVerified: false, role: 'customer' } },
    });
    const browser = createShopper(shop.url);
    browser.setToken(answer.body.token);
    expect((await browser.get('/api/auth/me')).body.data).toEqual(answer.body['user']);
    expect(await createShopper(shop.url).signIn('mina@example.com', newcomer.password)).toMatchObject({ status: 200 });
  });

  it('rejects a known email, and leaves its account unchanged', async () => {
    const { email } = await makeUser(shop.deps);
    const refused = await register({ ...newcomer, email });
    expect(refused).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(refused.body.token).toBeUndefined();
    expect(await createShopper(shop.url).signIn(email, TEST_PASSWORD)).toMatchObject({ status: 200 });
  });

  it('gives an email to only one of twenty concurrent requests', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => register({ ...newcomer, email: 'once@example.com' })),
    );
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(all.filter(({ body }) => body.code === 'EMAIL_TAKEN')).toHaveLength(19);
  });

  it.each([
    ['a short password', { password: '12345' }, 'password'],
    ['a common password', { password: 'qwerty123' }, 'password'],
    ['no name', { name: '' }, 'name'],
    ['two addresses', { email: 'a@example.com, b@example.com' }, 'email'],
  ])('rejects %s', async (_, change, field) => {
    expect(await register({ ...newcomer, ...change })).toMatchObject({ status: 400, body: { field } });
  });
});
