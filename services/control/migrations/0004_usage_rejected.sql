-- Usage records that the ledger cannot hold even after they were adjusted, for an operator to look at. Appended and never
-- changed; a record that comes twice is one row.
CREATE TABLE usage_rejected (
  id bigserial PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  reason text NOT NULL,
  record text NOT NULL,
  hash text NOT NULL UNIQUE
);
