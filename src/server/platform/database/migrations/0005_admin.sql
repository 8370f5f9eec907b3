-- Running the shop: edits that know what they were made from, parcels on their way, refunds of parts, faulty items
-- replaced, users shut out, pictures of our own, and a log of all that administrators do.

ALTER TABLE products
  -- Counts the edits. Who saves an older one than it is is told, instead of overwriting what they have not seen.
  ADD COLUMN version    integer NOT NULL DEFAULT 1,
  ADD COLUMN deleted_at timestamptz,
  ADD CHECK (deleted_at IS NULL OR NOT is_active);
CREATE INDEX products_newest ON products (created_at DESC, id DESC);

ALTER TABLE physical_products ADD COLUMN version integer NOT NULL DEFAULT 1;
CREATE INDEX physical_products_newest ON physical_products (created_at DESC, id DESC);
CREATE INDEX physical_products_by_words ON physical_products USING gin (name gin_trgm_ops, category gin_trgm_ops);

ALTER TABLE users
  ADD COLUMN blocked_at   timestamptz,
  ADD COLUMN block_reason text;
CREATE INDEX users_newest ON users (created_at DESC, id DESC);
CREATE INDEX users_by_words ON users USING gin (name gin_trgm_ops, email gin_trgm_ops);

ALTER TABLE orders
  ADD COLUMN carrier         text,
  ADD COLUMN tracking_number text,
  ADD COLUMN refunded_cents  integer NOT NULL DEFAULT 0,
  ADD COLUMN disputed_at     timestamptz,
  ADD CHECK (refunded_cents BETWEEN 0 AND total_cents),
  ADD CHECK (shipped_at IS NOT NULL OR (carrier IS NULL AND tracking_number IS NULL));
UPDATE orders SET refunded_cents = total_cents WHERE state = 'refunded';
CREATE INDEX orders_newest ON orders (type, created_at DESC, id DESC) WHERE cancel_reason IS DISTINCT FROM 'abandoned';
-- For what is rare among a million. Neither holds an order that is being bought, so that a purchase costs nothing more.
CREATE INDEX orders_shipped ON orders (created_at DESC, id DESC) WHERE shipped_at IS NOT NULL AND delivered_at IS NULL;
CREATE INDEX orders_ended ON orders (type, created_at DESC, id DESC)
  WHERE cancel_reason IS DISTINCT FROM 'abandoned'
    AND (cancel_reason IS NOT NULL OR refund_reason IS NOT NULL OR disputed_at IS NOT NULL);
CREATE INDEX orders_by_words ON orders USING gin (contact_email gin_trgm_ops, guest_name gin_trgm_ops);

-- Money that an administrator gave back: all that was left, or units of lines with their share of the tax. It is written
-- with the withdrawal of the goods, before the provider is asked, and its id is part of the provider's idempotency key.
CREATE TABLE refunds (
  id          uuid PRIMARY KEY,
  order_id    uuid NOT NULL REFERENCES orders,
  cents       integer NOT NULL CHECK (cents > 0),
  reason      text NOT NULL,
  state       text NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
  user_id     uuid REFERENCES users,
  created_at  timestamptz NOT NULL,
  finished_at timestamptz
);
INSERT INTO refunds (id, order_id, cents, reason, state, created_at, finished_at)
  SELECT gen_random_uuid(), id, total_cents, coalesce(refund_reason, ''), CASE state WHEN 'refunded' THEN 'done' ELSE 'pending' END,
    coalesce(refunded_at, now()), refunded_at
  FROM orders WHERE state IN ('refunding', 'refunded') AND total_cents > 0;
CREATE INDEX refunds_of_order ON refunds (order_id, created_at);
CREATE INDEX refunds_pending ON refunds (created_at) WHERE state = 'pending';

CREATE TABLE refund_lines (
  refund_id     uuid NOT NULL REFERENCES refunds ON DELETE CASCADE,
  order_line_id uuid NOT NULL REFERENCES order_lines,
  quantity      integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (refund_id, order_line_id)
);
CREATE INDEX refund_lines_of_order_line ON refund_lines (order_line_id);

-- Names our refund to the provider, where there can be several for a payment.
ALTER TABLE test_mode_refunds ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';

ALTER TABLE items
  ADD COLUMN void_reason text,
  -- The item that was delivered in its place under warranty.
  ADD COLUMN replaced_by uuid REFERENCES items;
CREATE INDEX items_of_product ON items (product_id, id DESC);

-- A secret can be read by an administrator before anybody bought it, and then has no order but a reason.
ALTER TABLE reveals
  ALTER COLUMN order_id DROP NOT NULL,
  ADD COLUMN reason text,
  ADD CHECK (order_id IS NOT NULL OR reason IS NOT NULL);

CREATE TABLE images (
  -- SHA-256 of the content in hex: the same picture is stored once, and its address never changes its meaning.
  id         text PRIMARY KEY,
  content    bytea NOT NULL,
  media_type text NOT NULL,
  width      integer NOT NULL,
  height     integer NOT NULL,
  created_at timestamptz NOT NULL
);

-- The day of the shop on which something happened; SHOP_TIME_ZONE in src/shared/shop-time.ts.
CREATE FUNCTION shop_day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (moment AT TIME ZONE 'Asia/Kuala_Lumpur')::date
$$;

-- Sums of days that are over, so that the dashboard need not add up a million orders. A day that is missing is added up
-- from its orders.
CREATE TABLE sales_days (
  day           date PRIMARY KEY,
  -- Made on that day, without the abandoned ones.
  orders        integer NOT NULL,
  -- Paid on that day, without what was given back since.
  revenue_cents bigint NOT NULL
);

-- What changes an old day's sums takes its row away in the same transaction. Whoever adds a day up holds the lock alone,
-- so no row is written from orders that are just being changed.
CREATE FUNCTION forget_sales_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtext('sales days'));
  DELETE FROM sales_days WHERE day IN (shop_day(OLD.created_at), shop_day(OLD.paid_at));
  RETURN NULL;
END $$;
CREATE TRIGGER forget_sales_day AFTER UPDATE OF state, cancel_reason, refunded_cents ON orders FOR EACH ROW
  WHEN (OLD.refunded_cents <> NEW.refunded_cents
    OR (OLD.paid_at IS NOT NULL AND (OLD.state IN ('fulfilled', 'disputed')) <> (NEW.state IN ('fulfilled', 'disputed')))
    OR (OLD.cancel_reason IS NOT DISTINCT FROM 'abandoned') <> (NEW.cancel_reason IS NOT DISTINCT FROM 'abandoned'))
  EXECUTE FUNCTION forget_sales_day();
CREATE INDEX orders_paid ON orders (type, paid_at) WHERE paid_at IS NOT NULL;
-- Those that are Processing. By the dates instead of the state, which may change on its way to paid without this index.
CREATE INDEX orders_open ON orders (created_at) WHERE shipped_at IS NULL AND cancelled_at IS NULL
  AND refunded_at IS NULL AND (paid_at IS NULL OR type = 'physical');

-- Units and money of the last days by what was sold, counted every few minutes. `goods_id` is of either kind of product.
CREATE TABLE product_sales (
  goods_id uuid PRIMARY KEY,
  units_7  integer NOT NULL,
  cents_7  bigint NOT NULL,
  units_30 integer NOT NULL,
  cents_30 bigint NOT NULL,
  units_90 integer NOT NULL,
  cents_90 bigint NOT NULL
);

-- For counting who was here lately.
CREATE INDEX sessions_by_last_seen ON sessions (last_seen_at) INCLUDE (user_id);

CREATE TABLE audit_log (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz NOT NULL,
  -- Who it was, as they were called then: the entry outlives the account. A command has no user.
  user_id      uuid,
  actor        text NOT NULL,
  ip           text NOT NULL,
  action       text NOT NULL,
  subject_type text NOT NULL,
  subject_id   text NOT NULL,
  summary      text NOT NULL,
  -- HMAC-SHA-256 over the entry and the hash before it: nobody changes or takes out an entry unseen.
  hash         bytea NOT NULL UNIQUE
);
-- One expression, so that a search is one look into one index. Entries are few, and found at once: no list of pending ones.
CREATE INDEX audit_log_by_words ON audit_log
  USING gin ((actor || ' ' || action || ' ' || subject_id || ' ' || summary) gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX audit_log_by_age ON audit_log (at);
CREATE INDEX audit_log_of_subject ON audit_log (subject_id);

CREATE FUNCTION keep_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is only ever added to';
END $$;
CREATE TRIGGER keep_audit_log BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION keep_audit_log();
