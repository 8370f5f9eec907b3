-- A refund of an amount has no lines, like one of all that is left, but leaves its buyer the goods.
ALTER TABLE refunds ADD COLUMN is_amount boolean NOT NULL DEFAULT false;
