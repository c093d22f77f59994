-- One sequence for all rows: a higher version is a later change, whatever it changed.
CREATE SEQUENCE versions;
--> statement-breakpoint
CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CREATE TABLE tokens (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  version bigint NOT NULL DEFAULT nextval('versions')
);
--> statement-breakpoint
CREATE INDEX tokens_live ON tokens (created_at DESC, version DESC) WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE TABLE providers (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
--> statement-breakpoint
CREATE TABLE models (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
