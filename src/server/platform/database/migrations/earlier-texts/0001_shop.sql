-- Brings what an earlier text of 0001_shop.sql made to what the present one makes; run again, it changes nothing.

ALTER TABLE products ADD COLUMN IF NOT EXISTS sold_count integer NOT NULL DEFAULT 0 CHECK (sold_count >= 0);

CREATE OR REPLACE FUNCTION effective_price_cents(p products, at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
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

-- An event was noted when it came in; now it is noted when it was acted on.
ALTER TABLE webhook_events DROP COLUMN IF EXISTS received_at;
DELETE FROM webhook_events WHERE finished_at IS NULL;
ALTER TABLE webhook_events ALTER COLUMN finished_at SET NOT NULL;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_attribute
      WHERE attrelid = 'order_lines'::regclass AND attname = 'at_flash_price' AND NOT attisdropped) THEN
    ALTER TABLE order_lines RENAME COLUMN at_flash_price TO takes_flash_units;
  END IF;
END $$;
