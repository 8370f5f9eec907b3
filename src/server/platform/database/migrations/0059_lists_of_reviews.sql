-- The list of reviews by state; after the state, it has the columns of reviews_queue.
CREATE INDEX reviews_of_state ON reviews (state, ((state = 'pending')::integer) DESC, updated_at DESC, id DESC);
CREATE INDEX reviews_by_author ON reviews USING gin (author gin_trgm_ops);
