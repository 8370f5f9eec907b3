-- Files that are sold: uploaded by the owner in versions, kept here in encrypted chunks, so that every process serves them and
-- the backup has them. A grant lets one session download one item.

CREATE TABLE product_files (
  id            uuid PRIMARY KEY,
  product_id    uuid NOT NULL REFERENCES products,
  -- From 1, in the sequence of publication; null while it is uploaded.
  version       integer CHECK (version > 0),
  name          text NOT NULL,
  media_type    text NOT NULL,
  bytes         integer NOT NULL CHECK (bytes BETWEEN 1 AND 209715200),
  -- Of the clear content.
  sha256        bytea CHECK (length(sha256) = 32),
  created_at    timestamptz NOT NULL,
  published_at  timestamptz,
  -- When the next version was published.
  superseded_at timestamptz CHECK (superseded_at >= published_at),
  UNIQUE (product_id, version),
  CHECK (num_nulls(version, sha256, published_at) IN (0, 3))
);
-- The version that is sold and served.
CREATE UNIQUE INDEX product_files_current ON product_files (product_id) WHERE published_at IS NOT NULL AND superseded_at IS NULL;

CREATE TABLE file_chunks (
  file_id    uuid NOT NULL REFERENCES product_files ON DELETE CASCADE,
  -- From 0.
  number     integer NOT NULL CHECK (number >= 0),
  -- AES-256-GCM; the additional data is version, file, its length, number and key id (docs/security.md).
  key_id     text NOT NULL,
  nonce      bytea NOT NULL CHECK (length(nonce) = 12),
  ciphertext bytea NOT NULL,
  PRIMARY KEY (file_id, number)
);
-- Encrypted bytes cannot be compressed.
ALTER TABLE file_chunks ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

CREATE TABLE download_grants (
  id         uuid PRIMARY KEY,
  -- SHA-256; the token itself is only in a cookie of the browser that asked.
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  item_id    uuid NOT NULL REFERENCES items,
  file_id    uuid NOT NULL REFERENCES product_files,
  -- Ends the grant when it ends. Without a reference, since a grant is kept longer than a session.
  session_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX download_grants_of_item ON download_grants (item_id);

-- Null: without a limit. An order keeps what its buyer was promised.
ALTER TABLE products
  ADD COLUMN download_limit integer,
  ADD COLUMN download_days  integer,
  ADD CONSTRAINT products_downloads CHECK (download_limit > 0 AND download_days > 0);
ALTER TABLE order_lines
  ADD COLUMN download_limit integer,
  ADD COLUMN download_days  integer;

COMMENT ON TABLE download_grants IS 'For ever: they count against the limit of downloads.';
