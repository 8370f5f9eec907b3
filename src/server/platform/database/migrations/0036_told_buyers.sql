-- The buyers of a file are told of a new version by mail, if its owner wants that: each of them once.
ALTER TABLE product_files ADD COLUMN tells_buyers boolean NOT NULL DEFAULT false;
-- The version that a mail is about.
ALTER TABLE mails ADD COLUMN file_id uuid REFERENCES product_files;
-- The recipient of a mail that was skipped is erased.
CREATE UNIQUE INDEX mails_of_file ON mails (file_id, recipient) WHERE file_id IS NOT NULL AND recipient <> '';
