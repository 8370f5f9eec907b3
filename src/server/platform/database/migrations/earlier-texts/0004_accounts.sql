-- Brings what an earlier text of 0004_accounts.sql made to what the present one makes; run again, it changes nothing.

CREATE UNLOGGED TABLE IF NOT EXISTS rate_counts (
  key    text PRIMARY KEY,
  points integer NOT NULL,
  expire bigint
);
ALTER TABLE orders ADD COLUMN IF NOT EXISTS ip text NOT NULL DEFAULT '';

ALTER TABLE users ADD COLUMN IF NOT EXISTS password_changed_at timestamptz;
CREATE INDEX IF NOT EXISTS mails_without_order ON mails (kind, sent_at) WHERE order_id IS NULL;

CREATE INDEX IF NOT EXISTS order_lookups_of_order ON order_lookups (order_id, created_at);
CREATE INDEX IF NOT EXISTS order_lookups_by_age ON order_lookups (created_at);
ALTER TABLE mails
  DROP CONSTRAINT IF EXISTS mails_lookup_id_fkey,
  ADD CONSTRAINT mails_lookup_id_fkey FOREIGN KEY (lookup_id) REFERENCES order_lookups ON DELETE CASCADE;
CREATE INDEX IF NOT EXISTS mails_of_lookup ON mails (lookup_id) WHERE lookup_id IS NOT NULL;

ALTER TABLE orders SET (fillfactor = 80);
