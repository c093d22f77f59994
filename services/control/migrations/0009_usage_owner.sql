-- The owner and the tags of the token when the attempt was made. Null for none.
ALTER TABLE usage
  ADD COLUMN owner text,
  ADD COLUMN tags jsonb;
