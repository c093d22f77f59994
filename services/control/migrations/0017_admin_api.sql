-- The order of the pages of tokens, also of those of a project or an owner.
CREATE INDEX tokens_newest ON tokens (created_at DESC, id DESC) WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX tokens_project_newest ON tokens (project_id, created_at DESC, id DESC) WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX tokens_owner_newest ON tokens (owner_id, created_at DESC, id DESC) WHERE revoked_at IS NULL;
--> statement-breakpoint
CREATE INDEX accounts_newest ON accounts (created_at DESC, id DESC) WHERE revoked_at IS NULL;
--> statement-breakpoint
-- The order of the pages of projects, users and members, the same whatever the language of the database.
CREATE INDEX projects_by_name ON projects (name COLLATE "C") WHERE deleted_at IS NULL;
--> statement-breakpoint
CREATE INDEX users_by_name ON users (name COLLATE "C") WHERE deleted_at IS NULL;
--> statement-breakpoint
-- Requests with an Idempotency-Key, and their sealed answers.
CREATE TABLE idempotency_keys (
  hash text PRIMARY KEY,
  request text NOT NULL,
  claim text NOT NULL,
  claimed_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  answer text
);
--> statement-breakpoint
CREATE INDEX idempotency_keys_end ON idempotency_keys (expires_at);
