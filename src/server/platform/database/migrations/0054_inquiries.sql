-- A bank's inquiry freezes an order as an early fraud warning does. It keeps its id when it becomes a dispute.
ALTER TABLE order_freezes DROP CONSTRAINT order_freezes_cause_check,
  ADD CONSTRAINT order_freezes_cause_check CHECK (cause IN ('dispute', 'inquiry', 'fraud-warning', 'restore'));
-- A dispute that was lost in part freezes the order until an administrator has decided what becomes of the rest.
ALTER TABLE order_freezes DROP CONSTRAINT order_freezes_check,
  ADD CONSTRAINT order_freezes_check CHECK ((ended_at IS NULL) = (outcome IS NULL) OR (ended_at IS NULL AND outcome = 'lost'));

-- Of the test mode: all statuses of a dispute, what kind of case it is, and the disputed part of the payment (null: all of it).
ALTER TABLE test_mode_claims DROP CONSTRAINT test_mode_claims_status_check,
  ADD CONSTRAINT test_mode_claims_status_check CHECK (status IN ('warning_needs_response', 'warning_under_review', 'warning_closed',
    'needs_response', 'under_review', 'appeal_needs_response', 'appeal_under_review', 'won', 'lost', 'prevented')),
  ADD COLUMN case_type text NOT NULL DEFAULT 'chargeback'
    CHECK (case_type IN ('chargeback', 'inquiry', 'block', 'resolution', 'compliance')),
  ADD COLUMN amount_cents integer CHECK (amount_cents > 0);
