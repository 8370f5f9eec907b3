import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openAdminOrders } from '../../../../test/admin-orders.ts';
import { createTestDatabase } from '../../../../test/database.ts';
import { makeProduct } from '../../../../test/factories.ts';
import { readMetrics, sampleValue } from '../../../../test/metrics.ts';
import { buyAsGuest } from '../../../../test/purchases.ts';
import { mailsTo } from '../../../../test/sent-mails.ts';
import { CARDS, createShopper, GUEST_PASSWORD } from '../../../../test/shopper.ts';
import { startSilentDatabaseProxy } from '../../../../test/silent-proxy.ts';
import { openTestShop, startTestShop } from '../../../../test/test-shop.ts';
import { MINUTE_MS } from '../../../shared/durations.ts';
import { AppError } from '../../../shared/errors.ts';
import { startBackgroundWork } from '../../background-work.ts';
import { noTracing } from '../../platform/tracing/tracing.ts';
import { sweepOrders } from '../checkout/sweep-orders.ts';
import { closeShop, openShop } from '../closing/closing.ts';
import { refundByAdmin } from '../orders/refund-order.ts';
import { createFigureReader } from './shop-figures.queries.ts';

const settings = { METRICS_PORT: '0' };

const shop = await openTestShop({ settings });

describe('the metrics', () => {
  const read = () => readMetrics(shop.metricsUrl);

  it('match the database: orders, money, holds, mails and provider calls', async () => {
    const first = await buyAsGuest(shop, { quantity: 2 });
    const second = await buyAsGuest(shop, { quantity: 1 });
    const desk = await openAdminOrders(shop);
    const [line] = (await desk.page(first.orderId)).lines;
    await desk.act(first.orderId, 'refund', { reason: 'Does not work', lines: [{ line: line?._id, quantity: 1 }] });
    const leaver = createShopper(shop.url);
    const [left, held] = [await makeProduct(shop.deps), await makeProduct(shop.deps, { items: 3 })];
    const gone = await leaver.openPayment([{ product: left, quantity: 1 }], { email: 'leaves@example.com' });
    await leaver.confirmCard(gone.body.clientSecret ?? '', CARDS.declined);
    shop.pass(4 * MINUTE_MS);
    await sweepOrders(shop.deps);
    await createShopper(shop.url).openPayment([{ product: held, quantity: 3 }], { email: 'stays@example.com' });
    for (const { guest } of [first, second]) await mailsTo(shop, guest.email);

    const { samples } = await read();
    const { rows } = await sql<{ pending: number; fulfilled: number; cancelled: number; paid: number; given: number }>`
      SELECT count(*)::integer AS pending, count(*) FILTER (WHERE paid_at IS NOT NULL)::integer AS fulfilled,
        count(*) FILTER (WHERE state = 'cancelled')::integer AS cancelled,
        sum(total_cents) FILTER (WHERE paid_at IS NOT NULL)::integer AS paid, sum(refunded_cents)::integer AS given
      FROM orders`.execute(shop.deps.db);
    const { paid, given, ...states } = rows[0] ?? { paid: 0, given: 0 };
    expect(states).toEqual({ pending: 4, fulfilled: 2, cancelled: 1 });
    for (const [state, count] of Object.entries(states)) {
      expect(sampleValue(samples, 'kedai_orders_total', { state })).toBe(count);
    }
    const usd = { currency: 'usd' };
    expect(sampleValue(samples, 'kedai_captured_minor_units_total', usd)).toBe(paid);
    expect(sampleValue(samples, 'kedai_refunded_minor_units_total', usd)).toBe(given);
    expect(given).toBe(1060);
    expect(sampleValue(samples, 'kedai_settle_duration_seconds_count')).toBe(2);
    expect(sampleValue(samples, 'kedai_held_units')).toBe(3);
    expect(sampleValue(samples, 'kedai_unfinished_orders', { state: 'pending' })).toBe(1);
    expect(sampleValue(samples, 'kedai_unfinished_orders', { state: 'refunding' })).toBe(0);
    expect(sampleValue(samples, 'kedai_jobs_waiting', { queue: 'send-mail' })).toBeGreaterThanOrEqual(0);
    expect(sampleValue(samples, 'kedai_sweeper_orders_total', { finding: 'released' })).toBe(1);
    expect(sampleValue(samples, 'kedai_mails_total', { outcome: 'sent' })).toBe(3);
    const calls = (call: string) =>
      sampleValue(samples, 'kedai_provider_call_duration_seconds_count', { call, outcome: 'ok' });
    expect([calls('createIntent'), calls('captureIntent'), calls('refundIntent')]).toEqual([4, 2, 1]);
    expect(sampleValue(samples, 'kedai_ready')).toBe(1);
    expect(sampleValue(samples, 'kedai_database_connections_max', { pool: 'shop' })).toBe(20);
    expect(sampleValue(samples, 'kedai_database_connections_max', { pool: 'shop/accounts' })).toBe(13);
    expect(sampleValue(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('give the age of the oldest refund, or refund of a part, that the provider has not accepted yet', async () => {
    const figures = () => createFigureReader(shop.deps.db)();
    const product = await makeProduct(shop.deps, { items: 2 });
    const guest = { email: 'waits-for-money@example.com', password: GUEST_PASSWORD };
    const { orderId } = await createShopper(shop.url).buy([{ product, quantity: 2 }], guest, CARDS.slowRefund);
    const before = await figures();
    expect(before.oldestWaitingRefundSeconds).toBe(0);

    const desk = await openAdminOrders(shop);
    const [line] = (await desk.page(orderId)).lines;
    const refundIntent = async () => {
      throw new AppError('PAYMENT_PROVIDER_UNAVAILABLE', 'The provider is away');
    };
    const away = { ...shop.deps, payments: { ...shop.deps.payments, refundIntent } };
    const actor = { userId: null, name: 'The Admin', ip: '127.0.0.1' };
    const lines = [{ line: line?._id ?? '', quantity: 1 }];
    await refundByAdmin(away, { orderId, reason: 'Does not work', lines, actor });
    await sql`UPDATE refunds SET created_at = now() - interval '3 hours' WHERE order_id = ${orderId}`.execute(
      shop.deps.db,
    );
    const waiting = await figures();
    expect(Math.round(waiting.oldestWaitingRefundSeconds / 60)).toBe(180);
    expect(waiting.unfinishedOrders).toEqual({ ...before.unfinishedOrders, fulfilled: 1 });

    // The provider accepts a refund of all that is left, which includes the part. The bank takes days.
    await desk.act(orderId, 'refund', { reason: 'Does not work' });
    expect(await desk.page(orderId)).toMatchObject({ refunds: [{ state: 'pending' }, { state: 'pending' }] });
    const accepted = await figures();
    expect(accepted.oldestWaitingRefundSeconds).toBe(0);
    expect(accepted.unfinishedOrders).toEqual(before.unfinishedOrders);
  });

  it('include the age of a mail while it is being sent', async () => {
    const { db } = shop.deps;
    const about = sql`name = 'send-mail' AND data = '{"mailId": "hangs"}'`;
    await sql`
      INSERT INTO jobs.job (name, data, state, created_on, started_on)
      VALUES ('send-mail', '{"mailId": "hangs"}', 'active', now() - interval '1 hour', now())`.execute(db);
    const { jobs } = await createFigureReader(db)();
    await sql`DELETE FROM jobs.job WHERE ${about}`.execute(db);
    expect(jobs['send-mail']?.waiting).toBeGreaterThanOrEqual(1);
    expect(jobs['send-mail']?.lagSeconds).toBeGreaterThanOrEqual(3_600);
  });

  it('count a waiting bulk mail, but not its age', async () => {
    const { db } = shop.deps;
    const figures = async () => (await createFigureReader(db)()).jobs['send-mail'];
    const before = await figures();
    await sql`
      INSERT INTO jobs.job (name, data, priority, created_on)
      VALUES ('send-mail', '{"mailId": "mass"}', -1, now() - interval '1 hour')`.execute(db);
    const after = await figures();
    await sql`DELETE FROM jobs.job WHERE data = '{"mailId": "mass"}'`.execute(db);
    expect(after?.waiting).toBe((before?.waiting ?? 0) + 1);
    expect(after?.lagSeconds).toBeLessThan(3_600);
  });

  it('give the start time for a loop that has never succeeded', async () => {
    const startedAt = Math.floor(Date.now() / 1_000);
    const fails = { ...noTracing, inSpan: () => Promise.reject(new Error('It fails')) };
    const background = startBackgroundWork(shop.deps, fails);
    const { samples } = await read();
    await background.stop();
    const loops = samples.filter(({ name }) => name === 'kedai_loop_last_done_timestamp_seconds');
    const names = ['sweep', 'finish deletions', 'remove ended rows'];
    expect(loops.map(({ labels }) => labels['loop'])).toEqual(expect.arrayContaining(names));
    for (const { value } of loops) expect(value).toBeGreaterThanOrEqual(startedAt);
  });

  it('label requests by route, so visitors add no series, and contain no data of orders or buyers', async () => {
    const { orderId, guest, buyer } = await buyAsGuest(shop, { quantity: 1 });
    await buyer.get(`/api/digital-orders/${orderId}`);
    const before = await read();
    for (let index = 0; index < 40; index += 1) {
      for (const path of [`/api/none/${index}`, `/none-${index}`, `/api/digital-products/${index}?word=${index}`]) {
        await fetch(`${shop.url}${path}`);
      }
    }
    for (const method of ['PROPFIND', 'MKCOL', 'PURGE']) await fetch(`${shop.url}/x`, { method });
    const { text, samples } = await read();
    const name = 'kedai_http_request_duration_seconds_count';
    const routes = (of: typeof samples) =>
      new Set(of.filter((one) => one.name === name).map(({ labels }) => `${labels['method']} ${labels['route']}`));
    expect(routes(samples).size - routes(before.samples).size).toBeLessThanOrEqual(8);
    expect(sampleValue(samples, name, { route: '/api/digital-products/:id', status: '4xx' })).toBeGreaterThanOrEqual(
      40,
    );
    expect(samples.length).toBeLessThan(1_500);
    for (const secret of [orderId, guest.email, 'example.com', 'none-1', 'word=']) expect(text).not.toContain(secret);
  });

  it('label rejected requests with their error code, so that a closed shop raises no alert', async () => {
    const actor = { userId: null, name: 'npm run shop:closed', ip: '' };
    await closeShop(shop.deps, { reason: 'Stocktaking', message: 'Back at noon', actor });
    const cart = [{ product: await makeProduct(shop.deps), quantity: 1 }];
    const refused = await createShopper(shop.url).openPayment(cart, { email: 'early@example.com' });
    await openShop(shop.deps, { reason: 'Counted', actor });
    expect(refused.body.code).toBe('SHOP_CLOSED');
    const { samples } = await read();
    const failed = samples.filter(
      ({ name, labels }) => name === 'kedai_http_request_duration_seconds_count' && labels['status'] === '5xx',
    );
    expect(failed.map(({ labels, value }) => [labels['code'], value])).toEqual([['SHOP_CLOSED', 1]]);
  });

  it('are on a separate listener, at one path', async () => {
    const answer = await fetch((shop.metricsUrl ?? '').replace('/metrics', '/healthz'));
    expect(answer.status).toBe(404);
    expect((await fetch(shop.metricsUrl ?? '', { method: 'POST' })).status).toBe(404);
    expect(new URL(shop.metricsUrl ?? '').hostname).toBe('127.0.0.1');
  });
});

it('the metrics listener is off without METRICS_PORT', async () => {
  const shop = await startTestShop();
  expect(shop.metricsUrl).toBeUndefined();
  await shop.stop();
});

it('an unresponsive database removes only its own figures, and counts as an error', async () => {
  const database = await createTestDatabase();
  // Short limits, so that the shop stops soon although it loses its connections.
  const databaseLimits = { connectMs: 1_000, waitMs: 1_000, statementMs: 900, answerMs: 1_000 };
  await using proxy = await startSilentDatabaseProxy(database.connectionString);
  const shop = await startTestShop({
    settings,
    database: { ...database, connectionString: proxy.connectionString },
    databaseLimits,
  });
  const errorsOf = async () => {
    const { samples } = await readMetrics(shop.metricsUrl);
    return {
      errors: sampleValue(samples, 'kedai_metrics_scrape_errors_total'),
      held: sampleValue(samples, 'kedai_held_units'),
      build: sampleValue(samples, 'kedai_build_info'),
      ready: sampleValue(samples, 'kedai_ready'),
    };
  };
  proxy.fallSilent();
  expect(await errorsOf()).toEqual({ errors: 1, held: undefined, build: 1, ready: 0 });
  proxy.recover();
  await shop.stop();
});
