-- The model that took a request over from the one that was asked for.
ALTER TABLE usage ADD COLUMN fallback text;
