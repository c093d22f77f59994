-- Reason why the model stopped. Null unless it generated an answer to its end.
ALTER TABLE usage ADD COLUMN finish_reason text;
