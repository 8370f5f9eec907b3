-- Revenue no longer counts an order whose dispute was lost: the bank has given its money back.
CREATE OR REPLACE FUNCTION forget_sales_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.refunded_cents <> NEW.refunded_cents
    OR (OLD.paid_at IS NOT NULL AND (OLD.state = 'fulfilled') <> (NEW.state = 'fulfilled'))
    OR (OLD.cancel_reason IS NOT DISTINCT FROM 'abandoned') <> (NEW.cancel_reason IS NOT DISTINCT FROM 'abandoned') THEN
    PERFORM pg_advisory_xact_lock_shared(hashtext('sales days'));
    DELETE FROM sales_days WHERE day IN (shop_day(OLD.created_at), shop_day(OLD.paid_at));
  END IF;
  RETURN NULL;
END $$;
DELETE FROM sales_days WHERE day IN (SELECT shop_day(paid_at) FROM orders WHERE state = 'disputed');
