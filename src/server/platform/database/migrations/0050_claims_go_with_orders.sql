-- A claim is kept with its order: one of an order that was cancelled unpaid stopped the removal of all such orders.
ALTER TABLE order_freezes DROP CONSTRAINT order_freezes_order_id_fkey,
  ADD CONSTRAINT order_freezes_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders ON DELETE CASCADE;
ALTER TABLE test_mode_claims DROP CONSTRAINT test_mode_claims_intent_id_fkey,
  ADD CONSTRAINT test_mode_claims_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES test_mode_intents ON DELETE CASCADE;
