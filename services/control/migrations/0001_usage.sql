-- The ledger: one row an attempt at an upstream, appended and never changed, but for what a caller
-- wrote in place of a worker that was thought to be lost.
CREATE TABLE usage (
  id uuid PRIMARY KEY,
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  ms integer NOT NULL,
  first_ms integer,
  operation text NOT NULL,
  format text NOT NULL,
  stream boolean NOT NULL,
  model text NOT NULL,
  provider text NOT NULL,
  upstream_model text NOT NULL,
  token_id text NOT NULL,
  project text NOT NULL,
  outcome text NOT NULL,
  error text,
  charged boolean NOT NULL,
  known boolean NOT NULL,
  estimated boolean NOT NULL,
  by_caller boolean NOT NULL,
  input bigint NOT NULL,
  cached_input bigint NOT NULL,
  cache_write_5m bigint NOT NULL,
  cache_write_1h bigint NOT NULL,
  audio_input bigint NOT NULL,
  image_input bigint NOT NULL,
  output bigint NOT NULL,
  reasoning bigint NOT NULL,
  audio_output bigint NOT NULL,
  raw jsonb
);
--> statement-breakpoint
CREATE INDEX usage_at ON usage (at);
--> statement-breakpoint
CREATE INDEX usage_token ON usage (token_id, at);
