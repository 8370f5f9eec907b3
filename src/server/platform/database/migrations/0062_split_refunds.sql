-- The refund from which this one was split off, if that refund had its credit note by then: the note is of both.
ALTER TABLE refunds ADD COLUMN split_from uuid REFERENCES refunds;
