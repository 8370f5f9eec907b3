-- The card that paid, as the provider said when it was asked about the payment: `brand` and `last4`. Null where it did not say, and of
-- orders that were paid before; their receipts ask for it.
ALTER TABLE orders ADD COLUMN paid_card jsonb;
