-- Items that were withdrawn by mistake, or given back unread, can be put on sale again, of their product or of another one.
-- What a buyer or an administrator has read never comes back.

ALTER TABLE items
  -- When the item was last put on sale again.
  ADD COLUMN restored_at  timestamptz,
  -- The product that the item was uploaded for; null while that is product_id.
  ADD COLUMN uploaded_for uuid REFERENCES products;

CREATE OR REPLACE FUNCTION is_valid(i items) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN i.state IN ('available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided')
    AND length(i.nonce) = 12
    AND (i.order_line_id IS NULL) = (i.unit IS NULL)
    AND (i.unit IS NULL OR i.unit > 0)
    AND (i.state NOT IN ('held', 'allocated', 'sold') OR i.order_line_id IS NOT NULL)
    AND (i.state <> 'available' OR i.order_line_id IS NULL)
    AND (i.state <> 'sold' OR i.delivered_at IS NOT NULL)
    AND (i.state NOT IN ('available', 'held') OR i.first_viewed_at IS NULL);
END $$;
ALTER TABLE items DROP CONSTRAINT items_valid;
ALTER TABLE items ADD CONSTRAINT items_valid CHECK (is_valid(items));

-- The row alone does not know what administrators have read. Without a condition of its own: that would be planned anew for
-- each statement that changes items (decision record 10).
CREATE FUNCTION keep_read_items_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.state = 'available' AND OLD.state IN ('quarantined', 'burnt', 'voided')) OR NEW.product_id <> OLD.product_id THEN
    IF OLD.state = 'burnt' OR OLD.first_viewed_at IS NOT NULL OR EXISTS (SELECT FROM reveals WHERE item_id = OLD.id) THEN
      RAISE EXCEPTION 'item % was read and is never sold again', OLD.id;
    END IF;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_read_items_withdrawn BEFORE UPDATE OF state, product_id ON items
  FOR EACH ROW EXECUTE FUNCTION keep_read_items_withdrawn();
