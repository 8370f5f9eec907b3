-- Reviews by buyers. The rating and the number of reviews of a product are those of its published reviews.

CREATE TABLE reviews (
  id            uuid PRIMARY KEY,
  product_id    uuid NOT NULL REFERENCES products,
  user_id       uuid NOT NULL REFERENCES users,
  -- The purchase that lets its author write it.
  order_line_id uuid NOT NULL REFERENCES order_lines,
  stars         integer NOT NULL CHECK (stars BETWEEN 1 AND 5),
  -- May be empty.
  title         text NOT NULL,
  text          text NOT NULL CHECK (text <> ''),
  state         text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'published', 'rejected')),
  reject_reason text CHECK ((reject_reason IS NOT NULL) = (state = 'rejected')),
  -- The shop's.
  reply         text CHECK (reply <> ''),
  replied_at    timestamptz CHECK ((replied_at IS NULL) = (reply IS NULL)),
  -- Counts what its author wrote, so that nobody publishes what they have not read.
  version       integer NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  UNIQUE (product_id, user_id)
);
COMMENT ON TABLE reviews IS 'Until its author deletes it; otherwise with the account.';
CREATE INDEX reviews_of_user ON reviews (user_id);
CREATE INDEX reviews_of_order_line ON reviews (order_line_id);
CREATE INDEX reviews_published ON reviews (product_id, created_at DESC, id DESC) INCLUDE (stars) WHERE state = 'published';
CREATE INDEX reviews_queue ON reviews (((state = 'pending')::integer) DESC, updated_at DESC, id DESC);

-- So far no review was stored: these figures came with the data of a demo.
UPDATE products SET rating_tenths = 0, review_count = 0 WHERE review_count > 0;
