import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { makeProduct } from '../../../../test/factories.ts';
import { countWaiting, inTurn } from '../../../../test/locks.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { TEST_ADDRESS } from '../../../../test/shopper.ts';
import { signedIn, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { endpoints } from '../../../shared/api.ts';
import { lockUser } from '../../features/accounts/accounts.queries.ts';
import { lockOrder } from '../../features/orders/orders.queries.ts';
import type { Transaction } from '../database/database.ts';
import { responseSchemas } from './route.ts';

// The shop compiles a serializer when it first needs it, so a start does not find schemas that cannot be compiled.
test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
  'the responses of %s can be serialized',
  (_name, endpoint) => {
    const compile = SerializerSelector()();
    const { method, path: url } = endpoint;
    for (const [httpStatus, schema] of Object.entries(responseSchemas(endpoint))) {
      expect(compile({ method, url, httpStatus, schema })).toBeTypeOf('function');
    }
  },
);

// A union costs a validation of each value at each response.
test('no schema of a response describes a nullable field by a union', () => {
  const withUnion = endpoints.filter((endpoint) => JSON.stringify(responseSchemas(endpoint)).includes('"type":"null"'));
  expect(withUnion.map(({ name }) => name)).toEqual([]);
});

const shop = await openTestShop();

test.each([
  ['DELETE', '/api/users/cart'],
  ['POST', '/api/auth/2fa/setup'],
  ['POST', '/api/auth/logout'],
])('%s %s takes no payload, also with the content type JSON', async (method, path) => {
  const { status } = await (await signedIn(shop)).send(method, path, '', { 'content-type': 'application/json' });
  expect(status).toBe(200);
});

test('an error about a number out of range names its field', async () => {
  const { body } = await (await signedIn(shop)).post('/api/users/cart', { productId: uuidv7(), quantity: 1_000 });
  expect(body.message).toMatch(/^quantity: /);
});

test('an error about a missing payload names its first required field', async () => {
  const buyer = await signedIn(shop);
  const { status, body } = await buyer.send('POST', '/api/users/cart', '', { 'content-type': 'application/json' });
  expect([status, body['field']]).toEqual([400, 'productId']);
});

test.each([
  ['Latin-1', [0xe9]],
  ['a lone surrogate', [0xed, 0xa0, 0x80]],
  ['half a character', [0xc3]],
])('a text with bytes of %s, which are not UTF-8, is refused and not stored otherwise', async (_name, bytes) => {
  const { browser, user } = await signedInUser(shop);
  const details = { name: 'Jos*', email: user.email, phone: '', address: { ...TEST_ADDRESS } };
  const [before = '', after = ''] = JSON.stringify(details).split('*');
  const sent = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
  const { status, body } = await browser.send('PUT', '/api/auth/updatedetails', sent, headers);
  expect([status, body.message]).toEqual([400, 'The request must be encoded in UTF-8']);
});

test('a body with millions of values instead of a picture is refused before it is parsed', async () => {
  const buyer = await signedIn(shop);
  const sent = `{"picture":[${'{},'.repeat(2_000_000)}{}]}`;
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await buyer.send('POST', '/api/problem-reports', sent, headers);
  expect([status, body.message]).toEqual([400, 'The request has too many values']);
});

test('a HEAD for the items of an order is not answered, and does not count as reading them', async () => {
  const { orderId, buyer } = await buyAsGuest(shop, { quantity: 1 });
  const path = `/api/digital-orders/${orderId}/items`;
  expect((await buyer.send('HEAD', path)).status).toBe(404);
  expect((await buyer.get(path)).body.data).toMatchObject({ items: [{ items: [{ viewed: false }] }] });
});

const fillCart = async () => {
  const { browser, user } = await signedInUser(shop);
  const { id } = await makeProduct(shop.deps);
  const call = () => browser.send('PUT', `/api/users/cart/${id}`, { quantity: 1 });
  return { call, lock: (trx: Transaction) => lockUser(trx, user.id) };
};
const readItems = async () => {
  const { buyer, orderId } = await buyAsGuest(shop, { quantity: 1 });
  const call = () => buyer.get(`/api/digital-orders/${orderId}/items`);
  return { call, lock: (trx: Transaction) => lockOrder(trx, orderId) };
};

test.each([
  ['sends many changes', fillCart],
  ['reads the items of an order many times', readItems],
])('a user who %s at once leaves connections to the database to others', async (_what, prepare) => {
  const [{ call, lock }, { call: callOfOther }] = [await prepare(), await fillCart()];
  const { answers } = await shop.deps.db.transaction().execute(async (trx) => {
    await lock(trx);
    const answers = Array.from({ length: 40 }, call);
    await vi.waitFor(async () => expect(await countWaiting(shop.deps.db)).toBeGreaterThan(5), {
      timeout: 10_000,
      interval: 20,
    });
    expect(await callOfOther()).toMatchObject({ status: 200 });
    return { answers };
  });
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 200 });
});

test('a user whose changes all wait can still read', async () => {
  const { browser, user } = await signedInUser(shop);
  const { id } = await makeProduct(shop.deps);
  const changes = Array.from({ length: 6 }, () => () => browser.send('PUT', `/api/users/cart/${id}`, { quantity: 1 }));
  const read = async () => expect(await browser.get('/api/auth/me')).toMatchObject({ status: 200 });
  await inTurn(shop.deps.db, user.id, changes, read);
});
