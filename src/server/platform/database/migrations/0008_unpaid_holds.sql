-- What unpaid orders hold, counted for their buyers' limits (docs/security.md, Limits) and shown as reserved stock.

-- Where an unpaid order counts: an IPv4 address or an IPv6 /64. Null where only its user is counted, or nothing is.
ALTER TABLE orders ADD COLUMN counted_network cidr;

-- sweep_at marks what is not finished. Both indexes have it in their condition instead of the state, because it changes
-- only where another index of orders changes anyway, so that a payment touches no index more than before.
CREATE INDEX orders_unpaid_of_network ON orders (counted_network)
  WHERE sweep_at IS NOT NULL AND counted_network IS NOT NULL;
CREATE INDEX orders_unpaid_of_browser ON orders (checkout_hash)
  WHERE sweep_at IS NOT NULL AND counted_network IS NOT NULL;

CREATE INDEX items_held ON items (product_id) WHERE state = 'held';

-- Counts what a buyer, the buyer's network and the wider network around it hold unpaid. The locks last until the caller's
-- transaction ends, so that orders opened at once are counted one after the other. VOLATILE: the count is a statement of
-- its own after the locks and sees what was committed while it waited for them. Locks are taken in the order of their
-- keys, before any lock of a row.
CREATE FUNCTION lock_and_count_unpaid(
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
      END)) FROM counted);
END $$;
