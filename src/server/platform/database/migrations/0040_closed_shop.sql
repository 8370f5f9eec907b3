-- While its row is there, no payment begins. What was paid is still delivered.
CREATE TABLE shop_closed (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  since   timestamptz NOT NULL,
  -- For administrators.
  reason  text NOT NULL CHECK (reason <> ''),
  -- For buyers.
  message text NOT NULL CHECK (message <> '')
);
COMMENT ON TABLE shop_closed IS 'One row, while the shop is closed.';
