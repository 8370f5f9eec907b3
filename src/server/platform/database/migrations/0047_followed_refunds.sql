-- A refund is done when the provider says that it has succeeded, and no longer done when it fails later. The states stay:
-- `pending` until then, `failed` when it was refused or has failed.
ALTER TABLE refunds
  -- Each attempt has an idempotency key of its own at the provider.
  ADD COLUMN attempt      integer NOT NULL DEFAULT 1 CHECK (attempt > 0),
  -- The provider's refund that gives this one. A failed refund that has one waits for a person; without one it was refused.
  ADD COLUMN provider_id  text,
  ADD COLUMN failure      text,
  ADD COLUMN settled_note text,
  ADD CHECK (failure IS NULL OR state = 'failed'),
  ADD CHECK (settled_note IS NULL OR (state = 'done' AND provider_id IS NULL));

-- The goods of such an order are not sold again before its buyer is paid back.
CREATE INDEX refunds_unfinished ON refunds (order_id) WHERE state <> 'done';

-- Of the test mode.
ALTER TABLE test_mode_refunds
  ADD COLUMN status text NOT NULL DEFAULT 'succeeded' CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
  ADD COLUMN failure_reason text;
