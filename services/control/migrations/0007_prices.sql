-- The cost of an attempt in US dollars, and the prices that it was settled by. Null if one of them is unknown.
ALTER TABLE usage
  ADD COLUMN cost double precision,
  ADD COLUMN price_version text;
--> statement-breakpoint
-- The prices of each version: those of the catalog, or null for a version of the package of prices.
CREATE TABLE prices (
  version text PRIMARY KEY,
  price jsonb,
  first_used_at timestamptz NOT NULL DEFAULT now()
);
