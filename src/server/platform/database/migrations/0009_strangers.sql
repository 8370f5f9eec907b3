-- Browsers in which somebody has signed in. The cookie names the user; of its random token only the SHA-256 is kept. Wrong
-- passwords of such a browser have a budget of their own, so that strangers cannot lock its user out.
CREATE TABLE devices (
  token_hash bytea PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX devices_of_user ON devices (user_id);
CREATE INDEX devices_by_expiry ON devices (expires_at);

-- The device of a session, null for older ones. No foreign key: a session's record stays when its device is forgotten.
ALTER TABLE sessions ADD COLUMN device_hash bytea;
-- The known device on which the login began; null for a stranger, whose wrong codes count together with all strangers'.
ALTER TABLE pending_logins ADD COLUMN device_hash bytea;

-- Counts whose excess has to wait, each time longer. Nothing is lost with it but counts of a few minutes.
CREATE UNLOGGED TABLE rate_waits (
  key        text PRIMARY KEY,
  tries      integer NOT NULL,
  -- Whether the latest try was let through.
  allowed    boolean NOT NULL,
  -- When the next one is, once the free tries are used up.
  open_at    timestamptz NOT NULL,
  -- When the count begins anew.
  expires_at timestamptz NOT NULL
);

-- From which network (an IPv4 address, an IPv6 /64) an order was asked for.
ALTER TABLE order_lookups ADD COLUMN network text NOT NULL DEFAULT '';

-- Declined cards by the provider's id of the charge: each is counted once, whoever tells of it.
CREATE TABLE declines (
  id       text PRIMARY KEY,
  order_id uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  at       timestamptz NOT NULL
);
CREATE INDEX declines_of_order ON declines (order_id);
CREATE INDEX declines_by_time ON declines (at);
