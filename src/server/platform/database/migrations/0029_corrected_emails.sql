-- An administrator can correct the e-mail of a guest's order. Its items open an hour later, so that a mistake can be told.
ALTER TABLE orders ADD COLUMN items_open_at timestamptz;

-- The link of an order's mail opens the order only for the address that it was mailed to.
UPDATE verifications SET email = orders.contact_email FROM orders
WHERE purpose IN ('order-claim', 'order-lookup') AND orders.id = order_id;
ALTER TABLE verifications ADD CONSTRAINT verifications_order_email_check
  CHECK (purpose NOT IN ('order-claim', 'order-lookup') OR order_id IS NULL OR email IS NOT NULL);
