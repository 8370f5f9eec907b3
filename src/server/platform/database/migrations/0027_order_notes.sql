-- What administrators write down about an order, for each other; its buyer never sees it.
CREATE TABLE order_notes (
  id         uuid PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  user_id    uuid REFERENCES users,
  text       text NOT NULL CHECK (text <> ''),
  created_at timestamptz NOT NULL
);
CREATE INDEX order_notes_of_order ON order_notes (order_id, created_at);
COMMENT ON TABLE order_notes IS 'With their order.';
