ALTER TABLE sessions
  ADD COLUMN last_seen_at timestamptz,
  -- Asked for by "Remember me": a renewed session keeps its length.
  ADD COLUMN remembered boolean NOT NULL DEFAULT false;
UPDATE sessions SET last_seen_at = created_at;
ALTER TABLE sessions ALTER COLUMN last_seen_at SET NOT NULL;

CREATE TABLE two_factor_secrets (
  user_id       uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  -- AES-256-GCM like an item's content; the additional data is version, user and key id.
  key_id        text NOT NULL,
  nonce         bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext    bytea NOT NULL,
  created_at    timestamptz NOT NULL,
  -- Null while it is set up and not verified: then no code is asked.
  enabled_at    timestamptz,
  -- The newest 30-second step of which a code was accepted; none is accepted twice, nor an older one after it.
  last_step     bigint NOT NULL DEFAULT 0
);

-- SHA-256 of 120 random bits each.
CREATE TABLE backup_codes (
  user_id   uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  code_hash bytea NOT NULL,
  used_at   timestamptz,
  PRIMARY KEY (user_id, code_hash)
);

-- Logins whose password was right and whose code is awaited. The pending token names its row.
CREATE TABLE pending_logins (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  remembered boolean NOT NULL,
  tries      integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX pending_logins_of_user ON pending_logins (user_id);

-- Single-use links of an account's mails. Only the SHA-256 of the token is kept.
CREATE TABLE account_links (
  token_hash bytea PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('password-reset', 'email-change', 'email-verification')),
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- The address that whoever clicks it has proven.
  email      text NOT NULL CHECK (email = lower(btrim(email))),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX account_links_of_user ON account_links (user_id);
-- What was asked for before the password last changed, perhaps by somebody else, is worthless.
ALTER TABLE users ADD COLUMN password_changed_at timestamptz;
-- For counting what was lately sent to an address.
CREATE INDEX mails_without_order ON mails (kind, sent_at) WHERE order_id IS NULL;

-- Questions for an order by its number; without an order when there is none, so that both look alike from outside.
CREATE TABLE order_lookups (
  id         uuid PRIMARY KEY,
  order_id   uuid REFERENCES orders,
  -- HMAC-SHA-256 of the code with the id, under a key that is not in the database; null until its mail is made.
  code_hash  bytea,
  tries      integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX order_lookups_of_order ON order_lookups (order_id, created_at);
CREATE INDEX order_lookups_by_age ON order_lookups (created_at);
ALTER TABLE mails ADD COLUMN lookup_id uuid REFERENCES order_lookups ON DELETE CASCADE;
CREATE INDEX mails_of_lookup ON mails (lookup_id) WHERE lookup_id IS NOT NULL;
-- Who looked through a lookup is nobody with an account.
ALTER TABLE reveals ALTER COLUMN user_id DROP NOT NULL;
CREATE INDEX orders_by_number ON orders (right(id::text, 8));

CREATE TABLE cart_entries (
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  product_id uuid NOT NULL REFERENCES products,
  quantity   integer NOT NULL CHECK (quantity BETWEEN 1 AND 100),
  added_at   timestamptz NOT NULL,
  PRIMARY KEY (user_id, product_id)
);
CREATE INDEX cart_entries_of_product ON cart_entries (product_id);

-- How often a limit was used, written by rate-limiter-flexible. What a crash of PostgreSQL forgets may begin anew.
CREATE UNLOGGED TABLE rate_counts (
  key    text PRIMARY KEY,
  points integer NOT NULL,
  -- Milliseconds since 1970.
  expire bigint
);
-- From where the payment was opened: declined cards are counted by it. Empty where that is not known.
ALTER TABLE orders ADD COLUMN ip text NOT NULL DEFAULT '';

-- Room on each page for an order's next version: a change that no index knows of then leaves the indexes alone.
ALTER TABLE orders SET (fillfactor = 80);
