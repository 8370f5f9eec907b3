import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { daysBefore } from '../../../shared/durations.ts';
import { PICTURE_UNUSED_DAYS, removeEndedRows, removeUnusedPictures, retentionRules } from './retention.ts';

const { db } = await openTestDatabase();
const now = new Date('2027-03-01T12:00:00Z');
const minutes = (count: number) => count * 60_000;

beforeAll(async () => {
  await run(`
    INSERT INTO users (id, email, name, created_at) VALUES ('${uuid('user')}', 'a@example.com', 'A', now()), ('${uuid('over')}', 'o', '', now()), ('${uuid('live')}', 'l', '', now());
    INSERT INTO products (id, kind, name, description, category, image, price_cents, delivery, created_at)
      VALUES ('${uuid('product')}', 'digital', 'Game', '', 'Game Keys', '/a.svg', 1000, 'unique', now());`);
});

const run = (statement: string) => sql.raw(statement).execute(db);
/** Returns the same UUID for the same word. */
function uuid(word: string): string {
  const hex = Buffer.from(word).toString('hex').padStart(12, '0').slice(-12);
  return `00000000-0000-4000-8000-${hex}`;
}
const endAll = () => removeEndedRows(db, now);

function order(id: string, at: string, columns: Record<string, string> = {}): string {
  const values = {
    id: `'${uuid(id)}'`,
    type: `'digital'`,
    state: `'cancelled'`,
    cancel_reason: `'abandoned'`,
    contact_email: `'a@example.com'`,
    guest: 'true',
    items_cents: '100',
    tax_cents: '0',
    total_cents: '100',
    created_at: `'${at}'`,
    hold_expires_at: `'${at}'`,
    cancelled_at: `'${at}'`,
    ...columns,
  };
  return `INSERT INTO orders (${Object.keys(values)}) VALUES (${Object.values(values)});
    INSERT INTO order_lines (id, order_id, position, product_id, name, image, quantity, unit_price_cents, delivery_instructions, warranty_days)
      VALUES (gen_random_uuid(), '${uuid(id)}', 1, '${uuid('product')}', 'Game', '/a.svg', 1, 100, '', 0);`;
}

const untilOf = (expiresAt: string) => ({
  user_id: quoted(uuid('user')),
  created_at: 'now()',
  expires_at: quoted(expiresAt),
});
const ofUser = (expiresAt: string) => ({ ...untilOf(expiresAt), email: `'a@example.com'` });

const posted = Object.fromEntries(
  ['street', 'city', 'state', 'zip_code', 'country'].map((part) => [`shipping_${part}`, `'Here'`]),
);
const insert = (table: string, values: Record<string, string>) =>
  `INSERT INTO ${table} (${Object.keys(values)}) VALUES (${Object.values(values)})`;
const values = (table: string, ...fields: unknown[]) =>
  `INSERT INTO ${table} VALUES (${fields.map((field) => `'${field}'`)})`;
const quoted = (text: string) => `'${text}'`;
const verification = (id: string, purpose: string, columns: Record<string, string>) =>
  insert('verifications', { id: quoted(uuid(id)), purpose: quoted(purpose), ...columns });

/** For each table: the lifetime, and a row whose lifetime began `at`. */
const cases: [what: string, table: string, lifeMs: number, row: (id: string, at: string) => string][] = [
  ...(['expires_at', 'revoked_at'] as const).map((end): (typeof cases)[number] => [
    `a session by its ${end}`,
    'sessions',
    minutes(30 * 24 * 60),
    (id, at) =>
      insert('sessions', {
        id: quoted(uuid(id)),
        user_id: quoted(uuid('user')),
        created_at: 'now()',
        last_seen_at: 'now()',
        ip: `''`,
        user_agent: `''`,
        expires_at: quoted('2099-01-01'),
        [end]: quoted(at),
      }),
  ]),
  ['a login half way', 'verifications', minutes(15), (id, at) => verification(id, 'login', untilOf(at))],
  [
    'a known device',
    'devices',
    0,
    (id, at) => values('devices', Buffer.from(id).toString('hex'), uuid('user'), 'now', at),
  ],
  ['a count that waits', 'rate_waits', 0, (id, at) => values('rate_waits', id, 1, true, 'now', at)],
  ['a decline', 'declines', minutes(7 * 24 * 60), (id, at) => values('declines', id, uuid('paid'), at)],
  [
    'a link of an account',
    'verifications',
    minutes(7 * 24 * 60),
    (id, at) => verification(id, 'password-reset', ofUser(at)),
  ],
  [
    'an undo of an e-mail',
    'verifications',
    minutes(7 * 24 * 60),
    (id, at) => verification(id, 'email-undo', ofUser(at)),
  ],
  ['a new e-mail', 'email_changes', minutes(2880), (id, at) => values('email_changes', uuid(id), 'b', at)],
  [
    'a link of an order',
    'verifications',
    minutes(7 * 24 * 60),
    (id, at) =>
      verification(id, 'order-claim', {
        ...{ order_id: quoted(uuid('paid')), email: `'a@example.com'` },
        ...{ created_at: 'now()', expires_at: quoted(at) },
      }),
  ],
  [
    'a lookup',
    'verifications',
    minutes(24 * 60),
    (id, at) => verification(id, 'order-lookup', { created_at: quoted(at), expires_at: quoted(at) }),
  ],
  [
    'a webhook event',
    'webhook_events',
    minutes(30 * 24 * 60),
    (id, at) => insert('webhook_events', { id: quoted(id), type: `'t'`, finished_at: quoted(at) }),
  ],
  [
    'a mail',
    'mails',
    minutes(30 * 24 * 60),
    (id, at) =>
      insert('mails', {
        id: quoted(uuid(id)),
        kind: `'password-reset'`,
        recipient: `'a@example.com'`,
        created_at: quoted(at),
      }),
  ],
  [
    'a mail of an order',
    'mails',
    minutes(365 * 24 * 60),
    (id, at) =>
      insert('mails', {
        id: quoted(uuid(id)),
        kind: `'order-delivered'`,
        recipient: `'a@example.com'`,
        order_id: quoted(uuid('paid')),
        created_at: quoted(at),
      }),
  ],
  ['an abandoned order', 'orders', minutes(30 * 24 * 60), (id, at) => order(id, at)],
  ['a replaced order', 'orders', minutes(525_600), (id, at) => order(id, at, { cancel_reason: `'replaced'` })],
  [
    'an order whose payment failed',
    'orders',
    minutes(365 * 24 * 60),
    (id, at) => order(id, at, { cancel_reason: `'payment-failed'` }),
  ],
  [
    'an abandoned order of parcels',
    'orders',
    minutes(30 * 24 * 60),
    (id, at) => order(id, at, { type: `'physical'`, ...posted }),
  ],
  [
    'an upload that was broken off',
    'product_files',
    minutes(24 * 60),
    (id, at) => `INSERT INTO product_files (id, product_id, name, media_type, bytes, created_at)
      VALUES ('${uuid(id)}', '${uuid('product')}', 'a.pdf', 'a/pdf', 1, '${at}')`,
  ],
  [
    'the content of an earlier version',
    'file_chunks',
    minutes(48 * 60),
    (id, at) => `INSERT INTO product_files VALUES ('${uuid(id)}', '${uuid('product')}', ${id === 'live' ? 1 : 2},
      'a.pdf', 'a/pdf', 1, sha256(''), '2020-01-01', '2020-01-01', '${at}');
      INSERT INTO file_chunks VALUES ('${uuid(id)}', 0, 'data-1', substr(sha256(''), 1, 12), '')`,
  ],
  ['an alert', 'alerts', minutes(525_600), (id, at) => values('alerts', uuid(id), 1, id, uuid(id), at, at)],
  [
    'a notice',
    'notices',
    minutes(90 * 24 * 60),
    (id, at) =>
      insert('notices', {
        id: quoted(uuid(id)),
        kind: `'new-order'`,
        subject: quoted(id),
        about_id: quoted(uuid('paid')),
        created_at: quoted(at),
      }),
  ],
  [
    'a picture of a problem report',
    'report_pictures',
    minutes(525_600),
    (id, at) =>
      insert('report_pictures', {
        message_id: quoted(uuid(id)),
        key_id: `'k'`,
        nonce: `'123456789012'`,
        ciphertext: `''`,
        at: quoted(at),
      }),
  ],
  ['a count of a limit', 'rate_counts', 0, (id, at) => values('rate_counts', id, 1, Date.parse(at))],
  [
    'an idempotency key',
    'test_mode_idempotency_keys',
    minutes(7 * 24 * 60),
    (id, at) => `INSERT INTO test_mode_idempotency_keys (key, request_hash, request_id, status, body, created_at)
      VALUES ('${id}', '', '', 200, '', '${at}')`,
  ],
  [
    'an event not delivered',
    'test_mode_events',
    minutes(3 * 24 * 60),
    (id, at) =>
      insert('test_mode_events', {
        id: quoted(id),
        type: `'t'`,
        payload: `''`,
        created_at: quoted(at),
        next_attempt_at: 'now()',
      }),
  ],
  [
    'a canceled intent',
    'test_mode_intents',
    minutes(90 * 24 * 60),
    (
      id,
      at,
    ) => `INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
      currency, metadata, created_at, canceled_at) VALUES ('${id}', '', 'canceled', 1, 1, 0, 0, 'usd', '{}', '${at}', '${at}')`,
  ],
];

const count = async (table: string) => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::integer AS n FROM ${sql.table(table)}`.execute(db);
  return rows[0]?.n;
};

beforeAll(() =>
  run(
    order('paid', '2020-01-01', {
      state: `'fulfilled'`,
      cancel_reason: 'NULL',
      cancelled_at: 'NULL',
      payment_intent_id: `'pi_1'`,
      paid_at: `'2020-01-01'`,
      fulfilled_at: `'2020-01-01'`,
    }),
  ),
);

// Messages that pictures belong to.
beforeAll(() =>
  run(`
    INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, order_line_id, unit, added_at, delivered_at)
      SELECT '${uuid('item')}', product_id, 'sold', 'k', '123456789012', '', 'sold', id, 1, now(), now()
      FROM order_lines WHERE order_id = '${uuid('paid')}';
    INSERT INTO problem_reports (id, order_id, item_id, problem, opened_at)
      VALUES ('${uuid('report')}', '${uuid('paid')}', '${uuid('item')}', 'used', now());
    INSERT INTO report_messages (id, report_id, key_id, nonce, ciphertext, has_picture, at)
      SELECT unnest('{${uuid('over')}, ${uuid('live')}}'::uuid[]), '${uuid('report')}', 'k', '123456789012', '', true, now();`),
);

test.each(cases)('%s is removed at the end of its lifetime, but not before', async (_what, table, lifeMs, row) => {
  const before = await count(table);
  const edge = now.getTime() - lifeMs;
  await run(row('over', new Date(edge - 1_000).toISOString()));
  await run(row('live', new Date(edge + 1_000).toISOString()));
  await endAll();
  expect(await count(table)).toBe((before ?? 0) + 1);
  // The remaining row is removed when its time comes.
  const rules = retentionRules.filter((rule) => rule.table === table);
  await removeEndedRows(db, new Date(now.getTime() + 2_000), rules);
  expect(await count(table)).toBe(before);
});

test('every table with a retention rule is tested on both sides of its limit', () => {
  const tested = new Set(cases.map(([, table]) => table));
  expect(retentionRules.map(({ table }) => table).filter((table) => !tested.has(table))).toEqual([]);
});

test('a cancelled order with a refund or item is kept; the removal of another also removes its sales day', async () => {
  const old = '2025-06-01T04:00:00Z';
  await run(`${order('refunded', old)} ${order('pinned', old)} ${order('plain', old, { cancel_reason: `'replaced'` })}
    INSERT INTO refunds (id, order_id, cents, reason, state, created_at)
      VALUES (gen_random_uuid(), '${uuid('refunded')}', 100, '', 'done', now());
    INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, order_line_id, unit, added_at)
      SELECT gen_random_uuid(), product_id, 'burnt', 'k', '123456789012', '', 'one', id, 1, now()
      FROM order_lines WHERE order_id = '${uuid('pinned')}';
    INSERT INTO mails (id, kind, recipient, order_id, created_at)
      VALUES (gen_random_uuid(), 'order-refunded', 'a@example.com', '${uuid('plain')}', '${now.toISOString()}');
    INSERT INTO sales_days (day, orders, revenue_cents) VALUES ('2025-06-01', 3, 0), ('2025-06-02', 0, 0);`);
  await endAll();
  const orders = await db.selectFrom('orders').select('id').orderBy('id').execute();
  expect(orders.map(({ id }) => id).sort()).toEqual([uuid('paid'), uuid('refunded'), uuid('pinned')].sort());
  expect(await db.selectFrom('sales_days').select(sql<string>`day::text`.as('day')).execute()).toEqual([
    { day: '2025-06-02' },
  ]);
  expect(await count('mails')).toBe(0);
});

test('the ledger of the stock loses the entries of a removed order, and keeps its sum', async () => {
  await run(`${order('browsed', '2025-06-01T04:00:00Z')}
    INSERT INTO products (id, kind, name, description, category, brand, image, price_cents, stock, created_at)
      VALUES ('${uuid('shelf')}', 'physical', 'Mug', '', 'Mugs', '', '/a.svg', 1000, 5, now());
    UPDATE order_lines SET product_id = '${uuid('shelf')}', counted_state = 'released' WHERE order_id = '${uuid('browsed')}';
    INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT product_id, id, units, reason, now() FROM order_lines, (VALUES (-1, 'held'), (1, 'released')) AS taken (units, reason)
      WHERE order_id = '${uuid('browsed')}';
    INSERT INTO stock_changes (product_id, units, reason, at) VALUES ('${uuid('shelf')}', 5, 'counted', now());`);
  await endAll();
  expect(await db.selectFrom('stock_changes').select(['units', 'reason']).execute()).toEqual([
    { units: 5, reason: 'counted' },
  ]);
});

test('a long backlog is removed in batches of 500, which two processes share without blocking', async () => {
  await run(`INSERT INTO webhook_events SELECT 'old' || n, 't', '2020-01-01' FROM generate_series(1, 1600) AS n`);
  expect(await endAll()).toBe(true);
  expect(await count('webhook_events')).toBe(1_100);
  expect(await Promise.all([endAll(), endAll()])).toContain(true);
  expect(await count('webhook_events')).toBeGreaterThanOrEqual(100);
  await db.transaction().execute(async (trx) => {
    // Locked rows are skipped.
    const held = await sql<{ n: number }>`
      SELECT count(*)::integer AS n FROM (SELECT FROM webhook_events LIMIT 7 FOR UPDATE) AS held`.execute(trx);
    expect(held.rows).toEqual([{ n: 7 }]);
    while (await endAll());
    expect(await count('webhook_events')).toBe(7);
  });
  expect(await endAll()).toBe(false);
  expect(await count('webhook_events')).toBe(0);
});

test('a picture is removed once it has been unused for 30 days', async () => {
  const id = (digit: string) => digit.repeat(64);
  const upload = (digit: string) =>
    run(`INSERT INTO images (id, content, media_type, width, height, created_at)
      VALUES ('${id(digit)}', '', 'image/webp', 1, 1, '2020-01-01')`);
  const left = async () =>
    (await db.selectFrom('images').select('id').orderBy('id').execute()).map((row) => row.id[0]).join('');
  for (const digit of '1234') await upload(digit);
  const productShows = (digit: string) =>
    run(`UPDATE products SET image = 'https://shop.example/images/${id(digit)}.webp'`);
  await run(`UPDATE order_lines SET image = '/images/${id('1')}.webp' WHERE order_id = '${uuid('paid')}'`);
  await productShows('2');
  const alsoShows = (pictures: string) => run(`UPDATE products SET more_images = '{${pictures}}'`);
  await alsoShows(`/favicon.svg,/images/${id('4')}.webp`);

  const on = (days: number) => removeUnusedPictures(db, daysBefore(now, -days));
  await on(0);
  await on(PICTURE_UNUSED_DAYS - 1);
  expect(await left()).toBe('1234');
  // Picture 3 is shown again, so its 30 days begin again.
  await productShows('3');
  await on(PICTURE_UNUSED_DAYS);
  expect(await left()).toBe('1234');
  await on(2 * PICTURE_UNUSED_DAYS);
  expect(await left()).toBe('134');
  await alsoShows('');
  await on(2 * PICTURE_UNUSED_DAYS);
  await on(3 * PICTURE_UNUSED_DAYS);
  expect(await left()).toBe('13');
});

test('every table documents its retention, in docs/operations.md or else in its comment', async () => {
  const docs = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const rows = /\| What \| Is kept \|\n(?<rows>(?:\|.*\n)+)/.exec(docs)?.groups?.['rows'] ?? '';
  for (const { table, kept } of retentionRules) expect(rows.split('\n')).toContain(`| \`${table}\` | ${kept} |`);
  const { rows: uncommented } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migrations'
      AND obj_description(oid, 'pg_class') IS NULL`.execute(db);
  expect(uncommented.map(({ name }) => name).sort()).toEqual(
    [...new Set(retentionRules.map(({ table }) => table))].sort(),
  );
});

test('an acknowledged alert about a partial refund of an order is kept, as later refunds are counted by it', async () => {
  const of = (id: string, orderId: string | null, reason: string | null) =>
    insert('alerts', {
      ...{ id: quoted(uuid(id)), kind: `'partial-refund'`, subject: quoted(id) },
      ...{ order_id: orderId ? quoted(orderId) : 'NULL', end_reason: reason ? quoted(reason) : 'NULL' },
      ...{ raised_at: `'2020-01-01'`, ended_at: `'2020-01-01'` },
    });
  await run(
    `${of('gift', uuid('paid'), 'A gift')}; ${of('over', uuid('paid'), null)}; ${of('unknown', null, 'Looked at')}`,
  );
  await endAll();
  const left = await db.selectFrom('alerts').select('subject').where('kind', '=', 'partial-refund').execute();
  expect(left).toEqual([{ subject: 'gift' }]);
});
