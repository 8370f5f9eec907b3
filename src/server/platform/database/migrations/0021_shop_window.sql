-- Physical products are shown to shoppers, and a product of either kind has several pictures.

ALTER TABLE products
  -- After the first, which is `image`, in their order.
  ADD COLUMN more_images text[] NOT NULL DEFAULT '{}',
  ADD CONSTRAINT products_pictures CHECK (cardinality(more_images) < 10 AND array_position(more_images, NULL) IS NULL);

CREATE INDEX products_active_physical ON products (category, created_at DESC) WHERE is_active AND kind = 'physical';
