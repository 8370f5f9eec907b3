-- Receipts and credit notes in one series without gaps. They are numbered after the settlement, by transactions of their own,
-- which lock the row of receipt_series; so no buyer waits for another one's number.

CREATE TABLE receipt_series (
  is_only       boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  last_number   integer NOT NULL CHECK (last_number >= 0),
  -- What was paid, or given back, before then has its number.
  orders_until  timestamptz NOT NULL,
  refunds_until timestamptz NOT NULL
);
COMMENT ON TABLE receipt_series IS 'For ever: one row.';
INSERT INTO receipt_series (last_number, orders_until, refunds_until) VALUES (0, '-infinity', '-infinity');

CREATE TABLE receipts (
  number    integer PRIMARY KEY CHECK (number > 0),
  order_id  uuid NOT NULL REFERENCES orders,
  -- Of a credit note; null for the receipt of the order.
  refund_id uuid UNIQUE REFERENCES refunds,
  issued_at timestamptz NOT NULL,
  -- As it was when it was issued: seller, buyer, lines, tax, shipping, payment.
  content   jsonb NOT NULL
);
COMMENT ON TABLE receipts IS 'For ever: they are the books; with the buyer''s name, e-mail and shipping address.';
CREATE UNIQUE INDEX receipts_one_of_order ON receipts (order_id) WHERE refund_id IS NULL;
CREATE INDEX receipts_of_order ON receipts (order_id, number);
CREATE INDEX refunds_done ON refunds (finished_at) WHERE state = 'done';

CREATE FUNCTION keep_receipts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'receipts are never changed or removed';
END $$;
CREATE TRIGGER keep_receipts BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts
  FOR EACH STATEMENT EXECUTE FUNCTION keep_receipts();
