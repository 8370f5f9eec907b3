-- The card that a refund went back to, by which its buyer recognises it; null where the provider did not tell it.
ALTER TABLE refunds
  ADD COLUMN card_brand text,
  ADD COLUMN card_last4 text CHECK (card_last4 ~ '^[0-9]{4}$'),
  ADD CHECK ((card_brand IS NULL) = (card_last4 IS NULL));
