-- Goods that are posted: no secrets and no holds, only a count on the shelf.

CREATE TABLE physical_products (
  id            uuid PRIMARY KEY,
  name          text NOT NULL,
  description   text NOT NULL,
  brand         text NOT NULL,
  category      text NOT NULL,
  image         text NOT NULL,
  price_cents   integer NOT NULL CHECK (price_cents > 0),
  stock         integer NOT NULL CHECK (stock >= 0),
  -- Tenths of a star, from 10 to 50; 0 while nobody has reviewed it.
  rating_tenths integer NOT NULL DEFAULT 0,
  review_count  integer NOT NULL DEFAULT 0 CHECK (review_count >= 0),
  is_active     boolean NOT NULL DEFAULT true,
  created_at    timestamptz NOT NULL,
  CHECK (CASE WHEN review_count = 0 THEN rating_tenths = 0 ELSE rating_tenths BETWEEN 10 AND 50 END)
);

-- A line is of one or the other kind of goods; an order of physical goods has only physical lines.
ALTER TABLE order_lines
  ALTER COLUMN product_id DROP NOT NULL,
  ADD COLUMN physical_product_id uuid REFERENCES physical_products,
  ADD CHECK (num_nonnulls(product_id, physical_product_id) = 1);
CREATE INDEX order_lines_of_physical_product ON order_lines (physical_product_id) WHERE physical_product_id IS NOT NULL;

-- An order's state says where its money is. Physical goods travel on their own time: a paid order of them is Processing
-- until it is shipped, Shipped until it is delivered.
ALTER TABLE orders
  ADD COLUMN shipped_at   timestamptz,
  ADD COLUMN delivered_at timestamptz,
  ADD CHECK (shipped_at IS NULL OR (type = 'physical' AND paid_at IS NOT NULL)),
  ADD CHECK (delivered_at IS NULL OR (shipped_at IS NOT NULL AND delivered_at >= shipped_at)),
  -- What is posted needs somewhere to go.
  ADD CHECK (type = 'digital' OR num_nulls(shipping_street, shipping_city, shipping_state, shipping_zip_code, shipping_country) = 0);
