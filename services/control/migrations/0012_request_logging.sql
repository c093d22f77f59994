-- The texts of requests and their answers, of projects with request logging. Ids are UUIDv7, in the order of time.
CREATE TABLE logged_requests (
  id uuid PRIMARY KEY,
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ms integer NOT NULL,
  format text NOT NULL,
  model text NOT NULL,
  token_id text NOT NULL,
  project text NOT NULL,
  owner text,
  status integer NOT NULL,
  outcome text NOT NULL,
  error text,
  request text NOT NULL,
  request_bytes bigint NOT NULL,
  request_cut boolean NOT NULL,
  response text NOT NULL,
  response_bytes bigint NOT NULL,
  response_cut boolean NOT NULL
);
--> statement-breakpoint
CREATE INDEX logged_requests_request ON logged_requests (request_id);
--> statement-breakpoint
CREATE INDEX logged_requests_project ON logged_requests (project, id);
--> statement-breakpoint
CREATE INDEX logged_requests_token ON logged_requests (token_id, id);
--> statement-breakpoint
CREATE INDEX logged_requests_expires ON logged_requests (expires_at);
