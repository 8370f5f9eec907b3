-- Orders that their buyers cancelled: three a day for a buyer, and for a card.
CREATE TABLE cancellations (
  order_id uuid PRIMARY KEY REFERENCES orders,
  user_id  uuid NOT NULL REFERENCES users,
  -- SHA-256 of what the provider calls the card; null where it does not say.
  card_key bytea CHECK (length(card_key) = 32),
  at       timestamptz NOT NULL
);
COMMENT ON TABLE cancellations IS 'With their order.';
CREATE INDEX cancellations_of_user ON cancellations (user_id, at);
CREATE INDEX cancellations_of_card ON cancellations (card_key, at) WHERE card_key IS NOT NULL;
