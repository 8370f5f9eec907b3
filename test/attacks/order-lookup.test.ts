import { createHash } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { lookUpOrder, openLookup } from '../../src/server/features/order-lookup/look-up-order.ts';
import { api } from '../../src/shared/api.ts';
import { MINUTE_MS } from '../../src/shared/durations.ts';
import { createLookupDesk, wrongCodes } from '../order-lookups.ts';
import { createShopper } from '../shopper.ts';
import { openTestShop, startTestShop, type TestShop } from '../test-shop.ts';

const shop = await openTestShop();
const desk = createLookupDesk(shop);

const refused = {
  status: 401,
  body: { success: false, code: 'INVALID_CODE', message: 'This code is wrong or no longer valid' },
};

let buyers = 0;

/** Buys an order and asks for a lookup, whose code was mailed. */
async function askedFor() {
  buyers += 1;
  const email = `victim-${buyers}@example.com`;
  const bought = await desk.buy(email);
  const lookupId = await desk.askFor(email, bought.number);
  return { email, ...bought, lookupId, code: await desk.codeOf(lookupId) };
}

const triesOf = async (lookupId: string) =>
  (await shop.deps.db.selectFrom('verifications').select('tries').where('id', '=', lookupId).executeTakeFirstOrThrow())
    .tries;

describe('the limit on lookup codes', () => {
  it('allows five tries, even concurrent ones, and then refuses the right code', async () => {
    const { lookupId, code, orderId } = await askedFor();
    const guesses = await Promise.all(wrongCodes(code, 40).map((guess) => desk.open(lookupId, guess)));
    for (const guess of guesses) expect(guess).toMatchObject(refused);
    expect(await triesOf(lookupId)).toBe(5);
    expect(await desk.open(lookupId, code)).toMatchObject(refused);
    expect(await shop.deps.db.selectFrom('reveals').select('id').where('order_id', '=', orderId).execute()).toEqual([]);
  });

  it('accepts the right code as the fifth try', async () => {
    const { lookupId, code } = await askedFor();
    for (const guess of wrongCodes(code, 4)) expect(await desk.open(lookupId, guess)).toMatchObject(refused);
    expect((await desk.open(lookupId, code)).status).toBe(200);
  });

  it('allows a network three codes an hour for an order, however many lookups it requests', async () => {
    const { email, number, lookupId } = await askedFor();
    const more = await Promise.all(Array.from({ length: 10 }, () => desk.askFor(email, number)));
    await Promise.all(more.map((id) => desk.mailOf(id)));
    const withCode = await shop.deps.db
      .selectFrom('verifications')
      .select('id')
      .where('id', 'in', [lookupId, ...more])
      .where('secret_hash', 'is not', null)
      .execute();
    expect(withCode).toHaveLength(3);
  });

  it('allows twelve codes an hour for an order across networks', async () => {
    const { email, number } = await askedFor();
    const askFrom = async (network: string) => {
      const question = { email, orderNumber: number, network };
      const asked = await Promise.all(Array.from({ length: 4 }, () => lookUpOrder(shop.deps, question)));
      const ids = asked.map(({ lookupId }) => lookupId);
      const { length } = await shop.deps.db
        .selectFrom('verifications')
        .select('id')
        .where('id', 'in', ids)
        .where('order_id', 'is not', null)
        .execute();
      return length;
    };
    const codes = [];
    for (const stranger of [1, 2, 3, 4]) codes.push(await askFrom(`203.0.113.${stranger}`));
    expect(codes).toEqual([3, 3, 3, 2]);
  });

  it('does not count an input that is not six digits, which is refused', async () => {
    const { lookupId } = await askedFor();
    for (const code of ['', '12345', '1234567', '12345a', '１２３４５６', ['123456'], 123456, null]) {
      expect((await desk.open(lookupId, code as string)).status).toBe(400);
    }
    expect(await triesOf(lookupId)).toBe(0);
  });
});

describe('a lookup code', () => {
  it('opens the order once, even when it is sent several times at once', async () => {
    const { lookupId, code, key } = await askedFor();
    const answers = await Promise.all(Array.from({ length: 5 }, () => desk.open(lookupId, code)));
    const opened = answers.filter(({ status }) => status === 200);
    expect(opened).toHaveLength(1);
    expect(JSON.stringify(opened[0]?.body)).toContain(key);
    for (const answer of answers.filter((one) => one !== opened[0])) expect(answer).toMatchObject(refused);
    expect(await desk.open(lookupId, code)).toMatchObject(refused);
  });

  it('does not open another lookup, of the same order or of another', async () => {
    const [mine, theirs] = [await askedFor(), await askedFor()];
    const second = await desk.askFor(mine.email, mine.number);
    const secondCode = await desk.codeOf(second);
    // Once in a million, the two codes are the same.
    const others = [theirs, { lookupId: second, code: secondCode }].filter(({ code }) => code !== mine.code);
    expect(others.length).toBeGreaterThan(0);
    for (const { lookupId } of others) expect(await desk.open(lookupId, mine.code)).toMatchObject(refused);
    expect((await desk.open(mine.lookupId, mine.code)).status).toBe(200);
  });

  it('expires after ten minutes', async () => {
    const [early, late] = [await askedFor(), await askedFor()];
    const created = await shop.deps.db
      .selectFrom('verifications')
      .select('expires_at')
      .where('id', '=', early.lookupId)
      .executeTakeFirstOrThrow();
    const client = { ip: '203.0.113.7', userAgent: '' };
    const at = (moment: number) => ({ ...shop.deps, clock: { now: () => new Date(moment) } });
    const lastMoment = created.expires_at.getTime() - 1;
    await expect(openLookup(at(lastMoment), { ...early, client })).resolves.toMatchObject({
      opened: { order: { _id: early.orderId } },
    });
    shop.pass(10 * MINUTE_MS);
    expect(await desk.open(late.lookupId, late.code)).toMatchObject(refused);
  });

  it('is stored as a keyed hash, and is not in the log', async () => {
    const { lookupId, code } = await askedFor();
    const row = await shop.deps.db
      .selectFrom('verifications')
      .select('secret_hash')
      .where('id', '=', lookupId)
      .executeTakeFirstOrThrow();
    const guesses = [code, `${lookupId}${code}`, `${code}${lookupId}`, `order-lookup|${lookupId}|${code}`];
    for (const guess of guesses) {
      expect(row.secret_hash?.equals(createHash('sha256').update(guess).digest())).toBe(false);
    }
    expect(row.secret_hash).toHaveLength(32);
    await desk.open(lookupId, code);
    expect(shop.logLines.join('\n')).not.toContain(code);
  });
});

describe('whether an email belongs to a buyer', () => {
  /** Returns dependencies that record every SQL statement that a function sends and every job that it queues. */
  function watched() {
    const statements: string[] = [];
    const watch: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        statements.push(shop.deps.db.getExecutor().compileQuery(node, queryId).sql);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const jobs: TestShop['deps']['jobs'] = {
      ...shop.deps.jobs,
      enqueue: (trx, queue, data) => {
        statements.push(queue);
        return shop.deps.jobs.enqueue(trx, queue, data);
      },
    };
    return { statements, deps: { ...shop.deps, jobs, db: shop.deps.db.withPlugin(watch) } };
  }

  it('is not revealed by the response or the SQL statements of a lookup request', async () => {
    const { email, number } = await askedFor();
    const unpaid = await desk.buy(email, { pay: false });
    const questions = [
      { email, orderNumber: number },
      { email, orderNumber: unpaid.number },
      { email, orderNumber: '00000000' },
      { email: 'stranger@example.com', orderNumber: number },
    ];
    const seen = [];
    for (const question of questions) {
      const { status, headers, body } = await desk.ask(question.email, question.orderNumber);
      const { lookupId } = body.data as unknown as { lookupId: string };
      const { statements, deps } = watched();
      await lookUpOrder(deps, { ...question, network: '198.51.100.7' });
      seen.push({
        status,
        body: JSON.stringify(body).replace(lookupId, 'id'),
        headers: [...headers.keys()].filter((name) => name !== 'date'),
        statements,
      });
    }
    expect(seen[0]?.statements.length).toBeGreaterThanOrEqual(4);
    for (const other of seen) expect(other).toEqual(seen[0]);
  });

  it('is not revealed by the response or the SQL statements for a wrong code', async () => {
    const { lookupId, code } = await askedFor();
    const nobodys = await desk.askFor('stranger@example.com', '00000000');
    const unknown = '0198c0de-0000-7000-8000-000000000001';
    const [guess = ''] = wrongCodes(code, 1);
    const client = { ip: '203.0.113.7', userAgent: '' };
    const seen = [];
    for (const id of [lookupId, nobodys, unknown]) {
      const { status, body } = await desk.open(id, guess);
      const { statements, deps } = watched();
      await expect(openLookup(deps, { lookupId: id, code: guess, client })).rejects.toThrow();
      seen.push({ status, message: body.message, code: body.code, statements });
    }
    expect(seen[0]).toMatchObject({ status: 401, code: 'INVALID_CODE', statements: [expect.any(String)] });
    for (const other of seen) expect(other).toEqual(seen[0]);
  });
});

it('the lookup calls are below /guest, where a 401 does not sign the browser out', () => {
  expect(api).toHaveProperty(['POST /order-lookup/guest']);
  expect(api).toHaveProperty(['POST /order-lookup/guest/open']);
});

it('an IP address may request ten codes in 15 minutes, without affecting other addresses', async () => {
  const limited = await startTestShop({ settings: { RATE_LIMITS: 'on', TRUST_PROXY: '1' } });
  try {
    const visitor = createShopper(limited.url);
    const askFrom = (ip: string, number: number) =>
      visitor.send(
        'POST',
        '/api/order-lookup/guest',
        { email: `a${number}@example.com`, orderNumber: '00000000' },
        { 'x-forwarded-for': ip },
      );
    const statuses = [];
    for (let asked = 0; asked < 11; asked += 1) statuses.push((await askFrom('203.0.113.7', asked)).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429]);
    const refusal = await askFrom('203.0.113.7', 11);
    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refusal.headers.get('retry-after'))).toBeLessThanOrEqual(900);
    expect((await askFrom('203.0.113.8', 0)).status).toBe(200);
  } finally {
    await limited.stop();
  }
});
