-- The promises of docs/architecture.md as the database's own: money is non-negative integer cents of USD, states are
-- the listed ones, a payment intent belongs to one order, and a unit of an order line holds at most one item.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE users (
  id                uuid PRIMARY KEY,
  -- One identity after trim and lower case; proves nothing until email_verified_at is set.
  email             text NOT NULL UNIQUE CHECK (email = lower(btrim(email))),
  email_verified_at timestamptz,
  name              text NOT NULL,
  phone             text NOT NULL DEFAULT '',
  role              text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'admin')),
  password_hash     text,
  street            text NOT NULL DEFAULT '',
  city              text NOT NULL DEFAULT '',
  state             text NOT NULL DEFAULT '',
  zip_code          text NOT NULL DEFAULT '',
  country           text NOT NULL DEFAULT 'Malaysia',
  created_at        timestamptz NOT NULL
);

CREATE TABLE sessions (
  id         uuid PRIMARY KEY,
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  ip         text NOT NULL,
  user_agent text NOT NULL
);
CREATE INDEX sessions_of_user ON sessions (user_id);

CREATE TABLE products (
  id                    uuid PRIMARY KEY,
  name                  text NOT NULL,
  description           text NOT NULL,
  category              text NOT NULL,
  image                 text NOT NULL,
  price_cents           integer NOT NULL CHECK (price_cents > 0),
  discount_type         text CHECK (discount_type IN ('percentage', 'fixed')),
  discount_basis_points integer CHECK (discount_basis_points BETWEEN 0 AND 10000),
  discount_cents        integer CHECK (discount_cents >= 0),
  discount_starts_at    timestamptz,
  discount_ends_at      timestamptz,
  flash_price_cents     integer CHECK (flash_price_cents >= 0),
  flash_starts_at       timestamptz,
  flash_ends_at         timestamptz,
  flash_units_limit     integer CHECK (flash_units_limit >= 0),
  flash_units_taken     integer NOT NULL DEFAULT 0 CHECK (flash_units_taken >= 0),
  -- Units delivered and not refunded, counted every few minutes; what 'popular' sorts by.
  sold_count            integer NOT NULL DEFAULT 0 CHECK (sold_count >= 0),
  featured              boolean NOT NULL DEFAULT false,
  is_active             boolean NOT NULL DEFAULT true,
  delivery_instructions text NOT NULL DEFAULT '',
  warranty_days         integer NOT NULL DEFAULT 0 CHECK (warranty_days >= 0),
  created_at            timestamptz NOT NULL,
  CHECK (discount_type IS DISTINCT FROM 'percentage' OR discount_basis_points IS NOT NULL),
  CHECK (discount_type IS DISTINCT FROM 'fixed' OR discount_cents IS NOT NULL),
  CHECK (discount_ends_at > discount_starts_at),
  CHECK (flash_ends_at > flash_starts_at),
  CHECK (flash_units_taken <= flash_units_limit)
);
CREATE INDEX products_by_name ON products USING gin (name gin_trgm_ops);
CREATE INDEX products_active ON products (category, created_at DESC) WHERE is_active;

-- What one unit costs at a moment, for sorting only: what is charged is the rule in src/shared/pricing.ts, and a
-- property test holds the two together.
CREATE FUNCTION effective_price_cents(p products, at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest(1, CASE
    WHEN p.flash_price_cents IS NOT NULL
      AND (p.flash_starts_at IS NULL OR p.flash_starts_at <= at) AND (p.flash_ends_at IS NULL OR p.flash_ends_at > at)
      AND (p.flash_units_limit IS NULL OR p.flash_units_taken < p.flash_units_limit)
      THEN p.flash_price_cents
    WHEN p.discount_type IS NOT NULL
      AND (p.discount_starts_at IS NULL OR p.discount_starts_at <= at)
      AND (p.discount_ends_at IS NULL OR p.discount_ends_at > at)
      THEN p.price_cents - CASE p.discount_type
        WHEN 'fixed' THEN p.discount_cents
        ELSE ((p.price_cents::bigint * p.discount_basis_points * 2 + 10000) / 20000)::integer
      END
    ELSE p.price_cents
  END)
$$;

CREATE TABLE orders (
  id                uuid PRIMARY KEY,
  type              text NOT NULL CHECK (type IN ('digital', 'physical')),
  state             text NOT NULL CHECK (state IN ('pending', 'capturing', 'fulfilled', 'cancelled', 'refunding', 'refunded', 'disputed')),
  -- Who may read it. Null until a guest's account is made, and while the e-mail's account is unverified.
  user_id           uuid REFERENCES users,
  contact_email     text NOT NULL,
  guest             boolean NOT NULL,
  guest_name        text NOT NULL DEFAULT '',
  guest_phone       text NOT NULL DEFAULT '',
  -- This order made the account of user_id, so the browser that paid may set its password.
  made_account      boolean NOT NULL DEFAULT false,
  -- SHA-256 of the checkout cookie's secret: binds the browser that pays to this order.
  checkout_hash     bytea,
  items_cents       integer NOT NULL CHECK (items_cents >= 0),
  tax_cents         integer NOT NULL CHECK (tax_cents >= 0),
  shipping_cents    integer NOT NULL DEFAULT 0 CHECK (shipping_cents >= 0),
  total_cents       integer NOT NULL CHECK (total_cents = items_cents + tax_cents + shipping_cents),
  payment_intent_id text UNIQUE,
  -- Part of the idempotency key with which the intent is created.
  payment_attempt   integer NOT NULL DEFAULT 1,
  refund_reason     text,
  cancel_reason     text CHECK (cancel_reason IN ('abandoned', 'replaced', 'payment-failed', 'by-admin')),
  shipping_street   text,
  shipping_city     text,
  shipping_state    text,
  shipping_zip_code text,
  shipping_country  text,
  created_at        timestamptz NOT NULL,
  hold_expires_at   timestamptz NOT NULL,
  paid_at           timestamptz,
  fulfilled_at      timestamptz,
  cancelled_at      timestamptz,
  refunded_at       timestamptz,
  -- When the sweeper looks at it next; null when there is nothing left to do.
  sweep_at          timestamptz,
  CHECK (state <> 'fulfilled' OR (paid_at IS NOT NULL AND fulfilled_at IS NOT NULL)),
  CHECK (type = 'physical' OR state NOT IN ('capturing', 'fulfilled') OR payment_intent_id IS NOT NULL)
);
CREATE INDEX orders_of_user ON orders (user_id, created_at DESC);
CREATE INDEX orders_unowned ON orders (contact_email) WHERE user_id IS NULL;
CREATE INDEX orders_to_sweep ON orders (sweep_at) WHERE sweep_at IS NOT NULL;

CREATE TABLE order_lines (
  id                    uuid PRIMARY KEY,
  order_id              uuid NOT NULL REFERENCES orders ON DELETE CASCADE,
  position              integer NOT NULL,
  product_id            uuid NOT NULL REFERENCES products,
  name                  text NOT NULL,
  image                 text NOT NULL,
  quantity              integer NOT NULL CHECK (quantity > 0),
  unit_price_cents      integer NOT NULL CHECK (unit_price_cents >= 0),
  -- The units were counted against a flash sale's limit, and go back to it when the order is cancelled.
  takes_flash_units     boolean NOT NULL DEFAULT false,
  delivery_instructions text NOT NULL,
  warranty_days         integer NOT NULL,
  UNIQUE (order_id, position)
);
CREATE INDEX order_lines_of_product ON order_lines (product_id);

CREATE TABLE items (
  id              uuid PRIMARY KEY,
  product_id      uuid NOT NULL REFERENCES products,
  state           text NOT NULL CHECK (state IN ('available', 'held', 'allocated', 'sold', 'quarantined', 'burnt', 'voided')),
  -- AES-256-GCM; the additional data is version, item, product and key id (docs/security.md).
  key_id          text NOT NULL,
  nonce           bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext      bytea NOT NULL,
  -- HMAC-SHA-256 over the trimmed content: the same secret cannot be sold twice in the whole shop.
  content_hmac    bytea NOT NULL UNIQUE,
  -- The unit of an order line that this item fills.
  order_line_id   uuid REFERENCES order_lines,
  unit            integer CHECK (unit > 0),
  added_at        timestamptz NOT NULL,
  delivered_at    timestamptz,
  -- The ledger's first entry, kept here so that refunds know seen from unseen.
  first_viewed_at timestamptz,
  CHECK ((order_line_id IS NULL) = (unit IS NULL)),
  CHECK ((state IN ('held', 'allocated', 'sold')) <= (order_line_id IS NOT NULL)),
  CHECK (state <> 'available' OR order_line_id IS NULL),
  CHECK (state <> 'sold' OR delivered_at IS NOT NULL)
);
CREATE UNIQUE INDEX items_one_per_unit ON items (order_line_id, unit) WHERE state IN ('held', 'allocated', 'sold');
CREATE INDEX items_available ON items (product_id, id) WHERE state = 'available';
CREATE INDEX items_of_line ON items (order_line_id) WHERE order_line_id IS NOT NULL;

-- Every time a secret left for its buyer's screen: who, when, from where.
CREATE TABLE reveals (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item_id    uuid NOT NULL REFERENCES items,
  order_id   uuid NOT NULL REFERENCES orders,
  user_id    uuid NOT NULL REFERENCES users,
  ip         text NOT NULL,
  user_agent text NOT NULL,
  at         timestamptz NOT NULL
);
CREATE INDEX reveals_of_item ON reveals (item_id, at);

-- The provider's events that were acted on; one that failed here is not noted and is sent again.
CREATE TABLE webhook_events (
  id          text PRIMARY KEY,
  type        text NOT NULL,
  finished_at timestamptz NOT NULL
);

-- The outbox: a mail is written down in the transaction that causes it and sent by a job afterwards.
CREATE TABLE mails (
  id         uuid PRIMARY KEY,
  kind       text NOT NULL,
  recipient  text NOT NULL,
  order_id   uuid REFERENCES orders,
  user_id    uuid REFERENCES users,
  created_at timestamptz NOT NULL,
  sent_at    timestamptz
);
CREATE INDEX mails_of_order ON mails (order_id);

-- Single-use links of an order's mail. Only the SHA-256 of the token is kept.
CREATE TABLE claim_links (
  token_hash bytea PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);

-- Data keys of the item cipher, each wrapped by a master key from the configuration.
CREATE TABLE data_keys (
  id            text PRIMARY KEY,
  master_key_id text NOT NULL,
  wrapped_key   bytea NOT NULL,
  created_at    timestamptz NOT NULL,
  retired_at    timestamptz
);

-- What this database is: 'demo' holds when the demo data was made.
CREATE TABLE shop_facts (
  name  text PRIMARY KEY,
  value text NOT NULL
);
