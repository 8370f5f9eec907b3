-- What the owner is told, by mail and on the dashboard.

-- Written with the event that it tells, once for each subject.
CREATE TABLE notices (
  id         uuid PRIMARY KEY,
  kind       text NOT NULL,
  -- The event: an id, with a moment where it can happen to the same thing again.
  subject    text NOT NULL,
  -- The order, product, problem report, alert or mail that it is about. Not a reference: some are removed before the notice.
  about_id   uuid NOT NULL,
  -- Of a product, what was left to sell.
  units      integer,
  created_at timestamptz NOT NULL,
  read_at    timestamptz,
  -- By the setting of its kind at that moment; null for the dashboard alone.
  mailed_as  text,
  mailed_at  timestamptz,
  UNIQUE (kind, subject)
);
-- Every purchase writes one (decision record 10).
CREATE FUNCTION is_valid(n notices) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN n.kind IN ('new-order', 'low-stock', 'sold-out', 'problem-report', 'refund-failed', 'dispute', 'mail-failed', 'alert')
    AND (n.mailed_as IS NULL OR n.mailed_as IN ('each', 'digest'))
    AND (n.mailed_at IS NULL OR n.mailed_as IS NOT NULL);
END $$;
ALTER TABLE notices ADD CONSTRAINT notices_valid CHECK (is_valid(notices));
CREATE INDEX notices_newest ON notices (created_at DESC, id DESC);
CREATE INDEX notices_unread ON notices (created_at DESC, id DESC) WHERE read_at IS NULL;
CREATE INDEX notices_unmailed ON notices (created_at) WHERE mailed_as IS NOT NULL AND mailed_at IS NULL;

-- Which notices a mail tells.
CREATE TABLE notice_mails (
  mail_id    uuid PRIMARY KEY REFERENCES mails ON DELETE CASCADE,
  notice_ids uuid[] NOT NULL
);
COMMENT ON TABLE notice_mails IS 'As long as the mail.';

CREATE TABLE notice_settings (
  kind     text PRIMARY KEY,
  delivery text NOT NULL CHECK (delivery IN ('off', 'dashboard', 'digest', 'each'))
);
COMMENT ON TABLE notice_settings IS 'For ever: one row for each kind.';
INSERT INTO notice_settings (kind, delivery) VALUES
  ('new-order', 'digest'), ('low-stock', 'digest'), ('sold-out', 'each'), ('problem-report', 'each'),
  ('refund-failed', 'each'), ('dispute', 'each'), ('mail-failed', 'digest'), ('alert', 'each');

-- Administrators who get no mails of notices.
CREATE TABLE notice_mutes (user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE);
COMMENT ON TABLE notice_mutes IS 'Until the administrator is to be told again.';

ALTER TABLE products
  -- A product is low on stock when so many units are left, or fewer.
  ADD COLUMN low_stock integer NOT NULL DEFAULT 9 CHECK (low_stock BETWEEN 0 AND 1000);

-- What was last known of a product's stock. A fall from it is told once; see watch-stock.queries.ts.
CREATE TABLE stock_levels (
  product_id uuid PRIMARY KEY REFERENCES products ON DELETE CASCADE,
  -- 0: sold out; 1: low; 2: more than that.
  level      smallint NOT NULL CHECK (level BETWEEN 0 AND 2)
);
COMMENT ON TABLE stock_levels IS 'As long as the product.';
