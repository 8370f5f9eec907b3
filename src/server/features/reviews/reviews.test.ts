import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { kindsOfGoods, type MadeProduct, makeGoods } from '../../../../test/factories.ts';
import type { Shopper } from '../../../../test/shopper.ts';
import { signedIn, signedInUser } from '../../../../test/signed-in.ts';
import { openTestShop } from '../../../../test/test-shop.ts';
import type { AdminReview, PublicReview, Reviewable, ReviewSummary } from '../../../shared/reviews.ts';
import { checkBooks } from '../books/check-books.ts';
import { maskedName } from './present-review.ts';

const shop = await openTestShop({ deliverTestWebhooks: false });
const desk = await openAdminOrders(shop);

const words = { stars: 4, title: 'Works', text: 'It does what it says.' };
const write = (buyer: Shopper, { id }: Pick<MadeProduct, 'id'>, body: object = {}) =>
  buyer.send('PUT', `/api/my-reviews/${id}`, { ...words, ...body });
const remove = (buyer: Shopper, { id }: MadeProduct) => buyer.send('DELETE', `/api/my-reviews/${id}`);

const ship = (orderId: string) => desk.act(orderId, 'ship', { carrier: 'DHL', trackingNumber: '1' });

/** A customer who has bought one unit of the product; physical products are shipped. */
async function buyerOf(product: MadeProduct, name = 'Aminah binti Yusof') {
  const { browser, user } = await signedInUser(shop, { name });
  const { orderId } = await browser.buy([{ product, quantity: 1 }]);
  if (product.kind === 'physical') await ship(orderId);
  return { buyer: browser, user, orderId };
}

/** What everybody reads of a product's reviews; answers are kept for a second. */
async function shown({ id }: Pick<MadeProduct, 'id'>, query = '') {
  shop.pass(1_001);
  const { body } = await desk.admin.get(`/api/reviews?product=${id}${query}`);
  return body as unknown as { data: PublicReview[]; nextCursor: string | null; summary: ReviewSummary };
}

async function mine(buyer: Shopper): Promise<Reviewable[]> {
  return (await buyer.get('/api/my-reviews')).body.data as unknown as Reviewable[];
}

/** The review of a product as administrators see it. */
async function inQueue({ id }: MadeProduct): Promise<AdminReview> {
  const { body } = await desk.admin.get('/api/admin/reviews?limit=200');
  const found = (body.data as unknown as AdminReview[]).find((review) => review.product._id === id);
  if (!found) throw new Error('The product has no review');
  return found;
}

const moderate = ({ _id, version }: AdminReview, action: string, body: object = {}) =>
  desk.admin.send(action === 'reply' ? 'PUT' : 'POST', `/api/admin/reviews/${_id}/${action}`, { version, ...body });
const publish = async (product: MadeProduct) => moderate(await inQueue(product), 'publish');

const ratingOf = async ({ id }: MadeProduct) =>
  shop.deps.db
    .selectFrom('products')
    .select(['rating_tenths', 'review_count'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const reviewFaults = async () =>
  (await checkBooks(shop.deps, { patienceMs: 0 })).faults.filter(({ invariant }) => invariant === 'reviews');

describe.each(kindsOfGoods)('a review of %s goods', (kind) => {
  it('is accepted only from a buyer who has received the goods', async () => {
    const product = await makeGoods(shop.deps, kind, 2);
    const stranger = await signedIn(shop);
    expect(await write(stranger, product)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    await stranger.openPayment([{ product, quantity: 1 }]);
    expect((await write(stranger, product)).status).toBe(403);

    const buyer = await signedIn(shop);
    const bought = await buyer.buy([{ product, quantity: 1 }]);
    if (kind === 'physical') {
      expect((await write(buyer, product)).status).toBe(403);
      expect(await mine(buyer)).toEqual([]);
      await ship(bought.orderId);
    }
    expect(await mine(buyer)).toMatchObject([{ product: { _id: product.id, kind }, mayReview: true, review: null }]);
    expect(await write(buyer, product)).toMatchObject({ status: 200, body: { data: { ...words, state: 'pending' } } });
    expect((await write(stranger, product)).status).toBe(403);
  });

  it('is shown once published, with its author’s first name and initial, and counts in the rating', async () => {
    const product = await makeGoods(shop.deps, kind, 1);
    const { buyer, user } = await buyerOf(product);
    await write(buyer, product);
    expect(await shown(product)).toMatchObject({ data: [], summary: { numReviews: 0, rating: 0 } });
    await publish(product);
    const page = await shown(product);
    expect(page.data).toEqual([
      {
        ...words,
        _id: expect.any(String),
        author: 'Aminah Y.',
        createdAt: expect.any(String),
        returned: false,
        reply: null,
      },
    ]);
    expect(page.summary).toEqual({ rating: 4, numReviews: 1, byStars: [0, 0, 0, 1, 0] });
    expect(JSON.stringify(page)).not.toContain(user.email);
    const path = kind === 'physical' ? 'products' : 'digital-products';
    expect((await buyer.get(`/api/${path}/${product.id}`)).body.data).toMatchObject({ rating: 4, numReviews: 1 });
  });

  it('is marked as returned after a refund, and its author can then only delete it', async () => {
    const product = await makeGoods(shop.deps, kind, 1);
    const { buyer, orderId } = await buyerOf(product);
    await write(buyer, product, { stars: 1 });
    await publish(product);
    expect((await desk.act(orderId, 'refund', { reason: 'Did not like it' })).status).toBe(200);
    expect(await shown(product)).toMatchObject({ data: [{ stars: 1, returned: true }], summary: { numReviews: 1 } });
    expect(await inQueue(product)).toMatchObject({ returned: true });
    expect(await mine(buyer)).toMatchObject([{ mayReview: false, review: { stars: 1 } }]);
    expect((await write(buyer, product, { stars: 5 })).status).toBe(403);
    expect((await remove(buyer, product)).status).toBe(200);
    expect(await shown(product)).toMatchObject({ data: [], summary: { numReviews: 0 } });
    expect(await ratingOf(product)).toEqual({ rating_tenths: 0, review_count: 0 });
  });
});

it('a review by a buyer who returned the goods and bought again stays published, without the mark', async () => {
  const product = await makeGoods(shop.deps, 'digital', 2);
  const { buyer, orderId } = await buyerOf(product);
  await write(buyer, product);
  await publish(product);
  await desk.act(orderId, 'refund', { reason: 'Did not like it' });
  expect((await shown(product)).data).toMatchObject([{ returned: true }]);
  await buyer.buy([{ product, quantity: 1 }]);
  expect((await write(buyer, product)).status).toBe(200);
  expect((await shown(product)).data).toMatchObject([{ returned: false }]);
});

it('a moderation with a stale version is refused after a reply by another administrator', async () => {
  const product = await makeGoods(shop.deps, 'digital', 1);
  await write((await buyerOf(product)).buyer, product);
  const read = await inQueue(product);
  expect((await moderate(read, 'reply', { text: 'Thank you' })).status).toBe(200);
  for (const [action, body] of [
    ['reply', { text: 'Sorry' }],
    ['publish', {}],
  ] as const) {
    expect(await moderate(read, action, body)).toMatchObject({ status: 409, body: { code: 'EDIT_CONFLICT' } });
  }
  expect(await inQueue(product)).toMatchObject({ reply: { text: 'Thank you' } });
});

it.each(['publish', 'reply', 'reject'])('a repeated %s after a lost answer succeeds without effect', async (action) => {
  const product = await makeGoods(shop.deps, 'digital', 1);
  await write((await buyerOf(product)).buyer, product);
  const [read, body] = [await inQueue(product), { text: 'Thank you', reason: 'No' }];
  const [, again] = [await moderate(read, action, body), await moderate(read, action, body)];
  expect(again.body.data).toMatchObject({ version: read.version + 1 });
});

describe('a buyer’s review', () => {
  it('is one per product: a new text replaces the first and waits for moderation', async () => {
    const product = await makeGoods(shop.deps, 'digital', 2);
    const { buyer } = await buyerOf(product);
    await write(buyer, product);
    await publish(product);
    await buyer.buy([{ product, quantity: 1 }]);
    await write(buyer, product, { stars: 2 });
    expect(await shown(product)).toMatchObject({ data: [], summary: { numReviews: 0 } });
    expect(await ratingOf(product)).toEqual({ rating_tenths: 0, review_count: 0 });
    await publish(product);
    expect(await shown(product)).toMatchObject({ data: [{ stars: 2 }], summary: { numReviews: 1, rating: 2 } });
  });

  it('stays published when the same text is sent again', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product);
    await write(buyer, product);
    await publish(product);
    expect((await write(buyer, product)).body.data).toMatchObject({ state: 'published' });
  });

  it('keeps its author’s old name until it is sent again and published with the new name', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product, 'Aminah Yusof');
    await write(buyer, product);
    const read = await inQueue(product);
    const address = { street: '', city: '', state: '', zipCode: '', country: 'Malaysia' };
    const { email } = read.author;
    const details = { email, name: 'BuyAt evil.example', phone: '', address };
    expect((await buyer.send('PUT', '/api/auth/updatedetails', details)).status).toBe(200);
    expect(await inQueue(product)).toMatchObject({ author: { name: 'Aminah Yusof' } });
    expect((await moderate(read, 'publish')).status).toBe(200);
    expect((await shown(product)).data).toMatchObject([{ author: 'Aminah Y.' }]);
    expect((await write(buyer, product)).body.data).toMatchObject({ state: 'pending' });
    expect((await shown(product)).data).toEqual([]);
    expect((await moderate(read, 'publish')).body.code).toBe('EDIT_CONFLICT');
    expect(await inQueue(product)).toMatchObject({ author: { name: 'BuyAt evil.example' } });
    await publish(product);
    expect((await shown(product)).data).toMatchObject([{ author: 'BuyAt E.' }]);
  });

  it('is stored once when several tabs send it at once', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product);
    const answers = await Promise.all([1, 2, 3, 4].map((stars) => write(buyer, product, { stars })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const rows = await shop.deps.db.selectFrom('reviews').select('id').where('product_id', '=', product.id).execute();
    expect(rows).toHaveLength(1);
  });

  it('can be deleted only by its author, and a repeated deletion succeeds', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product);
    await write(buyer, product);
    expect((await remove(await signedIn(shop), product)).status).toBe(200);
    expect(await mine(buyer)).toMatchObject([{ review: words }]);
    for (const _time of ['once', 'twice']) expect((await remove(buyer, product)).status).toBe(200);
    expect(await mine(buyer)).toMatchObject([{ mayReview: true, review: null }]);
  });

  it.each([
    ['no star', { stars: 0 }],
    ['six stars', { stars: 6 }],
    ['half a star', { stars: 4.5 }],
    ['no text', { text: '  ' }],
    ['a title of two lines', { title: 'One\nTwo' }],
    ['too long a text', { text: 'a'.repeat(4_001) }],
  ])('is refused with %s', async (_what, body) => {
    const answer = await write(await signedIn(shop), { id: '01900000-0000-7000-8000-000000000000' }, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  });
});

describe('an administrator', () => {
  it('sees pending reviews first, with product, buyer and order, and can search them', async () => {
    const [older, newer] = [await makeGoods(shop.deps, 'digital', 1), await makeGoods(shop.deps, 'physical', 1)];
    const first = await buyerOf(older);
    await write(first.buyer, older);
    const second = await buyerOf(newer);
    await write(second.buyer, newer);
    await publish(newer);
    const { body } = await desk.admin.get('/api/admin/reviews?limit=200');
    const entries = body.data as unknown as AdminReview[];
    const states = entries.map(({ state }) => state === 'pending');
    expect(states).toEqual(states.toSorted((one, other) => Number(other) - Number(one)));
    expect(entries.find(({ product }) => product._id === older.id)).toMatchObject({
      ...{ ...words, state: 'pending', orderId: first.orderId },
      author: { _id: first.user.id, name: first.user.name, email: first.user.email },
    });
    const search = `q=${encodeURIComponent(second.user.email)}`;
    expect((await desk.admin.get(`/api/admin/reviews?${search}`)).body).toMatchObject({
      data: [{ state: 'published' }],
      total: 1,
    });
    expect((await desk.admin.get(`/api/admin/reviews?${search}&state=pending`)).body).toMatchObject({
      data: [],
      total: 0,
    });
    expect((await desk.admin.get('/api/admin/stats')).body.data?.['pendingReviews']).toBe(
      states.filter(Boolean).length,
    );
  });

  it('pages through the list without losing or repeating a review', async () => {
    const all = (await desk.admin.get('/api/admin/reviews?limit=200')).body.data as unknown as AdminReview[];
    const found: string[] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const { body } = await desk.admin.get(`/api/admin/reviews?limit=2${cursor && `&cursor=${cursor}`}`);
      found.push(...(body.data ?? []).map(({ _id }) => String(_id)));
      cursor = body['nextCursor'];
    }
    expect(found).toEqual(all.map(({ _id }) => _id));
    expect(found.length).toBeGreaterThan(3);
  });

  it('publishes, replies and rejects with a reason shown to the author; each action is in the audit log', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product);
    await write(buyer, product, { stars: 1 });
    const { _id } = await inQueue(product);
    await publish(product);
    await publish(product);
    await moderate(await inQueue(product), 'reply', { text: 'Thank you!' });
    expect((await shown(product)).data).toMatchObject([{ reply: { text: 'Thank you!' } }]);
    expect((await moderate(await inQueue(product), 'reject', { reason: '' })).status).toBe(400);
    await moderate(await inQueue(product), 'reject', { reason: 'Names another person' });
    expect(await shown(product)).toMatchObject({ data: [], summary: { numReviews: 0 } });
    expect(await mine(buyer)).toMatchObject([{ review: { state: 'rejected', rejectReason: 'Names another person' } }]);
    await moderate(await inQueue(product), 'reply', { text: '' });
    expect(await inQueue(product)).toMatchObject({ reply: null });
    await write(buyer, product, { text: 'Without the name.' });
    expect(await inQueue(product)).toMatchObject({ state: 'pending', rejectReason: null });
    const log = await shop.deps.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'summary'])
      .where('subject_id', '=', _id)
      .orderBy('id')
      .execute();
    const of = `the review of "${product.name}" with 1 star`;
    expect(log.map(({ actor, action, summary }) => [actor, action, summary])).toEqual([
      [desk.email, 'review.published', `Published ${of}`],
      [desk.email, 'review.replied', `Replied to ${of}: Thank you!`],
      [desk.email, 'review.rejected', `Rejected ${of}: Names another person`],
      [desk.email, 'review.replied', `Removed the reply to ${of}`],
    ]);
  });

  it('cannot moderate a review that its author has changed or deleted meanwhile', async () => {
    const product = await makeGoods(shop.deps, 'digital', 1);
    const { buyer } = await buyerOf(product);
    await write(buyer, product);
    const read = await inQueue(product);
    await write(buyer, product, { text: 'Buy it at my own shop instead!' });
    for (const action of ['publish', 'reject', 'reply']) {
      const answer = await moderate(read, action, { reason: 'No', text: 'No' });
      expect(answer).toMatchObject({ status: 409, body: { code: 'EDIT_CONFLICT' } });
    }
    await remove(buyer, product);
    expect((await moderate(read, 'publish')).status).toBe(404);
    expect((await shown(product)).data).toEqual([]);
  });
});

describe('the rating of a product', () => {
  it('stays exact under concurrent changes by buyers and moderation by administrators', async () => {
    const product = await makeGoods(shop.deps, 'digital', 8);
    const buyers: Shopper[] = [];
    for (let stars = 1; stars <= 8; stars += 1) {
      const { buyer } = await buyerOf(product);
      buyers.push(buyer);
      await write(buyer, product, { stars: 1 + (stars % 5) });
    }
    const { body } = await desk.admin.get(`/api/admin/reviews?limit=200&q=${encodeURIComponent(product.name)}`);
    const reviews = body.data as unknown as AdminReview[];
    expect(reviews).toHaveLength(8);
    await Promise.all(reviews.map((review) => moderate(review, 'publish')));
    expect(await ratingOf(product)).toEqual({ rating_tenths: 30, review_count: 8 });
    const [changed, withdrawn, ...others] = buyers;
    const statuses = await Promise.all([
      ...(changed ? [write(changed, product, { stars: 5 })] : []),
      ...(withdrawn ? [remove(withdrawn, product)] : []),
      ...others.slice(0, 2).map((buyer) => write(buyer, product, { stars: 1, text: 'No more' })),
      ...reviews.slice(0, 3).map((review) => moderate(review, 'reject', { reason: 'No' })),
      ...reviews.map((review) => moderate(review, 'publish')),
    ]);
    for (const { status } of statuses) expect([200, 404, 409]).toContain(status);
    const { rows } = await sql`
      SELECT coalesce(round(avg(stars) * 10), 0)::integer AS rating_tenths, count(*)::integer AS review_count
      FROM reviews WHERE product_id = ${product.id} AND state = 'published'`.execute(shop.deps.db);
    expect(await ratingOf(product)).toEqual(rows[0]);
    expect(await reviewFaults()).toEqual([]);
  });

  it('is rounded to one decimal, and the reviews are listed newest first, page by page', async () => {
    const product = await makeGoods(shop.deps, 'digital', 3);
    for (const stars of [5, 5, 4]) {
      shop.pass(1_000);
      await write((await buyerOf(product)).buyer, product, { stars, title: `With ${stars}` });
      await publish(product);
    }
    const first = await shown(product, '&limit=2');
    expect(first.summary).toEqual({ rating: 4.7, numReviews: 3, byStars: [0, 0, 0, 1, 2] });
    expect(first.data.map(({ stars }) => stars)).toEqual([4, 5]);
    const second = await shown(product, `&limit=2&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ data: [{ stars: 5 }], nextCursor: null });
  });

  it('is reported by the check of the books if it differs from the published reviews', async () => {
    const product = await makeGoods(shop.deps, 'physical', 1);
    await shop.deps.db
      .updateTable('products')
      .set({ rating_tenths: 50, review_count: 9 })
      .where('id', '=', product.id)
      .execute();
    expect(await reviewFaults()).toEqual([
      {
        invariant: 'reviews',
        fault: `product ${product.id} has 9 reviews of 50 tenths of a star, and its published ones are 0 of 0`,
      },
    ]);
    await shop.deps.db
      .updateTable('products')
      .set({ rating_tenths: 0, review_count: 0 })
      .where('id', '=', product.id)
      .execute();
  });
});

it.each([
  ['Aminah Yusof', 'Aminah Y.'],
  ['  mei  ling   tan ', 'mei T.'],
  ['Cher', 'Cher'],
  ['陈伟霆', '陈**'],
  ['김민준', '김**'],
  ['山田 太郎', '山田 太.'],
  ['aminah@example.com', 'A buyer'],
  ['Aminah aminah@example.com', 'Aminah'],
  ['', 'A buyer'],
  ['𝔘nicode 𝔛avier', '𝔘nicode 𝔛.'],
  [`${'a'.repeat(99)} B`, `${'a'.repeat(30)} B.`],
])('the author name %j is shown as %j', (name, expected) => {
  expect(maskedName(name)).toBe(expected);
});
