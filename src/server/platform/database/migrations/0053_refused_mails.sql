-- When the shop gave a mail up: the mail server had refused it for good, or was away for days.
ALTER TABLE mails ADD COLUMN refused_at timestamptz;
UPDATE mails SET refused_at = notices.created_at FROM notices
WHERE notices.kind = 'mail-failed' AND about_id = mails.id AND sent_at IS NULL;
