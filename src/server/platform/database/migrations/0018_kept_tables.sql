-- How long the rows of a table are kept is its comment, unless they are removed by retention.queries.ts.
COMMENT ON TABLE products IS 'For ever: orders name them.';
COMMENT ON TABLE images IS 'Until no product and no order has shown them for 30 days.';
COMMENT ON TABLE order_lines IS 'With their order.';
COMMENT ON TABLE refunds IS 'For ever: they are the books; with the card''s brand and last four digits.';
COMMENT ON TABLE refund_lines IS 'For ever: they are the books.';
COMMENT ON TABLE test_mode_refunds IS 'For ever: they are the books.';
COMMENT ON TABLE items IS 'For ever: what was sold.';
COMMENT ON TABLE reveals IS 'For ever: who has seen an item.';
COMMENT ON TABLE audit_log IS 'For ever: each entry vouches for those before it.';
COMMENT ON TABLE users IS 'For ever: an account is kept with its orders.';
COMMENT ON TABLE cart_entries IS 'With the account; bounded for each.';
COMMENT ON TABLE two_factor_secrets IS 'With the account; bounded for each.';
COMMENT ON TABLE backup_codes IS 'With the account; bounded for each.';
COMMENT ON TABLE product_sales IS 'A row for each product.';
COMMENT ON TABLE sales_days IS 'A row for each day.';
COMMENT ON TABLE data_keys IS 'For ever: a few rows.';
COMMENT ON TABLE shop_facts IS 'For ever: a few rows.';
COMMENT ON TABLE test_mode_account IS 'For ever: a few rows.';
