-- What the buyer is told about a refund; its reason is kept among administrators.
ALTER TABLE refunds ADD COLUMN message text NOT NULL DEFAULT '' CHECK (length(message) <= 300);
