-- Buyers report delivered items that do not work, and the shop answers. What was reported is never sold again.

CREATE TABLE problem_reports (
  id            uuid PRIMARY KEY,
  order_id      uuid NOT NULL REFERENCES orders,
  item_id       uuid NOT NULL REFERENCES items,
  problem       text NOT NULL CHECK (problem IN ('used', 'invalid', 'region', 'other-product', 'other')),
  opened_at     timestamptz NOT NULL,
  -- Since when the buyer waits for an answer; null when the shop has written last.
  waiting_since timestamptz,
  closed_at     timestamptz CHECK (closed_at >= opened_at),
  outcome       text CHECK (outcome IN ('message', 'replaced', 'refunded', 'withdrawn', 'disputed')),
  CHECK ((closed_at IS NULL) = (outcome IS NULL)),
  CHECK (closed_at IS NULL OR waiting_since IS NULL)
);
CREATE UNIQUE INDEX problem_reports_open ON problem_reports (item_id) WHERE closed_at IS NULL;
CREATE INDEX problem_reports_of_item ON problem_reports (item_id);
CREATE INDEX problem_reports_of_order ON problem_reports (order_id);
CREATE INDEX problem_reports_closed ON problem_reports (closed_at, id) WHERE closed_at IS NOT NULL;
COMMENT ON TABLE problem_reports IS 'For ever, with their order: why an item was replaced or refunded.';

-- Buyers type keys and passwords into their messages, so texts and pictures are encrypted like items.
CREATE TABLE report_messages (
  id          uuid PRIMARY KEY,
  report_id   uuid NOT NULL REFERENCES problem_reports,
  -- The administrator who wrote it; null for the buyer.
  user_id     uuid REFERENCES users,
  key_id      text NOT NULL,
  nonce       bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext  bytea NOT NULL,
  has_picture boolean NOT NULL,
  at          timestamptz NOT NULL
);
CREATE INDEX report_messages_of_report ON report_messages (report_id);
COMMENT ON TABLE report_messages IS 'For ever, with their report.';

CREATE TABLE report_pictures (
  message_id  uuid PRIMARY KEY REFERENCES report_messages,
  key_id      text NOT NULL,
  nonce       bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext  bytea NOT NULL,
  at          timestamptz NOT NULL
);
-- Encrypted bytes cannot be compressed.
ALTER TABLE report_pictures ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

-- As in 0022_restored_items.sql, with what was reported.
CREATE OR REPLACE FUNCTION keep_read_items_withdrawn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.state = 'available' AND OLD.state IN ('quarantined', 'burnt', 'voided')) OR NEW.product_id <> OLD.product_id THEN
    IF OLD.state = 'burnt' OR OLD.first_viewed_at IS NOT NULL OR EXISTS (SELECT FROM reveals WHERE item_id = OLD.id) THEN
      RAISE EXCEPTION 'item % was read and is never sold again', OLD.id;
    END IF;
    IF EXISTS (SELECT FROM problem_reports WHERE item_id = OLD.id) THEN
      RAISE EXCEPTION 'item % was reported and is never sold again', OLD.id;
    END IF;
  END IF;
  RETURN NEW;
END $$;
