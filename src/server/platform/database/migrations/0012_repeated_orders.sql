-- Whether a buyer is about to buy the same again, e.g. on two devices at once (docs/security.md, Repeated orders).

-- When the buyer last pressed Pay again on an order that was open already; null until then.
ALTER TABLE orders ADD COLUMN retried_at timestamptz;

-- An order with exactly these units, of this user or the one that the browser's cookie names, which was paid or is being
-- paid in the 10 minutes before `at`; a paid one first. A pending order is being paid from each press of Pay until a
-- decline; one that `browser` itself opened is the same checkout and is left out. The lock lasts until the caller's
-- transaction ends, so that of two devices the second sees the first's order: VOLATILE, because the search must be a
-- statement of its own after the lock. It is taken before any other lock.
CREATE FUNCTION lock_and_find_repeat(
  buyer uuid, browser bytea, bound uuid, products uuid[], quantities integer[], at timestamptz
) RETURNS TABLE (is_paid boolean, ordered_at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1012, hashtext(buyer::text));
  RETURN QUERY
  WITH recent AS (
    SELECT id, state, CASE state WHEN 'pending' THEN coalesce(retried_at, created_at) ELSE coalesce(paid_at, created_at) END AS since
    FROM orders
    -- An order is paid at most 15 minutes after it was opened.
    WHERE (user_id = buyer OR id = bound) AND created_at > at - interval '25 minutes'
      AND (state IN ('capturing', 'fulfilled') OR (state = 'pending' AND checkout_hash IS DISTINCT FROM browser))
  )
  SELECT state <> 'pending', since FROM recent
  WHERE since > at - interval '10 minutes'
    AND (SELECT jsonb_object_agg(coalesce(product_id, physical_product_id), quantity) FROM order_lines WHERE order_id = recent.id)
      = (SELECT jsonb_object_agg(product, quantity) FROM unnest(products, quantities) AS wanted (product, quantity))
    AND (state <> 'pending' OR NOT EXISTS (
      SELECT FROM declines WHERE declines.order_id = recent.id AND declines.at > recent.since))
  ORDER BY state = 'pending', since DESC LIMIT 1;
END $$;
