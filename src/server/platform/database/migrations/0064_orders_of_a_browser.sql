-- The unpaid orders of a browser are also read to pay them again, and those of customers have no counted_network.
DROP INDEX orders_unpaid_of_browser;
CREATE INDEX orders_unpaid_of_browser ON orders (checkout_hash) WHERE sweep_at IS NOT NULL;
