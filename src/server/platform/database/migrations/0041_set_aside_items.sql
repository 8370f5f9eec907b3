-- What a restored backup shows as unsold may have been sold since. Such an item is set aside: whatever happens to it, it is not on
-- sale before the owner has released it, which clears the column.
ALTER TABLE items ADD COLUMN set_aside_at timestamptz;

CREATE OR REPLACE FUNCTION is_valid(i items) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN i.state IN ('available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided')
    AND length(i.nonce) = 12
    AND (i.order_line_id IS NULL) = (i.unit IS NULL)
    AND (i.unit IS NULL OR i.unit > 0)
    AND (i.state NOT IN ('held', 'allocated', 'sold') OR i.order_line_id IS NOT NULL)
    AND (i.state <> 'available' OR (i.order_line_id IS NULL AND i.set_aside_at IS NULL))
    AND (i.state <> 'sold' OR i.delivered_at IS NOT NULL)
    AND (i.state NOT IN ('available', 'held') OR i.first_viewed_at IS NULL);
END $$;
