-- Physical goods are held, sold and returned like items, by counts: a line of an order says what it has, the product's stock
-- what is left on the shelf, and a ledger every change of it. Parcels carry what is shipped, several for an order if need be.

ALTER TABLE order_lines
  -- As the state of an item; null where the line's goods are items.
  ADD COLUMN counted_state text,
  -- Units of the line that its order holds or that its buyer has: fewer than were ordered after a refund of units.
  ADD COLUMN counted_units integer NOT NULL DEFAULT 0;

CREATE TABLE stock_changes (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  product_id    uuid NOT NULL REFERENCES products,
  -- Null for a count by an administrator, and where the order was removed. Units are taken before their line is written.
  order_line_id uuid REFERENCES order_lines ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  -- Added to the stock; the sum of a product's changes is its stock.
  units         integer NOT NULL CHECK (units <> 0),
  reason        text NOT NULL CHECK (reason IN ('counted', 'held', 'released', 'returned')),
  at            timestamptz NOT NULL
);
CREATE INDEX stock_changes_of_product ON stock_changes (product_id);
CREATE INDEX stock_changes_of_order_line ON stock_changes (order_line_id) WHERE order_line_id IS NOT NULL;

CREATE TABLE parcels (
  id              uuid PRIMARY KEY,
  order_id        uuid NOT NULL REFERENCES orders,
  -- From 1, in the sequence of shipping.
  number          integer NOT NULL CHECK (number > 0),
  -- Null in orders of the demo.
  carrier         text,
  tracking_number text,
  shipped_at      timestamptz NOT NULL,
  delivered_at    timestamptz CHECK (delivered_at >= shipped_at),
  UNIQUE (order_id, number)
);
CREATE TABLE parcel_lines (
  parcel_id     uuid NOT NULL REFERENCES parcels ON DELETE CASCADE,
  order_line_id uuid NOT NULL REFERENCES order_lines,
  quantity      integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (parcel_id, order_line_id)
);
CREATE INDEX parcel_lines_of_order_line ON parcel_lines (order_line_id);

-- The physical orders so far. Units that were refunded before the order was shipped went back to the shelf.
CREATE TEMPORARY TABLE earlier ON COMMIT DROP AS
  SELECT order_lines.id, product_id, order_id, quantity, state, shipped_at, coalesce(paid_at, orders.created_at) AS at,
    CASE WHEN shipped_at IS NULL AND state IN ('refunding', 'refunded') THEN quantity ELSE (
      SELECT coalesce(sum(refund_lines.quantity), 0) FROM refund_lines JOIN refunds ON refunds.id = refund_id
      WHERE order_line_id = order_lines.id AND (shipped_at IS NULL OR refunds.created_at < shipped_at)) END::integer AS returned,
    (SELECT coalesce(sum(refund_lines.quantity), 0) FROM refund_lines WHERE order_line_id = order_lines.id)::integer AS refunded
  FROM order_lines JOIN orders ON orders.id = order_id JOIN products ON products.id = product_id
  WHERE products.kind = 'physical';

-- The rule of the row is replaced below.
ALTER TABLE order_lines DROP CONSTRAINT order_lines_valid;
UPDATE order_lines SET
  counted_state = CASE earlier.state WHEN 'pending' THEN 'held' WHEN 'capturing' THEN 'allocated' WHEN 'cancelled' THEN 'released'
    ELSE 'sold' END,
  counted_units = CASE earlier.state WHEN 'cancelled' THEN 0 WHEN 'refunding' THEN 0 WHEN 'refunded' THEN 0 WHEN 'disputed' THEN 0
    ELSE order_lines.quantity - earlier.refunded END
FROM earlier WHERE earlier.id = order_lines.id;

CREATE OR REPLACE FUNCTION is_valid(l order_lines) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN l.quantity > 0 AND l.unit_price_cents >= 0
    AND CASE l.counted_state
      WHEN 'held' THEN l.counted_units = l.quantity
      WHEN 'allocated' THEN l.counted_units = l.quantity
      WHEN 'sold' THEN l.counted_units BETWEEN 0 AND l.quantity
      WHEN 'released' THEN l.counted_units = 0
      ELSE l.counted_state IS NULL AND l.counted_units = 0 END;
END $$;
ALTER TABLE order_lines ADD CONSTRAINT order_lines_valid CHECK (is_valid(order_lines));
-- What unpaid orders hold of a product.
CREATE INDEX order_lines_held ON order_lines (product_id) INCLUDE (counted_units) WHERE counted_state = 'held';

INSERT INTO stock_changes (product_id, order_line_id, units, reason, at)
  SELECT product_id, id, -quantity, 'held', at FROM earlier WHERE state <> 'cancelled'
  UNION ALL
  SELECT product_id, id, returned, 'returned', now() FROM earlier WHERE state <> 'cancelled' AND returned > 0;
INSERT INTO stock_changes (product_id, units, reason, at)
  SELECT id, counted.units, 'counted', created_at FROM products, LATERAL (
    SELECT stock - coalesce(sum(units), 0)::integer AS units FROM stock_changes WHERE product_id = products.id) AS counted
  WHERE stock IS NOT NULL AND counted.units <> 0;

INSERT INTO parcels (id, order_id, number, carrier, tracking_number, shipped_at, delivered_at)
  SELECT gen_random_uuid(), id, 1, carrier, tracking_number, shipped_at, delivered_at FROM orders WHERE shipped_at IS NOT NULL;
INSERT INTO parcel_lines (parcel_id, order_line_id, quantity)
  SELECT parcels.id, earlier.id, quantity - returned FROM parcels JOIN earlier USING (order_id) WHERE quantity > returned;

-- From here on shipped_at and delivered_at of an order follow from its parcels: when the last of its units was shipped, and
-- when the last parcel arrived. Lists and statistics read them.
ALTER TABLE orders DROP CONSTRAINT orders_valid;
CREATE OR REPLACE FUNCTION is_valid(o orders) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN o.type IN ('digital', 'physical')
    AND o.state IN ('pending', 'capturing', 'fulfilled', 'cancelled', 'refunding', 'refunded', 'disputed')
    AND (o.cancel_reason IS NULL OR o.cancel_reason IN ('abandoned', 'replaced', 'payment-failed', 'by-admin'))
    AND o.items_cents >= 0
    AND o.tax_cents >= 0
    AND o.shipping_cents >= 0
    AND o.total_cents = o.items_cents + o.tax_cents + o.shipping_cents
    AND o.refunded_cents BETWEEN 0 AND o.total_cents
    AND (o.state <> 'fulfilled' OR (o.paid_at IS NOT NULL AND o.fulfilled_at IS NOT NULL))
    AND (o.type = 'physical' OR o.state NOT IN ('capturing', 'fulfilled') OR o.payment_intent_id IS NOT NULL)
    -- What is posted needs somewhere to go.
    AND (o.type = 'digital'
      OR num_nulls(o.shipping_street, o.shipping_city, o.shipping_state, o.shipping_zip_code, o.shipping_country) = 0)
    AND (o.shipped_at IS NULL OR (o.type = 'physical' AND o.paid_at IS NOT NULL))
    AND (o.delivered_at IS NULL OR (o.shipped_at IS NOT NULL AND o.delivered_at >= o.shipped_at));
END $$;
ALTER TABLE orders DROP COLUMN carrier, DROP COLUMN tracking_number;
ALTER TABLE orders ADD CONSTRAINT orders_valid CHECK (is_valid(orders));

-- As in 0008_unpaid_holds.sql, with the stock of counted goods.
CREATE OR REPLACE FUNCTION lock_and_count_unpaid(
  buyer_user uuid, browser bytea, network cidr, wide_network cidr,
  products uuid[], quantities integer[], always_allowed integer
) RETURNS TABLE (
  has_paid boolean, own_orders integer, own_units integer, network_orders integer, network_units integer,
  wide_orders integer, wide_units integer, per_product jsonb
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  lock_key integer;
  known boolean := buyer_user IS NOT NULL AND EXISTS (SELECT FROM orders WHERE user_id = buyer_user AND state = 'fulfilled');
BEGIN
  FOR lock_key IN
    SELECT DISTINCT hashtext(key) FROM unnest(
      CASE WHEN known THEN ARRAY[buyer_user::text]
        ELSE ARRAY[buyer_user::text, encode(browser, 'hex'), network::text, wide_network::text] END) AS key
    WHERE key IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(1010, lock_key);
  END LOOP;

  RETURN QUERY
  WITH found AS (
    SELECT id, true AS own, false AS near FROM orders
    WHERE user_id = buyer_user AND created_at > now() - interval '1 day' AND sweep_at IS NOT NULL AND state = 'pending'
    UNION ALL
    SELECT id, true, false FROM orders
    WHERE checkout_hash = browser AND guest AND buyer_user IS NULL
      AND counted_network IS NOT NULL AND sweep_at IS NOT NULL AND state = 'pending'
    UNION ALL
    -- A range, because an index serves <<= only where the network is a constant. Guests and users are counted apart.
    SELECT id, false, counted_network = network FROM orders
    WHERE NOT known AND guest = (buyer_user IS NULL)
      AND counted_network BETWEEN wide_network AND set_masklen(broadcast(wide_network), CASE family(wide_network) WHEN 4 THEN 32 ELSE 128 END)::cidr
      AND sweep_at IS NOT NULL AND state = 'pending'
  ), unpaid AS (
    SELECT id, bool_or(own) AS own, bool_or(near) AS near, bool_or(NOT own) AS wide FROM found GROUP BY id
  ), lines AS (
    SELECT own, near, wide, product_id, quantity FROM unpaid JOIN order_lines ON order_id = unpaid.id
  ), counted AS (
    SELECT wanted.product_id, wanted.quantity,
      coalesce(sum(lines.quantity) FILTER (WHERE own), 0)::integer AS own_held,
      coalesce(sum(lines.quantity) FILTER (WHERE near), 0)::integer AS network_held
    FROM unnest(products, quantities) AS wanted (product_id, quantity)
    LEFT JOIN lines ON lines.product_id = wanted.product_id
    GROUP BY wanted.product_id, wanted.quantity
  )
  SELECT known,
    (SELECT count(*) FILTER (WHERE own) FROM unpaid)::integer,
    (SELECT coalesce(sum(quantity) FILTER (WHERE own), 0) FROM lines)::integer,
    (SELECT count(*) FILTER (WHERE near) FROM unpaid)::integer,
    (SELECT coalesce(sum(quantity) FILTER (WHERE near), 0) FROM lines)::integer,
    (SELECT count(*) FILTER (WHERE wide) FROM unpaid)::integer,
    (SELECT coalesce(sum(quantity) FILTER (WHERE wide), 0) FROM lines)::integer,
    -- The stock is counted only where somebody would hold more of a product than everybody may.
    (SELECT jsonb_object_agg(product_id, jsonb_build_object('own', own_held, 'network', network_held, 'stock',
      CASE WHEN NOT known AND greatest(own_held, network_held) + quantity > always_allowed THEN
        (SELECT count(*) FROM items WHERE items.product_id = counted.product_id AND state = 'available')
        + (SELECT count(*) FROM items WHERE items.product_id = counted.product_id AND state = 'held')
        + (SELECT coalesce(max(stock), 0) FROM products AS shelf WHERE shelf.id = counted.product_id)
        + (SELECT coalesce(sum(counted_units), 0) FROM order_lines AS other
           WHERE other.product_id = counted.product_id AND counted_state = 'held')
      END)) FROM counted);
END $$;

COMMENT ON TABLE stock_changes IS 'For ever: where counted goods went.';
COMMENT ON TABLE parcels IS 'For ever: what was shipped.';
COMMENT ON TABLE parcel_lines IS 'For ever: what was shipped.';
