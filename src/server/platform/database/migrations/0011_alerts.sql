-- What a person must look at, once for each thing it is about, until it is acknowledged or has ended by itself.
CREATE TABLE alerts (
  id           uuid PRIMARY KEY,
  kind         text NOT NULL,
  -- What it is about, as in the id of a payment.
  subject      text NOT NULL,
  -- Not a reference: the order of an unknown payment is not there.
  order_id     uuid,
  raised_at    timestamptz NOT NULL,
  -- Also by the shop itself, then without a reason.
  ended_at     timestamptz,
  end_reason   text,
  UNIQUE (kind, subject)
);
CREATE INDEX alerts_open ON alerts (raised_at DESC) WHERE ended_at IS NULL;

-- Stands in the metadata of every payment from now on, so that several shops can share an account at the provider. A
-- payment without it is ours when it is older than this id and names an order.
INSERT INTO shop_facts (name, value) VALUES ('shop-id', gen_random_uuid()), ('shop-id-since', now()::text)
  ON CONFLICT (name) DO NOTHING;
