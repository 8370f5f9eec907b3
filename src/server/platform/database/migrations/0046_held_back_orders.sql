-- Orders of a restored backup of which something may have been given back, and sold to another, since. They are frozen with the cause
-- `restore` and the id `restore/` with the order's, until the payment provider was asked; then until an administrator has decided.
ALTER TABLE order_freezes DROP CONSTRAINT order_freezes_cause_check;
ALTER TABLE order_freezes ADD CONSTRAINT order_freezes_cause_check CHECK (cause IN ('dispute', 'fraud-warning', 'restore'));
-- Few are open at a time.
CREATE INDEX order_freezes_held_back ON order_freezes (order_id) WHERE cause = 'restore' AND ended_at IS NULL;

-- When a restored shop found that a payment names the item whose order is lost: it may be that buyer's.
ALTER TABLE items ADD COLUMN resold_at timestamptz;
CREATE INDEX items_resold ON items (id) WHERE resold_at IS NOT NULL;

CREATE OR REPLACE FUNCTION keep_frozen_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.resold_at IS NOT NULL THEN RAISE EXCEPTION 'item % may be another buyer''s', OLD.id; END IF;
  IF EXISTS (
    SELECT FROM order_freezes JOIN order_lines USING (order_id)
    WHERE order_lines.id = OLD.order_line_id AND ended_at IS NULL
  ) THEN RAISE EXCEPTION 'item % is frozen', OLD.id; END IF;
  RETURN NEW;
END $$;
