-- As in 0016_one_product.sql, but by when an order was paid or is still being paid, not by when it was opened: a bank may
-- authenticate a card for long, and an outage may delay the capture for days.
CREATE OR REPLACE FUNCTION lock_and_find_repeat(
  buyer uuid, browser bytea, bound uuid, products uuid[], quantities integer[], at timestamptz
) RETURNS TABLE (is_paid boolean, ordered_at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1012, hashtext(buyer::text));
  RETURN QUERY
  WITH recent AS (
    SELECT id, state, hold_expires_at,
      CASE state WHEN 'pending' THEN coalesce(retried_at, created_at) ELSE coalesce(paid_at, created_at) END AS since
    FROM orders
    -- An authorisation lapses within a week.
    WHERE (user_id = buyer OR id = bound) AND created_at > at - interval '8 days'
      AND (state IN ('capturing', 'fulfilled') OR (state = 'pending' AND checkout_hash IS DISTINCT FROM browser))
  )
  SELECT state <> 'pending', since FROM recent
  WHERE (since > at - interval '10 minutes' OR state = 'capturing' OR (state = 'pending' AND hold_expires_at > at))
    AND (SELECT jsonb_object_agg(product_id, quantity) FROM order_lines WHERE order_id = recent.id)
      = (SELECT jsonb_object_agg(product, quantity) FROM unnest(products, quantities) AS wanted (product, quantity))
    AND (state <> 'pending' OR NOT EXISTS (
      SELECT FROM declines WHERE declines.order_id = recent.id AND declines.at > recent.since))
  ORDER BY state = 'pending', since DESC LIMIT 1;
END $$;
