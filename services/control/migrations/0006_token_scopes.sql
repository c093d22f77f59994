-- People and programs that own tokens.
CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
ALTER TABLE tokens
  ADD COLUMN owner_id uuid REFERENCES users (id),
  ADD COLUMN disabled boolean NOT NULL DEFAULT false,
  -- Scopes, limits and tags, as in the API. A field that is absent allows everything.
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}',
  -- Start of the token's last attempt at an upstream, to the minute.
  ADD COLUMN last_used_at timestamptz;
--> statement-breakpoint
-- Secrets that a token had before it was rotated. They stay, so that KV keeps refusing them.
CREATE TABLE previous_secrets (
  hash text PRIMARY KEY,
  token_id uuid NOT NULL REFERENCES tokens (id),
  valid_until timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX previous_secrets_token ON previous_secrets (token_id);
