-- Claims of a bank against a paid order. While one is open, items that the buyer has not seen are frozen.
CREATE TABLE order_freezes (
  -- The dispute's or the warning's id at the payment provider.
  id        text PRIMARY KEY,
  order_id  uuid NOT NULL REFERENCES orders,
  cause     text NOT NULL CHECK (cause IN ('dispute', 'fraud-warning')),
  frozen_at timestamptz NOT NULL,
  ended_at  timestamptz,
  outcome   text CHECK (outcome IN ('won', 'lost', 'lifted')),
  CHECK ((ended_at IS NULL) = (outcome IS NULL))
);
COMMENT ON TABLE order_freezes IS 'With their order.';
CREATE INDEX order_freezes_of_order ON order_freezes (order_id);

-- Whoever shows an item or puts it on sale locks its order first, as whoever freezes it does. This is the last line.
CREATE FUNCTION keep_frozen_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM order_freezes JOIN order_lines USING (order_id)
    WHERE order_lines.id = OLD.order_line_id AND ended_at IS NULL
  ) THEN RAISE EXCEPTION 'item % is frozen', OLD.id; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER keep_frozen_items BEFORE UPDATE OF first_viewed_at ON items
  FOR EACH ROW WHEN (OLD.state = 'sold' AND OLD.first_viewed_at IS NULL AND NEW.first_viewed_at IS NOT NULL)
  EXECUTE FUNCTION keep_frozen_items();

-- Of the test mode: disputes and early fraud warnings.
CREATE TABLE test_mode_claims (
  id         text PRIMARY KEY,
  intent_id  text NOT NULL REFERENCES test_mode_intents,
  kind       text NOT NULL CHECK (kind IN ('dispute', 'warning')),
  status     text NOT NULL CHECK (status IN ('needs_response', 'won', 'lost')),
  created_at timestamptz NOT NULL,
  UNIQUE (intent_id, kind)
);
