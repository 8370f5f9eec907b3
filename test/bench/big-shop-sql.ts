export const PRODUCTS = 10_000;
export const KEYS_PER_PRODUCT = 100;
const USERS = 200_000;
const ORDERS = 1_000_000;
/** One in this many orders is of physical goods. */
const PHYSICAL_EVERY = 20;
const PHYSICAL_PRODUCTS = 10_000;
const YEARS = "interval '1095 days'";

const pick = (words: string, number: string) => {
  const list = words.split(' ');
  return `(ARRAY[${list.map((word) => `'${word}'`).join(',')}])[1 + (${number}) % ${list.length}]`;
};

const ADJECTIVES = 'Silent Crimson Golden Frozen Hidden Ancient Neon Iron Lost Endless Electric Wild';
const NOUNS = 'Harbour Legends Kingdom Racer Voyage Empire Garden Signal Fortress Echo Orbit Harvest Temple';
const FIRST = 'Aisha Wei Kumar Nurul Daniel Mei Farid Siti Arjun Grace Hafiz Lina Omar Priya Zara Ivan';
const LAST = 'Tan Lim Rahman Singh Wong Abdullah Lee Ismail Chong Nair Hassan Ong Yusof Raj Goh Teo';
const CATEGORIES = [
  'Game Keys',
  'Software Licenses',
  'Gift Cards',
  'Steam Keys',
  'Netflix',
  'Spotify',
  'VPN',
  'Courses',
];

/** Creates products and users, before the keys. */
const goods = [
  {
    what: 'digital products',
    sql: `
      INSERT INTO products (id, kind, name, description, category, image, price_cents, featured, is_active, warranty_days, delivery, created_at)
      SELECT uuidv7(interval '-1200 days' + n * interval '2 hours'), 'digital',
        ${pick(ADJECTIVES, 'n')} || ' ' || ${pick(NOUNS, 'n / 7')} || ' ' || n,
        'A product of the big shop.', (ARRAY['${CATEGORIES.join("','")}'])[1 + n % ${CATEGORIES.length}],
        '/favicon.svg', 100 + (n * 37) % 9900, n % 50 = 0, n % 10 <> 0, 30, 'unique', now() - interval '1200 days' + n * interval '2 hours'
      FROM generate_series(1, ${PRODUCTS}) AS n`,
  },
  {
    what: 'physical products',
    sql: `
      INSERT INTO products (id, kind, name, description, brand, category, image, price_cents, stock, is_active, created_at)
      SELECT uuidv7(interval '-1200 days' + n * interval '2 hours'), 'physical',
        ${pick(ADJECTIVES, 'n / 3')} || ' ' || ${pick(NOUNS, 'n')} || ' figure ' || n, 'A thing of the big shop.',
        ${pick('Kedai Merak Sakura Borneo', 'n')}, ${pick('Figures Keyboards Apparel Posters', 'n / 2')},
        '/favicon.svg', 500 + (n * 53) % 20000, (n * 7) % 120, n % 12 <> 0,
        now() - interval '1200 days' + n * interval '2 hours'
      FROM generate_series(1, ${PHYSICAL_PRODUCTS}) AS n`,
  },
  {
    what: 'users',
    sql: `
      INSERT INTO users (id, email, email_verified_at, name, phone, street, city, state, zip_code, country, created_at)
      SELECT uuidv7(interval '-1095 days' + n * (${YEARS} / ${USERS})),
        lower(${pick(FIRST, 'n')} || '.' || ${pick(LAST, 'n / 16')}) || n || '@mail' || n % 40 || '.example',
        now(), ${pick(FIRST, 'n')} || ' ' || ${pick(LAST, 'n / 16')}, '+60 1' || n, '1 Jalan ' || n,
        ${pick('Ipoh Penang Melaka Kuching Johor', 'n')}, 'Malaysia', '30000', 'Malaysia',
        now() - ${YEARS} + n * (${YEARS} / ${USERS})
      FROM generate_series(1, ${USERS}) AS n`,
  },
];

/** Creates orders over three years, in the sequence of their ids; nine keys of ten are sold in the digital ones. */
const trade = [
  {
    what: 'numbers for buyers and goods',
    sql: `
      CREATE TEMPORARY TABLE buyer AS SELECT row_number() OVER () - 1 AS n, id, email, name FROM users;
      CREATE UNIQUE INDEX ON buyer (n);
      CREATE TEMPORARY TABLE good AS SELECT row_number() OVER () - 1 AS n, id, name, price_cents FROM products WHERE kind = 'digital';
      CREATE UNIQUE INDEX ON good (n);
      CREATE TEMPORARY TABLE thing AS SELECT row_number() OVER () - 1 AS n, id, name, price_cents FROM products WHERE kind = 'physical';
      CREATE UNIQUE INDEX ON thing (n);
      ANALYZE buyer; ANALYZE good; ANALYZE thing;
      CREATE TEMPORARY TABLE trade AS
        SELECT n::bigint AS n, uuidv7(-${YEARS} + n * (${YEARS} / ${ORDERS})) AS id, uuidv7() AS line_id,
          n % ${PHYSICAL_EVERY} = 0 AS physical, now() - ${YEARS} + n * (${YEARS} / ${ORDERS}) AS at,
          -- Of a hundred orders one was given back, one did not pay and one was abandoned; the rest went well.
          CASE n % 100 WHEN 41 THEN 'refunded' WHEN 57 THEN 'payment-failed' WHEN 73 THEN 'abandoned' ELSE 'kept' END AS fate
        FROM generate_series(1, ${ORDERS}) AS n`,
  },
  {
    what: 'orders',
    sql: `
      INSERT INTO orders (id, type, state, user_id, contact_email, guest, guest_name, items_cents, tax_cents, shipping_cents,
        total_cents, payment_intent_id, refund_reason, cancel_reason, created_at, hold_expires_at, paid_at, fulfilled_at,
        cancelled_at, refunded_at, shipped_at, delivered_at, refunded_cents,
        shipping_street, shipping_city, shipping_state, shipping_zip_code, shipping_country)
      SELECT trade.id, CASE WHEN physical THEN 'physical' ELSE 'digital' END,
        CASE fate WHEN 'kept' THEN 'fulfilled' WHEN 'refunded' THEN 'refunded' ELSE 'cancelled' END,
        CASE WHEN fate <> 'abandoned' THEN buyer.id END, buyer.email, trade.n % 3 = 0,
        CASE WHEN trade.n % 3 = 0 THEN buyer.name ELSE '' END, price, tax, shipping, price + tax + shipping, 'pi_big_' || trade.n,
        CASE fate WHEN 'refunded' THEN 'Bought by mistake' END, CASE WHEN fate IN ('payment-failed', 'abandoned') THEN fate END,
        at, at + interval '15 minutes', CASE WHEN paid THEN at + interval '1 minute' END,
        CASE WHEN paid THEN at + interval '1 minute' END, CASE WHEN NOT paid THEN at + interval '15 minutes' END,
        CASE fate WHEN 'refunded' THEN at + interval '1 day' END,
        CASE WHEN physical AND fate = 'kept' AND at < now() - interval '2 days' THEN at + interval '1 day' END,
        CASE WHEN physical AND fate = 'kept' AND at < now() - interval '6 days' THEN at + interval '5 days' END,
        CASE fate WHEN 'refunded' THEN price + tax + shipping ELSE 0 END,
        street, street, street, street, street
      FROM trade JOIN buyer ON buyer.n = (trade.n * 7919) % (SELECT count(*) FROM buyer)
      JOIN good ON good.n = (trade.n * 31) % ${PRODUCTS} JOIN thing ON thing.n = (trade.n * 17) % ${PHYSICAL_PRODUCTS},
      LATERAL (SELECT CASE WHEN physical THEN thing.price_cents ELSE good.price_cents END AS price,
        CASE WHEN physical THEN 590 ELSE 0 END AS shipping, CASE WHEN physical THEN '1 Jalan Besar' END AS street,
        fate IN ('kept', 'refunded') AS paid) AS sums,
      LATERAL (SELECT (price * 6 + 50) / 100 AS tax) AS taxed`,
  },
  {
    what: 'their lines',
    sql: `
      INSERT INTO order_lines (id, order_id, position, product_id, name, image, quantity,
        unit_price_cents, delivery_instructions, warranty_days, delivery, counted_state, counted_units)
      SELECT line_id, trade.id, 1, CASE WHEN physical THEN thing.id ELSE good.id END,
        CASE WHEN physical THEN thing.name ELSE good.name END, '/favicon.svg', 1,
        CASE WHEN physical THEN thing.price_cents ELSE good.price_cents END, '', 30, CASE WHEN NOT physical THEN 'unique' END,
        CASE WHEN physical THEN CASE WHEN fate IN ('kept', 'refunded') THEN 'sold' ELSE 'released' END END,
        CASE WHEN physical AND fate = 'kept' THEN 1 ELSE 0 END
      FROM trade JOIN good ON good.n = (trade.n * 31) % ${PRODUCTS} JOIN thing ON thing.n = (trade.n * 17) % ${PHYSICAL_PRODUCTS}`,
  },
  {
    what: 'parcels',
    sql: `
      INSERT INTO parcels (id, order_id, number, carrier, tracking_number, shipped_at, delivered_at)
      SELECT uuidv7(), id, 1, 'Pos Malaysia', 'BIG' || right(id::text, 12), shipped_at, delivered_at
      FROM orders WHERE shipped_at IS NOT NULL;
      INSERT INTO parcel_lines (parcel_id, order_line_id, quantity)
      SELECT parcels.id, order_lines.id, 1 FROM parcels JOIN order_lines USING (order_id)`,
  },
  {
    what: 'the ledger of the stock',
    sql: `
      INSERT INTO stock_changes (product_id, units, reason, at)
      SELECT id, stock + sold, 'counted', created_at FROM products, LATERAL (
        SELECT coalesce(sum(counted_units), 0)::integer AS sold FROM order_lines WHERE product_id = products.id) AS lines
      WHERE kind = 'physical' AND stock + sold > 0;
      INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
      SELECT thing.id, line_id, units, reason, trade.at + since
      FROM trade JOIN thing ON thing.n = (trade.n * 17) % ${PHYSICAL_PRODUCTS}, LATERAL (
        SELECT -1 AS units, 'held' AS reason, interval '0' AS since
        UNION ALL SELECT 1, 'returned', interval '1 day' WHERE fate = 'refunded'
        UNION ALL SELECT 1, 'released', interval '15 minutes' WHERE fate IN ('payment-failed', 'abandoned')) AS change
      WHERE physical`,
  },
  {
    what: 'keys sold',
    sql: `
      WITH line AS (
        SELECT order_lines.id, product_id, orders.state, orders.paid_at,
          row_number() OVER (PARTITION BY product_id ORDER BY orders.created_at) AS place
        FROM order_lines JOIN orders ON orders.id = order_id WHERE orders.type = 'digital' AND orders.paid_at IS NOT NULL
      ), item AS (SELECT id, product_id, row_number() OVER (PARTITION BY product_id ORDER BY id) AS place FROM items)
      UPDATE items SET state = CASE line.state WHEN 'fulfilled' THEN 'sold' ELSE 'quarantined' END,
        order_line_id = line.id, unit = 1, delivered_at = line.paid_at
      FROM line JOIN item USING (product_id, place) WHERE items.id = item.id AND place <= ${KEYS_PER_PRODUCT} * 9 / 10`,
  },
  {
    what: 'reviews',
    sql: `
      INSERT INTO reviews (id, product_id, user_id, order_line_id, author, stars, title, text, state, reject_reason, created_at, updated_at)
      SELECT uuidv7(at - now()), product_id, user_id, line_id, users.name, 5 - (n / 7 % 10)::integer / 3, '', 'Review ' || n,
        CASE WHEN n % 1000 = 1 THEN 'pending' WHEN n % 1000 = 11 THEN 'rejected' ELSE 'published' END,
        CASE WHEN n % 1000 = 11 THEN 'It names a person' END, at, at
      FROM (
        SELECT trade.n, line_id, product_id, user_id, least(now(), trade.at + interval '9 days') AS at
        FROM trade JOIN orders ON orders.id = trade.id JOIN order_lines ON order_lines.id = line_id
        WHERE fate = 'kept' AND (trade.n % 5 = 1 AND EXISTS (SELECT FROM items WHERE order_line_id = line_id)
          OR EXISTS (SELECT FROM parcel_lines WHERE order_line_id = line_id))
      ) AS delivered JOIN users ON users.id = user_id
      ON CONFLICT DO NOTHING;
      UPDATE products SET rating_tenths = counted.tenths, review_count = counted.reviews FROM (
        SELECT product_id, round(avg(stars) * 10)::integer AS tenths, count(*)::integer AS reviews
        FROM reviews WHERE state = 'published' GROUP BY product_id) AS counted
      WHERE products.id = product_id`,
  },
  {
    what: 'problem reports',
    sql: `
      INSERT INTO problem_reports (id, order_id, item_id, problem, opened_at, waiting_since, closed_at, outcome)
      SELECT uuidv7(at - now()), order_id, item_id, 'invalid', at, CASE WHEN waits THEN at END,
        CASE WHEN NOT waits THEN at END, CASE WHEN NOT waits THEN 'message' END
      FROM (
        SELECT items.id AS item_id, order_id, least(now(), delivered_at + interval '2 days') AS at, n % 40 = 1 AS reported, n % 4000 = 1 AS waits
        FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM items WHERE state = 'sold') AS items
        JOIN order_lines ON order_lines.id = order_line_id
      ) AS sold WHERE reported`,
  },
  {
    what: 'receipts',
    sql: `
      INSERT INTO receipts (number, order_id, issued_at, content)
      SELECT row_number() OVER (ORDER BY paid_at, orders.id), orders.id, paid_at, jsonb_build_object('kind', 'receipt',
        'seller', jsonb_build_object('name', 'Big', 'address', '1 Jalan Besar', 'taxId', ''),
        'buyer', jsonb_build_object('name', guest_name, 'email', contact_email, 'address', NULL),
        'orderedAt', orders.created_at, 'paidAt', paid_at,
        'lines', jsonb_build_array(jsonb_build_object('name', name, 'quantity', 1, 'unitCents', unit_price_cents)),
        'adjustments', jsonb_build_array(jsonb_build_object('label', 'Tax (6%)', 'cents', tax_cents)),
        'totalCents', total_cents, 'card', NULL, 'corrects', NULL, 'message', '')
      FROM orders JOIN order_lines ON order_id = orders.id WHERE paid_at < now() - interval '2 hours';
      UPDATE receipt_series SET last_number = (SELECT count(*) FROM receipts), orders_until = now() - interval '2 hours',
        refunds_until = now() - interval '2 hours'`,
  },
  {
    what: 'the last payments, as the provider knows them',
    sql: `
      INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
        currency, metadata, charge_id, created_at)
      SELECT payment_intent_id, payment_intent_id || '_secret', 'succeeded', 1, total_cents, total_cents,
        CASE state WHEN 'refunded' THEN total_cents ELSE 0 END, 'usd', jsonb_build_object('order_id', id),
        replace(payment_intent_id, 'pi_', 'ch_'), created_at
      FROM orders WHERE paid_at > now() - interval '8 days'`,
  },
  {
    what: 'an audit log',
    sql: `
      INSERT INTO audit_log (at, user_id, actor, ip, action, subject_type, subject_id, summary, hash)
      SELECT now() - n * interval '10 minutes', NULL, 'admin@big.example', '127.0.0.1', 'product.updated', 'product',
        (SELECT id FROM products LIMIT 1)::text, 'Changed the price of product ' || n, sha256(n::text::bytea)
      FROM generate_series(100000, 1, -1) AS n`,
  },
];

export const bigShopSql = { goods, trade };
