-- The providers and models of the admin API, beside those of gateway.yaml. An older control leaves them alone.
CREATE TABLE api_providers (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
--> statement-breakpoint
CREATE TABLE api_models (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
