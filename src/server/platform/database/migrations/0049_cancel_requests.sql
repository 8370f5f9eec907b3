-- The owner is told of an order whose buyer may not cancel it any more, and asks.
CREATE OR REPLACE FUNCTION is_valid(n notices) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN n.kind IN ('new-order', 'low-stock', 'sold-out', 'problem-report', 'cancel-request', 'refund-failed', 'dispute',
      'mail-failed', 'alert')
    AND (n.mailed_as IS NULL OR n.mailed_as IN ('each', 'digest'))
    AND (n.mailed_at IS NULL OR n.mailed_as IS NOT NULL);
END $$;
INSERT INTO notice_settings (kind, delivery) VALUES ('cancel-request', 'each');
