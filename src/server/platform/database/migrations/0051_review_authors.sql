-- The name of the author when the review was written, which an administrator read before publishing it. Empty in a review that a
-- process of the earlier version writes during a rolling upgrade.
ALTER TABLE reviews ADD COLUMN author text NOT NULL DEFAULT '';
UPDATE reviews SET author = users.name FROM users WHERE users.id = user_id;
