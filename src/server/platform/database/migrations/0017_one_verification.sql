-- Every proof by mail, and the first half of a login with two-factor, is a verification: one row with its purpose, its
-- subject, a hashed secret, the tries, an end and a use. The four older tables go; each of their rows is carried over, so
-- that a link or code that was mailed before still works.
ALTER TABLE verifications
  DROP CONSTRAINT verifications_purpose_check,
  ALTER COLUMN user_id DROP NOT NULL,
  ALTER COLUMN data SET DEFAULT '{}',
  -- The address that its use proves; null where the purpose proves none.
  ALTER COLUMN email DROP NOT NULL,
  ADD COLUMN order_id uuid REFERENCES orders,
  -- What tries or requests are counted by: the hash of the known device of a login, the network of an order lookup.
  ADD COLUMN origin text NOT NULL DEFAULT '';
-- Of a link's token the SHA-256; of an order lookup's code an HMAC with the row's id, under a key that is not in the
-- database. Null until the mail is made, and for a login, whose signed token names the row.
ALTER TABLE verifications RENAME COLUMN token_hash TO secret_hash;
ALTER TABLE verifications RENAME CONSTRAINT verifications_token_hash_key TO verifications_secret_hash_key;

INSERT INTO verifications (id, purpose, user_id, email, secret_hash, created_at, expires_at, used_at)
SELECT gen_random_uuid(), kind, user_id, email, token_hash, created_at, expires_at, used_at FROM account_links;
INSERT INTO verifications (id, purpose, order_id, secret_hash, created_at, expires_at, used_at)
SELECT gen_random_uuid(), 'order-claim', order_id, token_hash, created_at, expires_at, used_at FROM claim_links;
INSERT INTO verifications (id, purpose, user_id, origin, data, tries, created_at, expires_at, used_at)
SELECT id, 'login', user_id, coalesce(encode(device_hash, 'hex'), ''), jsonb_build_object('remember', remembered), tries,
  created_at, expires_at, used_at
FROM pending_logins;
INSERT INTO verifications (id, purpose, order_id, origin, secret_hash, tries, created_at, expires_at, used_at)
SELECT id, 'order-lookup', order_id, network, code_hash, tries, created_at, expires_at, used_at FROM order_lookups;

ALTER TABLE verifications
  ADD CONSTRAINT verifications_purpose_check CHECK (purpose IN ('login', 'password-reset', 'email-verification',
    'email-change', 'email-undo', 'order-claim', 'order-lookup')),
  -- An order lookup without an order is of a question that no order answers.
  ADD CONSTRAINT verifications_subject_check CHECK (CASE purpose
    WHEN 'order-claim' THEN user_id IS NULL AND order_id IS NOT NULL
    WHEN 'order-lookup' THEN user_id IS NULL
    ELSE user_id IS NOT NULL AND order_id IS NULL END),
  ADD CONSTRAINT verifications_proof_check CHECK (email IS NOT NULL OR purpose IN ('login', 'order-claim', 'order-lookup')),
  ADD CONSTRAINT verifications_secret_check CHECK (secret_hash IS NULL OR user_id IS NOT NULL OR order_id IS NOT NULL),
  ADD CONSTRAINT verifications_tries_check CHECK (tries >= 0);
CREATE INDEX verifications_of_order ON verifications (order_id, created_at) WHERE order_id IS NOT NULL;
CREATE INDEX verifications_expired ON verifications (expires_at);

-- A mail names the verification whose secret it will carry.
ALTER TABLE mails DROP CONSTRAINT mails_lookup_id_fkey;
ALTER TABLE mails RENAME COLUMN lookup_id TO verification_id;
ALTER TABLE mails ADD FOREIGN KEY (verification_id) REFERENCES verifications ON DELETE CASCADE;
ALTER INDEX mails_of_lookup RENAME TO mails_of_verification;
UPDATE mails SET verification_id = (
  SELECT id FROM verifications
  WHERE purpose = 'email-undo' AND user_id = mails.user_id AND email = mails.recipient AND secret_hash IS NULL
    AND created_at <= mails.created_at
  ORDER BY created_at DESC LIMIT 1)
WHERE kind = 'email-changed' AND sent_at IS NULL;

DROP TABLE account_links, claim_links, pending_logins, order_lookups;
