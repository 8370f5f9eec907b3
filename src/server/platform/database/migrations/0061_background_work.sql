-- When each kind of background work that is done once for all processes was started last.
CREATE TABLE background_work (
  name       text PRIMARY KEY,
  started_at timestamptz NOT NULL
);
COMMENT ON TABLE background_work IS 'For ever: a row for each kind of work.';

-- For the list of disputed payments that each process compares with the provider.
CREATE INDEX orders_disputed ON orders (disputed_at) WHERE state = 'disputed';
