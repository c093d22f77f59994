-- What is counted beside tokens, or in their place.
ALTER TABLE usage
  ADD COLUMN images bigint NOT NULL DEFAULT 0,
  ADD COLUMN seconds double precision NOT NULL DEFAULT 0,
  ADD COLUMN characters bigint NOT NULL DEFAULT 0,
  ADD COLUMN searches bigint NOT NULL DEFAULT 0;
