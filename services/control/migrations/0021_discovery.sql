-- The models that providers list themselves: each provider's last list, and the models in force by them. An older control leaves both alone.
CREATE TABLE discoveries (
  provider text PRIMARY KEY,
  provider_version bigint NOT NULL DEFAULT 0,
  names jsonb NOT NULL DEFAULT '[]',
  refreshed_at timestamptz,
  next_at timestamptz,
  claimed_until timestamptz,
  failures integer NOT NULL DEFAULT 0,
  error text
);
--> statement-breakpoint
CREATE TABLE discovered_models (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
