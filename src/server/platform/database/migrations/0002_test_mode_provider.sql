-- The built-in test-mode payment provider (docs/test-mode.md). Nothing in the shop reads these tables: it asks the
-- provider through the Stripe SDK, as it would ask Stripe.

-- One row: the keys of this database's provider, made once so that several processes agree.
CREATE TABLE test_mode_account (
  only_one        boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  publishable_key text NOT NULL,
  secret_key      text NOT NULL,
  webhook_secret  text NOT NULL,
  created_at      timestamptz NOT NULL
);

CREATE TABLE test_mode_intents (
  id                  text PRIMARY KEY,
  client_secret       text NOT NULL,
  status              text NOT NULL CHECK (status IN ('requires_payment_method', 'requires_action', 'requires_capture', 'succeeded', 'canceled')),
  -- Every change adds one and is made only on the version it was decided from, so that each is decided once.
  version             integer NOT NULL,
  amount_cents        integer NOT NULL CHECK (amount_cents > 0),
  captured_cents      integer NOT NULL CHECK (captured_cents BETWEEN 0 AND amount_cents),
  refunded_cents      integer NOT NULL CHECK (refunded_cents BETWEEN 0 AND captured_cents),
  currency            text NOT NULL,
  metadata            jsonb NOT NULL,
  receipt_email       text,
  payment_method_id   text,
  card_brand          text,
  -- All of a card number that is ever kept.
  card_last4          text CHECK (card_last4 ~ '^[0-9]{4}$'),
  charge_id           text,
  last_error          jsonb,
  -- An authorisation that is not captured by then lapses.
  capture_before      timestamptz,
  canceled_at         timestamptz,
  cancellation_reason text,
  created_at          timestamptz NOT NULL,
  CHECK ((status = 'succeeded') = (captured_cents > 0)),
  CHECK (status <> 'requires_capture' OR capture_before IS NOT NULL)
);
CREATE INDEX test_mode_intents_newest ON test_mode_intents (created_at, id);

CREATE TABLE test_mode_refunds (
  id           text PRIMARY KEY,
  intent_id    text NOT NULL REFERENCES test_mode_intents,
  amount_cents integer NOT NULL CHECK (amount_cents > 0),
  reason       text,
  created_at   timestamptz NOT NULL
);
CREATE INDEX test_mode_refunds_of_intent ON test_mode_refunds (intent_id, created_at);

-- The answer to a repeated request, stored with the change that it reports.
CREATE TABLE test_mode_idempotency_keys (
  key          text PRIMARY KEY,
  request_hash bytea NOT NULL,
  request_id   text NOT NULL,
  status       integer NOT NULL,
  body         text NOT NULL,
  created_at   timestamptz NOT NULL
);

-- Written with the change that they report, and deleted when the shop has taken them with a 2xx.
CREATE TABLE test_mode_events (
  id              text PRIMARY KEY,
  type            text NOT NULL,
  payload         text NOT NULL,
  created_at      timestamptz NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL
);
CREATE INDEX test_mode_events_due ON test_mode_events (next_attempt_at);
