-- The units of a removed order were all returned to the stock, so these entries add up to 0 for each product.
DELETE FROM stock_changes WHERE order_line_id IS NULL AND reason IN ('held', 'released') AND product_id IN (
  SELECT product_id FROM stock_changes WHERE order_line_id IS NULL AND reason IN ('held', 'released')
  GROUP BY product_id HAVING sum(units) = 0);
COMMENT ON TABLE stock_changes IS 'For ever: where counted goods went. Entries of a removed order are removed with it.';
