-- What a dispute of a part has taken, in cents of USD. An order's sum leaves out what refunds were settled with.
ALTER TABLE order_freezes ADD COLUMN lost_cents integer CHECK (lost_cents > 0);
ALTER TABLE orders ADD COLUMN lost_cents integer NOT NULL DEFAULT 0;

-- The constraint stays as it is: every row has no lost cents, so none has to be checked again.
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
    AND o.lost_cents BETWEEN 0 AND o.total_cents
    AND (o.state <> 'fulfilled' OR (o.paid_at IS NOT NULL AND o.fulfilled_at IS NOT NULL))
    AND (o.type = 'physical' OR o.state NOT IN ('capturing', 'fulfilled') OR o.payment_intent_id IS NOT NULL)
    -- What is posted needs somewhere to go.
    AND (o.type = 'digital'
      OR num_nulls(o.shipping_street, o.shipping_city, o.shipping_state, o.shipping_zip_code, o.shipping_country) = 0)
    AND (o.shipped_at IS NULL OR (o.type = 'physical' AND o.paid_at IS NOT NULL))
    AND (o.delivered_at IS NULL OR (o.shipped_at IS NOT NULL AND o.delivered_at >= o.shipped_at));
END $$;

-- As in 0052_lost_disputes.sql, and revenue no longer counts a part that a dispute has taken.
CREATE OR REPLACE FUNCTION forget_sales_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.refunded_cents <> NEW.refunded_cents OR OLD.lost_cents <> NEW.lost_cents
    OR (OLD.paid_at IS NOT NULL AND (OLD.state = 'fulfilled') <> (NEW.state = 'fulfilled'))
    OR (OLD.cancel_reason IS NOT DISTINCT FROM 'abandoned') <> (NEW.cancel_reason IS NOT DISTINCT FROM 'abandoned') THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('sales days'));
    DELETE FROM sales_days WHERE day IN (shop_day(OLD.created_at), shop_day(OLD.paid_at));
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER forget_sales_day ON orders;
CREATE TRIGGER forget_sales_day AFTER UPDATE OF state, cancel_reason, refunded_cents, lost_cents ON orders FOR EACH ROW
  WHEN (OLD.paid_at IS NOT NULL OR OLD.cancel_reason IS NOT NULL OR NEW.cancel_reason IS NOT NULL)
  EXECUTE FUNCTION forget_sales_day();
