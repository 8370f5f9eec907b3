import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import {
  insertLine,
  insertOrder,
  makePhysicalProduct,
  makeProduct,
  makeReview,
  makeUser,
} from '../../../../test/factories.ts';
import { signedIn, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import { type AdminReview, type Reviewable, type ReviewSummary, reviewState } from '../../../shared/reviews.ts';
import { searchReviews } from './reviews.queries.ts';

const shop = await openTestShop();
const desk = await openAdminOrders(shop);
await makeReviews();

async function makeReviews() {
  const { db, clock } = shop.deps;
  const names = ['Harbour Legends', 'Harbour Nights', 'Quiet Farm'];
  const products = await Promise.all(names.map(async (name) => (await makeProduct(shop.deps, { name })).id));
  products.push(await makePhysicalProduct(shop.deps, { name: 'Wooden Mouse' }));
  const buyers = [
    { name: 'Aisha Tan', email: 'aisha@harbour.example' },
    { name: 'Bo', email: 'bo.lim@mail.example' },
    { name: 'Li Wei', email: 'quiet.wei@mail.example' },
  ];
  for (const buyer of buyers) {
    const { id: userId } = await makeUser(shop.deps, buyer);
    for (const productId of products) {
      const order_id = await insertOrder(db, clock.now());
      await insertLine(db, { order_id, product_id: productId, quantity: 1 });
      shop.pass(1_000);
      const place = Math.floor(clock.now().getTime() / 1_000);
      const state = reviewState.options[place % 5] ?? 'published';
      await makeReview(shop.deps, productId, userId, {
        ...{ id: uuidv7(), author: buyer.name, state },
        reject_reason: state === 'rejected' ? 'Names a person' : null,
      });
    }
  }
}

async function listed(query: Record<string, string>) {
  const { body } = await desk.admin.get(`/api/admin/reviews?${new URLSearchParams({ limit: '5', ...query })}`);
  return body as unknown as { data: AdminReview[]; nextCursor: string | null; total: number };
}

/** All pages of a list. */
async function whole(query: Record<string, string>) {
  const reviews: AdminReview[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await listed({ ...query, ...(cursor && { cursor }) });
    reviews.push(...page.data);
    expect(page.total).toBe((await listed(query)).total);
    cursor = page.nextCursor;
  }
  return reviews;
}

const shows = (q: string) => (review: AdminReview) =>
  [review.author.name, review.author.email, review.product.name].some((text) =>
    q.length < 3 && text !== review.product.name
      ? text.toLowerCase().startsWith(q)
      : text.toLowerCase().includes(q.toLowerCase()),
  );

it('lists those of one state in the order of the whole list', async () => {
  const all = await whole({});
  expect(all).toHaveLength(12);
  for (const state of reviewState.options) {
    const found = await whole({ state });
    expect(found).toEqual(all.filter((review) => review.state === state));
    expect(found).not.toEqual([]);
    expect(await listed({ state })).toMatchObject({ total: found.length });
  }
});

it.each(['harbour', 'QUIET', 'aisha', 'lim@mail', 'wei', 'li', 'mouse', '%_'])(
  'finds %j in the name or e-mail of the author and in the name of the product',
  async (q) => {
    const all = await whole({});
    const matching = all.filter(shows(q));
    expect(await whole({ q })).toEqual(matching);
    const published = matching.filter(({ state }) => state === 'published');
    expect(await whole({ q, state: 'published' })).toEqual(published);

    // A small limit simulates a shop with more reviews than a search reads one by one.
    for (const state of [undefined, 'published'] as const) {
      const { ids, ...counted } = await searchReviews(shop.deps.db, { state, limit: 20 }, q, 2);
      expect(ids).toEqual((state ? published : matching).map(({ _id }) => _id));
      expect(counted).toEqual({ total: ids.length, hasUncounted: false });
    }
  },
);

it('is not shown to shoppers while its product is hidden', async () => {
  const product = await makeProduct(shop.deps, { items: 1 });
  const { user, browser: buyer } = await signedInUser(shop);
  await buyer.buy([{ product, quantity: 1 }]);
  await makeReview(shop.deps, product.id, user.id, { state: 'published' });
  const numbers = [];
  for (const isActive of [true, false, true]) {
    await desk.admin.send('PUT', `/api/digital-products/${product.id}`, { isActive });
    // The answer is cached for a second.
    shop.pass(1_000);
    const { body } = await buyer.get(`/api/reviews?product=${product.id}`);
    numbers.push([body.data?.length, (body['summary'] as ReviewSummary).numReviews]);
  }
  expect(numbers).toEqual([
    [1, 1],
    [0, 0],
    [1, 1],
  ]);
});

it('names a hidden product for its author as it was bought', async () => {
  const product = await makeProduct(shop.deps, { items: 1 });
  const { browser: buyer } = await signedInUser(shop);
  await buyer.buy([{ product, quantity: 1 }]);
  const path = `/api/digital-products/${product.id}`;
  const named = async (name: string, isActive: boolean) => {
    await desk.admin.send('PUT', path, { name, isActive });
    const { body } = await buyer.get(`/api/my-reviews?product=${product.id}`);
    return (body.data as unknown as Reviewable[])[0]?.product.name;
  };
  expect(await named('SUPPLIER UNDER INVESTIGATION', false)).toBe(product.name);
  expect(await named('A second edition', true)).toBe('A second edition');
});

it('shows a key that the author typed masked, in the title and in the text', async () => {
  const product = await makeProduct(shop.deps, { items: 2 });
  const buyer = await signedIn(shop);
  const { orderId } = await buyer.buy([{ product, quantity: 2 }]);
  const [key = '', other = ''] = await buyer.readKeys(orderId);
  const review = { stars: 1, title: `${key} was used`, text: `Neither ${other.toLowerCase()} nor ${key} works.` };
  await buyer.send('PUT', `/api/my-reviews/${product.id}`, review);
  const { rows } = await sql<{ review: string }>`
    SELECT reviews::text AS review FROM reviews WHERE product_id = ${product.id}`.execute(shop.deps.db);
  for (const typed of [key, other]) expect(rows[0]?.review.toLowerCase()).not.toContain(typed.toLowerCase());
  expect((await listed({})).data.find(({ product: { _id } }) => _id === product.id)).toMatchObject({
    title: expect.stringMatching(/^KEY-•+\S+ was used$/),
    text: expect.stringMatching(/^Neither KEY-•+\S+ nor KEY-•+\S+ works\.$/),
  });
});

it('shows a key that an administrator typed masked, in a reply, in a reason and in the audit log', async () => {
  const product = await makeProduct(shop.deps, { items: 1 });
  const buyer = await signedIn(shop);
  const { orderId } = await buyer.buy([{ product, quantity: 1 }]);
  const [key = ''] = await buyer.readKeys(orderId);
  await buyer.send('PUT', `/api/my-reviews/${product.id}`, { stars: 1, title: 'Used', text: 'It was used before.' });
  const { _id: id, version } = (await listed({ state: 'pending', q: product.name })).data[0] as AdminReview;
  await desk.admin.send('PUT', `/api/admin/reviews/${id}/reply`, { version, text: `${key} is new.` });
  const reason = `It names ${key}.`;
  expect(await desk.admin.post(`/api/admin/reviews/${id}/reject`, { version: version + 1, reason })).toMatchObject({
    body: {
      data: {
        reply: { text: expect.stringMatching(/^KEY-•+\S+ is new\.$/) },
        rejectReason: expect.stringMatching(/^It names KEY-•+\S+\.$/),
      },
    },
  });
  const { rows } = await sql<{ summary: string }>`SELECT summary FROM audit_log WHERE subject_id = ${id}`.execute(
    shop.deps.db,
  );
  expect(rows).toHaveLength(2);
  for (const { summary } of rows) expect(summary).not.toContain(key);
});
