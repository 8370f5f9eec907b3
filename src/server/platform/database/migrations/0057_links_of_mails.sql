-- The mail that has the link. The link is committed before its mail is sent, so a process that is killed in between
-- leaves a link that nobody has; the repeated job makes another. Null for what is not made with its mail, and for the
-- links of processes of the earlier version. No foreign key, as mails refer to verifications.
ALTER TABLE verifications ADD COLUMN mail_id uuid;
CREATE INDEX verifications_of_mail ON verifications (mail_id) WHERE mail_id IS NOT NULL;
