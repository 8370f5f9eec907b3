import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';

const { db } = await openTestDatabase({ maxConnections: 1 });
const run = (statement: string) => sql.raw(statement).execute(db);

/** A fulfilled order of one key with its payment, a delivered order of one parcel, and a key that nobody has bought. */
const sold = `
  INSERT INTO products (id, kind, name, description, brand, category, image, price_cents, stock, delivery, created_at)
    VALUES (gen_random_uuid(), 'digital', 'Game', '', NULL, 'Game Keys', '/a.svg', 1000, NULL, 'unique', now()),
      (gen_random_uuid(), 'physical', 'Mug', '', 'Kedai', 'Home', '/b.svg', 1000, 1, NULL, now());
  INSERT INTO users (id, email, name, created_at) VALUES (gen_random_uuid(), 'a@example.com', 'A', now());
  INSERT INTO orders (id, type, state, contact_email, guest, items_cents, tax_cents, total_cents, payment_intent_id,
      shipping_street, shipping_city, shipping_state, shipping_zip_code, shipping_country,
      created_at, hold_expires_at, paid_at, fulfilled_at, shipped_at, delivered_at)
    SELECT gen_random_uuid(), type, 'fulfilled', 'a@example.com', true, 1000, 60, 1060, 'pi_' || type,
      address, address, address, address, address, now(), now(), now(), now(), posted_at, posted_at
    FROM (VALUES ('digital', NULL, NULL), ('physical', 'Here', now())) AS kinds (type, address, posted_at);
  INSERT INTO order_lines (id, order_id, position, product_id, name, image, quantity, unit_price_cents,
      delivery_instructions, warranty_days, delivery)
    SELECT gen_random_uuid(), orders.id, 1, products.id, products.name, '/a.svg', 1, 1000, '', 0, delivery
    FROM orders JOIN products ON kind = type;
  INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, order_line_id, unit, added_at, delivered_at)
    SELECT gen_random_uuid(), product_id, 'sold', 'k', '123456789012', '', 'one', order_lines.id, 1, now(), now()
    FROM order_lines JOIN products ON products.id = product_id WHERE kind = 'digital';
  INSERT INTO items (id, product_id, state, key_id, nonce, ciphertext, content_hmac, added_at)
    SELECT gen_random_uuid(), id, 'available', 'k', '123456789012', '', 'two', now() FROM products WHERE kind = 'digital';
  INSERT INTO reviews (id, product_id, user_id, order_line_id, stars, title, text, created_at, updated_at)
    SELECT gen_random_uuid(), product_id, users.id, order_lines.id, 5, '', 'Good', now(), now() FROM order_lines, users;
  INSERT INTO test_mode_intents (id, client_secret, status, version, amount_cents, captured_cents, refunded_cents,
      currency, metadata, card_last4, created_at)
    VALUES ('pi_digital', 's', 'succeeded', 1, 1060, 1060, 0, 'usd', '{}', '4242', now());`;

beforeAll(() => run(sold));

const SOLD = "UPDATE items SET state = 'sold'";
const KEYS = "type = 'digital'";
const PARCELS = "type = 'physical'";

describe('PostgreSQL refuses', () => {
  it.each([
    [
      'an order of another kind',
      `UPDATE orders SET type = 'gift', shipped_at = NULL, delivered_at = NULL WHERE ${PARCELS}`,
    ],
    ['an order in no state', "UPDATE orders SET state = 'paid'"],
    ['an order that was cancelled because', "UPDATE orders SET cancel_reason = 'because'"],
    ['goods for less than nothing', 'UPDATE orders SET items_cents = -1, total_cents = 59'],
    ['a tax below zero', 'UPDATE orders SET tax_cents = -1, total_cents = 999'],
    ['a parcel carried for less than nothing', 'UPDATE orders SET shipping_cents = -1, total_cents = 1059'],
    ['a total that is not the sum', 'UPDATE orders SET total_cents = 1000'],
    ['more given back than was paid', 'UPDATE orders SET refunded_cents = 1061'],
    ['more lost to disputes than was paid', 'UPDATE orders SET lost_cents = 1061'],
    ['less than nothing given back', 'UPDATE orders SET refunded_cents = -1'],
    ['goods handed over unpaid', `UPDATE orders SET paid_at = NULL WHERE ${KEYS}`],
    ['goods handed over at no time', 'UPDATE orders SET fulfilled_at = NULL'],
    ['keys handed over without a payment', `UPDATE orders SET payment_intent_id = NULL WHERE ${KEYS}`],
    ['keys pinned without a payment', `UPDATE orders SET state = 'capturing', payment_intent_id = NULL WHERE ${KEYS}`],
    ['one payment for two orders', "UPDATE orders SET payment_intent_id = 'pi_digital'"],
    ['a parcel without an address', `UPDATE orders SET shipping_city = NULL WHERE ${PARCELS}`],
    ['keys that are shipped', `UPDATE orders SET shipped_at = now() WHERE ${KEYS}`],
    ['a parcel that is shipped unpaid', `UPDATE orders SET state = 'pending', paid_at = NULL WHERE ${PARCELS}`],
    ['a parcel that arrives unshipped', `UPDATE orders SET shipped_at = NULL WHERE ${PARCELS}`],
    ['a parcel that arrives too early', `UPDATE orders SET delivered_at = '2020-01-01Z' WHERE ${PARCELS}`],
    ['a line of no units', 'UPDATE order_lines SET quantity = 0'],
    ['a line with a price below zero', 'UPDATE order_lines SET unit_price_cents = -1'],
    ['a line in no state of counted goods', "UPDATE order_lines SET counted_state = 'lost'"],
    ['a line that holds fewer than were ordered', "UPDATE order_lines SET counted_state = 'held'"],
    ['a line that sold more than were ordered', "UPDATE order_lines SET counted_state = 'sold', counted_units = 2"],
    ['a line that keeps what it gave back', "UPDATE order_lines SET counted_state = 'released', counted_units = 1"],
    ['counted units of items', 'UPDATE order_lines SET counted_units = 1'],
    [
      'a change of the stock by nothing',
      "INSERT INTO stock_changes (product_id, units, reason, at) SELECT id, 0, 'counted', now() FROM products",
    ],
    [
      'a change of the stock for no known reason',
      "INSERT INTO stock_changes (product_id, units, reason, at) SELECT id, 1, 'found', now() FROM products",
    ],
    ['a line of nothing', 'UPDATE order_lines SET product_id = NULL'],
    ['a product of a third kind', "UPDATE products SET kind = 'service'"],
    ['a digital product with a stock', `UPDATE products SET stock = 1 WHERE kind = 'digital'`],
    ['a digital product with a brand', `UPDATE products SET brand = 'Kedai' WHERE kind = 'digital'`],
    ['a physical product without a stock', `UPDATE products SET stock = NULL WHERE kind = 'physical'`],
    ['a physical product without a brand', `UPDATE products SET brand = NULL WHERE kind = 'physical'`],
    [
      'a physical product with delivery instructions',
      `UPDATE products SET delivery_instructions = 'Redeem it' WHERE kind = 'physical'`,
    ],
    ['a physical product with a warranty', `UPDATE products SET warranty_days = 1 WHERE kind = 'physical'`],
    ['a physical product that becomes a digital one', `UPDATE products SET kind = 'digital'`],
    ['a digital product that becomes a physical one', `UPDATE products SET kind = 'physical'`],
    ['a digital product that nobody delivers', `UPDATE products SET delivery = NULL WHERE kind = 'digital'`],
    [
      'a physical product that is delivered as a key',
      `UPDATE products SET delivery = 'unique' WHERE kind = 'physical'`,
    ],
    ['a way of delivery that there is not', `UPDATE products SET delivery = 'pigeon' WHERE kind = 'digital'`],
    ['keys that are counted as a stock', `UPDATE products SET stock = 1 WHERE delivery = 'unique'`],
    [
      'a line of keys that is counted',
      "UPDATE order_lines SET counted_state = 'sold', counted_units = 1 WHERE delivery = 'unique'",
    ],
    ['a line that is delivered in no known way', "UPDATE order_lines SET delivery = 'pigeon'"],
    ['a stock below zero', `UPDATE products SET stock = -1 WHERE kind = 'physical'`],
    ['a review without stars', 'UPDATE products SET review_count = 1'],
    ['more than five stars', 'UPDATE products SET review_count = 1, rating_tenths = 51'],
    ['stars without a review', 'UPDATE products SET rating_tenths = 40'],
    ['a review count below zero', 'UPDATE products SET review_count = -1, rating_tenths = 40'],
    ['a review of no stars', 'UPDATE reviews SET stars = 0'],
    ['a review of six stars', 'UPDATE reviews SET stars = 6'],
    ['a review without a word', "UPDATE reviews SET text = ''"],
    ['a review in no state', "UPDATE reviews SET state = 'hidden'"],
    ['a review that is rejected for no reason', "UPDATE reviews SET state = 'rejected'"],
    ['a reply to a review at no time', "UPDATE reviews SET reply = 'Thanks'"],
    [
      'two reviews of one product by one user',
      `INSERT INTO reviews (id, product_id, user_id, order_line_id, stars, title, text, created_at, updated_at)
        SELECT gen_random_uuid(), product_id, user_id, order_line_id, 1, '', 'Bad', now(), now() FROM reviews`,
    ],
    ['a price of nothing', 'UPDATE products SET price_cents = 0'],
    ['a deleted product on sale', 'UPDATE products SET deleted_at = now()'],
    ['an order line that names no product', 'UPDATE order_lines SET product_id = gen_random_uuid()'],
    ['an item in no state', "UPDATE items SET state = 'lost'"],
    ['an item with half a nonce', "UPDATE items SET nonce = '123456'"],
    ['an item of a line, but of no unit', 'UPDATE items SET unit = NULL'],
    ['an item of a unit, but of no line', 'UPDATE items SET order_line_id = NULL'],
    ['an item of the unit before the first', 'UPDATE items SET unit = 0 WHERE unit = 1'],
    ['an item sold to nobody', `${SOLD}, delivered_at = now()`],
    ['an item held for nobody', "UPDATE items SET state = 'held' WHERE unit IS NULL"],
    ['an item pinned for nobody', "UPDATE items SET state = 'allocated' WHERE unit IS NULL"],
    [
      'an item for sale that a restore has set aside',
      "UPDATE items SET set_aside_at = now() WHERE state = 'available'",
    ],
    ['an item for sale that is somebody’s', "UPDATE items SET state = 'available'"],
    [
      'an item for sale that a buyer has seen',
      "UPDATE items SET state = 'available', order_line_id = NULL, unit = NULL, first_viewed_at = now() WHERE unit = 1",
    ],
    ['an item sold at no time', 'UPDATE items SET delivered_at = NULL'],
    [
      'two items for one unit',
      `${SOLD}, delivered_at = now(), unit = 1, order_line_id = (SELECT order_line_id FROM items WHERE unit = 1)`,
    ],
    ['one secret in stock twice', "UPDATE items SET content_hmac = 'one'"],
    ['a payment in no state', "UPDATE test_mode_intents SET status = 'paid', captured_cents = 0"],
    ['a payment of nothing', "UPDATE test_mode_intents SET status = 'canceled', amount_cents = 0, captured_cents = 0"],
    ['more captured than authorised', 'UPDATE test_mode_intents SET captured_cents = 1061'],
    ['a success without money', 'UPDATE test_mode_intents SET captured_cents = 0'],
    ['money without a success', "UPDATE test_mode_intents SET status = 'canceled'"],
    ['more refunded than captured', 'UPDATE test_mode_intents SET refunded_cents = 1061'],
    ['less than nothing refunded', 'UPDATE test_mode_intents SET refunded_cents = -1'],
    [
      'an authorisation that never lapses',
      "UPDATE test_mode_intents SET status = 'requires_capture', captured_cents = 0",
    ],
    ['a whole card number', "UPDATE test_mode_intents SET card_last4 = '4242424242424242'"],
  ])('%s', async (_what, statement) => {
    await expect(run(statement)).rejects.toMatchObject({ code: expect.stringMatching(/^(23502|23503|23505|23514)$/) });
  });

  it('the deletion of a product that was sold', async () => {
    await expect(run('DELETE FROM products')).rejects.toMatchObject({ code: '23503' });
  });

  it('no update of rows that follow the rules', async () => {
    for (const table of ['products', 'orders', 'order_lines', 'items', 'test_mode_intents']) {
      const { numAffectedRows } = await run(`UPDATE ${table} SET id = id`);
      expect(numAffectedRows).toBeGreaterThan(0n);
    }
  });
});
