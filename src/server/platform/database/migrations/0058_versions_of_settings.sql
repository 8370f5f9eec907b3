-- Counts how often the settings were saved, so that a form that shows earlier settings is refused.
ALTER TABLE notice_settings ADD COLUMN version integer NOT NULL DEFAULT 1;
