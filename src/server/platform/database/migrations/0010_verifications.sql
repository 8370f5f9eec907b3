-- When password or two-factor code was last proven in a session. The default is for processes of the version before this
-- one, which begin sessions with such a proof and do not name the column.
ALTER TABLE sessions ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT now();
UPDATE sessions SET authenticated_at = created_at;

-- What a mailed link or code lets its holder do, once. Only the SHA-256 of the token is kept.
CREATE TABLE verifications (
  id         uuid PRIMARY KEY,
  purpose    text NOT NULL CHECK (purpose IN ('email-undo')),
  user_id    uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  -- The address it is mailed to, which its use proves.
  email      text NOT NULL CHECK (email = lower(btrim(email))),
  -- What else the purpose needs to know.
  data       jsonb NOT NULL,
  -- Null until its mail is made.
  token_hash bytea UNIQUE,
  tries      integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at    timestamptz
);
CREATE INDEX verifications_of_user ON verifications (user_id);
CREATE INDEX verifications_reserving ON verifications (email) WHERE purpose = 'email-undo' AND used_at IS NULL;

-- An address that an account can still return to is nobody else's. The time comes from the row, as the shop's clock may
-- differ from the database's. Volatile, so that it sees what was committed while the statement waited.
CREATE FUNCTION is_reserved_email(u users) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM verifications
    WHERE purpose = 'email-undo' AND used_at IS NULL AND email = u.email AND user_id <> u.id
      AND expires_at > greatest(u.created_at, u.email_verified_at)
  );
END $$;

-- A new account with such an address is skipped, as ON CONFLICT DO NOTHING skips one with another account's address.
CREATE FUNCTION skip_reserved_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN is_reserved_email(NEW) THEN NULL ELSE NEW END;
END $$;
CREATE TRIGGER skip_reserved_email BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION skip_reserved_email();

-- An insert or update that waited for the account to leave the address sees the reservation only after the wait, so it is
-- looked for again when the row is written.
CREATE FUNCTION refuse_reserved_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF is_reserved_email(NEW) THEN
    RAISE unique_violation USING MESSAGE = 'the e-mail address is reserved for another account', CONSTRAINT = 'users_email_key';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_reserved_email AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse_reserved_email();
CREATE TRIGGER refuse_changing_to_reserved_email AFTER UPDATE OF email ON users FOR EACH ROW
  WHEN (OLD.email <> NEW.email) EXECUTE FUNCTION refuse_reserved_email();
