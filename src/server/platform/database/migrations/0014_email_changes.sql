-- The new address that a user asked for and has yet to confirm, whether or not a link could be mailed to it: an address that
-- has an account gets none, and the user must not see that.
CREATE TABLE email_changes (
  user_id  uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  email    text NOT NULL CHECK (email = lower(btrim(email))),
  asked_at timestamptz NOT NULL
);
CREATE INDEX email_changes_by_age ON email_changes (asked_at);
-- Links that were mailed before and still work.
INSERT INTO email_changes (user_id, email, asked_at)
SELECT DISTINCT ON (user_id) user_id, email, created_at FROM account_links
WHERE kind = 'email-change' AND used_at IS NULL AND expires_at > now()
ORDER BY user_id, created_at DESC;
