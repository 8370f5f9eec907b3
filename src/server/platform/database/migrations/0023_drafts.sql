-- A product that was made inactive is a draft until it is put on sale for the first time.
ALTER TABLE products
  ADD COLUMN is_draft boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT products_draft CHECK (NOT (is_draft AND is_active));
