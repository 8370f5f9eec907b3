-- How a digital product is delivered. `unique`: an item from stock for each unit. `shared` and `file`: the same for every
-- buyer. `manual`: by a person, after the payment. A limit of units of the last three is a stock, counted as that of physical
-- goods is.

ALTER TABLE products ADD COLUMN delivery text;
UPDATE products SET delivery = 'unique' WHERE kind = 'digital';
ALTER TABLE products
  DROP CONSTRAINT products_physical_only,
  ADD CONSTRAINT products_delivery CHECK (CASE kind
    WHEN 'physical' THEN delivery IS NULL
    ELSE delivery IS NOT NULL AND delivery IN ('unique', 'shared', 'file', 'manual') END),
  ADD CONSTRAINT products_brand CHECK ((brand IS NOT NULL) = (kind = 'physical')),
  ADD CONSTRAINT products_counted CHECK (CASE WHEN kind = 'physical' THEN stock IS NOT NULL
    WHEN delivery = 'unique' THEN stock IS NULL ELSE true END);

-- A line keeps how its product was delivered when it was ordered; null for physical goods.
ALTER TABLE order_lines ADD COLUMN delivery text;
ALTER TABLE order_lines DROP CONSTRAINT order_lines_valid;
UPDATE order_lines SET delivery = 'unique' FROM products WHERE products.id = product_id AND kind = 'digital';
CREATE OR REPLACE FUNCTION is_valid(l order_lines) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN l.quantity > 0 AND l.unit_price_cents >= 0
    AND (l.delivery IS NULL OR l.delivery IN ('unique', 'shared', 'file', 'manual'))
    AND (l.delivery IS DISTINCT FROM 'unique' OR l.counted_state IS NULL)
    AND CASE l.counted_state
      WHEN 'held' THEN l.counted_units = l.quantity
      WHEN 'allocated' THEN l.counted_units = l.quantity
      WHEN 'sold' THEN l.counted_units BETWEEN 0 AND l.quantity
      WHEN 'released' THEN l.counted_units = 0
      ELSE l.counted_state IS NULL AND l.counted_units = 0 END;
END $$;
ALTER TABLE order_lines ADD CONSTRAINT order_lines_valid CHECK (is_valid(order_lines));
