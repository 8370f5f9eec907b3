COMMENT ON TABLE test_mode_claims IS 'With their payment.';
