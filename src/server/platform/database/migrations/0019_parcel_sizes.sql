-- Weight and size of a packed unit, for the price of its shipping and for its page; null where nobody has measured it.
ALTER TABLE products
  ADD COLUMN weight_grams integer CHECK (weight_grams > 0),
  ADD COLUMN length_mm    integer CHECK (length_mm > 0),
  ADD COLUMN width_mm     integer CHECK (width_mm > 0),
  ADD COLUMN height_mm    integer CHECK (height_mm > 0),
  ADD CONSTRAINT products_measured CHECK (
    kind = 'physical' OR num_nonnulls(weight_grams, length_mm, width_mm, height_mm) = 0);
