-- What must hold of a row, for the tables that a purchase writes, in one function each. PostgreSQL reads and plans every
-- CHECK anew for each statement that writes, but a function in plpgsql once a connection (decision record 10).

CREATE FUNCTION is_valid(o orders) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
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
    AND (o.shipped_at IS NOT NULL OR (o.carrier IS NULL AND o.tracking_number IS NULL))
    AND (o.delivered_at IS NULL OR (o.shipped_at IS NOT NULL AND o.delivered_at >= o.shipped_at));
END $$;

CREATE FUNCTION is_valid(l order_lines) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN l.quantity > 0
    AND l.unit_price_cents >= 0
    AND num_nonnulls(l.product_id, l.physical_product_id) = 1;
END $$;

CREATE FUNCTION is_valid(i items) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN i.state IN ('available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided')
    AND length(i.nonce) = 12
    AND (i.order_line_id IS NULL) = (i.unit IS NULL)
    AND (i.unit IS NULL OR i.unit > 0)
    AND (i.state NOT IN ('held', 'allocated', 'sold') OR i.order_line_id IS NOT NULL)
    AND (i.state <> 'available' OR i.order_line_id IS NULL)
    AND (i.state <> 'sold' OR i.delivered_at IS NOT NULL);
END $$;

CREATE FUNCTION is_valid(i test_mode_intents) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN i.status IN ('requires_payment_method', 'requires_action', 'requires_capture', 'succeeded', 'canceled')
    AND i.amount_cents > 0
    AND i.captured_cents BETWEEN 0 AND i.amount_cents
    AND i.refunded_cents BETWEEN 0 AND i.captured_cents
    AND (i.status = 'succeeded') = (i.captured_cents > 0)
    AND (i.status <> 'requires_capture' OR i.capture_before IS NOT NULL)
    AND (i.card_last4 IS NULL OR i.card_last4 ~ '^[0-9]{4}$');
END $$;

DO $$
DECLARE
  old record;
BEGIN
  FOR old IN
    SELECT conrelid::regclass AS table_name, conname FROM pg_constraint
    WHERE contype = 'c'
      AND conrelid IN ('orders'::regclass, 'order_lines'::regclass, 'items'::regclass, 'test_mode_intents'::regclass)
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', old.table_name, old.conname);
  END LOOP;
END $$;
ALTER TABLE orders ADD CONSTRAINT orders_valid CHECK (is_valid(orders));
ALTER TABLE order_lines ADD CONSTRAINT order_lines_valid CHECK (is_valid(order_lines));
ALTER TABLE items ADD CONSTRAINT items_valid CHECK (is_valid(items));
ALTER TABLE test_mode_intents ADD CONSTRAINT test_mode_intents_valid CHECK (is_valid(test_mode_intents));

-- A trigger's condition is read anew, too: only what spares an order that is being bought stays in it.
CREATE OR REPLACE FUNCTION forget_sales_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.refunded_cents <> NEW.refunded_cents
    OR (OLD.paid_at IS NOT NULL AND (OLD.state IN ('fulfilled', 'disputed')) <> (NEW.state IN ('fulfilled', 'disputed')))
    OR (OLD.cancel_reason IS NOT DISTINCT FROM 'abandoned') <> (NEW.cancel_reason IS NOT DISTINCT FROM 'abandoned') THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('sales days'));
    DELETE FROM sales_days WHERE day IN (shop_day(OLD.created_at), shop_day(OLD.paid_at));
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER forget_sales_day ON orders;
CREATE TRIGGER forget_sales_day AFTER UPDATE OF state, cancel_reason, refunded_cents ON orders FOR EACH ROW
  WHEN (OLD.paid_at IS NOT NULL OR OLD.cancel_reason IS NOT NULL OR NEW.cancel_reason IS NOT NULL)
  EXECUTE FUNCTION forget_sales_day();
