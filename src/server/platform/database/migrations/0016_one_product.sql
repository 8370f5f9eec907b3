-- Digital and physical products become one table with one set of rules. What only one kind has is empty in the other.

ALTER TABLE products
  ADD COLUMN kind          text NOT NULL DEFAULT 'digital',
  ADD COLUMN brand         text,
  -- Units on the shelf. The stock of a digital product is its available items.
  ADD COLUMN stock         integer,
  -- Tenths of a star, from 10 to 50; 0 without a review.
  ADD COLUMN rating_tenths integer NOT NULL DEFAULT 0,
  ADD COLUMN review_count  integer NOT NULL DEFAULT 0;
-- A product is never of a kind by accident.
ALTER TABLE products ALTER COLUMN kind DROP DEFAULT;

INSERT INTO products (id, kind, name, description, category, image, price_cents, brand, stock, rating_tenths,
    review_count, is_active, version, created_at)
  SELECT id, 'physical', name, description, category, image, price_cents, brand, stock, rating_tenths,
    review_count, is_active, version, created_at
  FROM physical_products;

ALTER TABLE products
  ADD CONSTRAINT products_kind CHECK (kind IN ('digital', 'physical')),
  ADD CONSTRAINT products_physical_only CHECK (num_nonnulls(brand, stock) = CASE kind WHEN 'physical' THEN 2 ELSE 0 END),
  ADD CONSTRAINT products_digital_only CHECK (kind = 'digital' OR (delivery_instructions = '' AND warranty_days = 0)),
  ADD CONSTRAINT products_stock CHECK (stock >= 0),
  ADD CONSTRAINT products_rating CHECK (CASE review_count WHEN 0 THEN rating_tenths = 0
    ELSE review_count > 0 AND rating_tenths BETWEEN 10 AND 50 END);

-- Every list shows one kind. The kind is a constant in each statement, so that these serve.
DROP INDEX products_newest, products_active, products_by_name;
CREATE INDEX products_newest ON products (kind, created_at DESC, id DESC);
CREATE INDEX products_active ON products (category, created_at DESC) WHERE is_active AND kind = 'digital';
CREATE INDEX products_by_name ON products USING gin (name gin_trgm_ops) WHERE kind = 'digital';
CREATE INDEX products_by_words ON products USING gin (name gin_trgm_ops, category gin_trgm_ops) WHERE kind = 'physical';

-- An order line names its product, whatever its kind. The rule of the row names the column that goes, so it goes first.
ALTER TABLE order_lines DROP CONSTRAINT order_lines_valid;
UPDATE order_lines SET product_id = physical_product_id WHERE physical_product_id IS NOT NULL;
ALTER TABLE order_lines
  DROP COLUMN physical_product_id,
  ALTER COLUMN product_id SET NOT NULL;
CREATE OR REPLACE FUNCTION is_valid(l order_lines) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN l.quantity > 0 AND l.unit_price_cents >= 0;
END $$;
ALTER TABLE order_lines ADD CONSTRAINT order_lines_valid CHECK (is_valid(order_lines));

DROP TABLE physical_products;

ALTER TABLE product_sales RENAME COLUMN goods_id TO product_id;

-- As in 0012_repeated_orders.sql, with the one column that names a product.
CREATE OR REPLACE FUNCTION lock_and_find_repeat(
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
    AND (SELECT jsonb_object_agg(product_id, quantity) FROM order_lines WHERE order_id = recent.id)
      = (SELECT jsonb_object_agg(product, quantity) FROM unnest(products, quantities) AS wanted (product, quantity))
    AND (state <> 'pending' OR NOT EXISTS (
      SELECT FROM declines WHERE declines.order_id = recent.id AND declines.at > recent.since))
  ORDER BY state = 'pending', since DESC LIMIT 1;
END $$;
