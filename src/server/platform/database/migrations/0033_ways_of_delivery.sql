-- Goods that are delivered otherwise than as items from stock are counted by their lines, like physical goods, with and without
-- a limit: `order_lines.counted_state`. Their items are made when they are delivered.

-- What every buyer of a `shared` product gets.
CREATE TABLE shared_contents (
  product_id uuid PRIMARY KEY REFERENCES products,
  -- Encrypted as an item whose id is the product's.
  key_id     text NOT NULL,
  nonce      bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext bytea NOT NULL,
  -- From 1; each edit is the next.
  version    integer NOT NULL DEFAULT 1 CHECK (version > 0),
  updated_at timestamptz NOT NULL
);
COMMENT ON TABLE shared_contents IS 'For ever, the newest version of each product: also orders of a deleted one may wait for it.';

ALTER TABLE products
  -- Where what is bought can be activated or used; null where it does not matter.
  ADD COLUMN region       text,
  ADD COLUMN platform     text,
  -- What the checkout asks its buyer: [{ label, kind, required, choices }].
  ADD COLUMN buyer_fields jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(buyer_fields) = 'array');

ALTER TABLE order_lines
  -- Of the product, when it was ordered.
  ADD COLUMN region   text,
  ADD COLUMN platform text;

-- What the buyer answered to the fields of a line's product.
CREATE TABLE buyer_answers (
  order_line_id uuid PRIMARY KEY REFERENCES order_lines ON DELETE CASCADE,
  -- [{ label, value }], encrypted as an item whose id is the line's.
  key_id        text NOT NULL,
  nonce         bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext    bytea NOT NULL
);
COMMENT ON TABLE buyer_answers IS 'As long as the order.';

-- Units of a fulfilled order that a person still has to deliver: it follows from its lines and their items.
ALTER TABLE orders ADD COLUMN waiting_units integer NOT NULL DEFAULT 0;
CREATE INDEX orders_waiting ON orders (created_at DESC, id DESC) WHERE waiting_units > 0;

CREATE OR REPLACE FUNCTION is_valid(l order_lines) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN l.quantity > 0 AND l.unit_price_cents >= 0
    AND CASE l.delivery
      WHEN 'unique' THEN l.counted_state IS NULL
      WHEN 'shared' THEN l.counted_state IS NOT NULL
      WHEN 'file' THEN l.counted_state IS NOT NULL
      WHEN 'manual' THEN l.counted_state IS NOT NULL
      ELSE l.delivery IS NULL END
    AND CASE l.counted_state
      WHEN 'held' THEN l.counted_units = l.quantity
      WHEN 'allocated' THEN l.counted_units = l.quantity
      WHEN 'sold' THEN l.counted_units BETWEEN 0 AND l.quantity
      WHEN 'released' THEN l.counted_units = 0
      ELSE l.counted_state IS NULL AND l.counted_units = 0 END;
END $$;
