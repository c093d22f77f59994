-- The administrator who ended the request. Null if none did.
ALTER TABLE usage ADD COLUMN ended_by text;
