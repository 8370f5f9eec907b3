-- A new account waits for one that is just leaving its address, and sees then that the address is reserved: it is skipped
-- like one with a known address. Before, refuse_reserved_email() failed its transaction.
CREATE OR REPLACE FUNCTION skip_reserved_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM users WHERE email = NEW.email FOR KEY SHARE;
  RETURN CASE WHEN is_reserved_email(NEW) THEN NULL ELSE NEW END;
END $$;
