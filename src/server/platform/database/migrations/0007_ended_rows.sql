-- What the job that removes old rows looks for, and what it must not be slow at. Whoever loses a row that others refer to
-- has PostgreSQL look into their tables for each.

CREATE INDEX sessions_ended ON sessions ((least(expires_at, revoked_at)));
CREATE INDEX pending_logins_expired ON pending_logins (expires_at);
CREATE INDEX account_links_expired ON account_links (expires_at);
CREATE INDEX claim_links_expired ON claim_links (expires_at);
CREATE INDEX claim_links_of_order ON claim_links (order_id);
CREATE INDEX webhook_events_by_age ON webhook_events (finished_at);
CREATE INDEX mails_by_age ON mails (created_at);
CREATE INDEX reveals_of_order ON reveals (order_id) WHERE order_id IS NOT NULL;
CREATE INDEX test_mode_idempotency_keys_by_age ON test_mode_idempotency_keys (created_at);
CREATE INDEX test_mode_intents_canceled ON test_mode_intents (canceled_at) WHERE canceled_at IS NOT NULL;
-- By the dates instead of the state, which changes while an order is bought.
CREATE INDEX orders_cancelled_unpaid ON orders (cancelled_at) WHERE cancelled_at IS NOT NULL AND paid_at IS NULL;

-- An order that is removed leaves the sums of its day.
CREATE FUNCTION forget_sales_day_of_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('sales days'));
  DELETE FROM sales_days WHERE day = shop_day(OLD.created_at);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_sales_day_of_removed AFTER DELETE ON orders FOR EACH ROW
  WHEN (OLD.cancel_reason IS DISTINCT FROM 'abandoned')
  EXECUTE FUNCTION forget_sales_day_of_removed();

-- Since when nothing shows the picture; null while something does.
ALTER TABLE images ADD COLUMN unused_since timestamptz;
-- The picture of ours that an address names, also behind the shop's own URL.
CREATE FUNCTION image_id(address text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT substring(address FROM '/images/([0-9a-f]{64})\.webp')
$$;
CREATE INDEX order_lines_by_image ON order_lines (image_id(image)) WHERE image LIKE '%/images/%';
