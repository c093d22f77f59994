-- What the API sets for projects and users. A field that is absent sets nothing. A project or user that was deleted may have
-- revoked tokens, so its row stays.
ALTER TABLE projects
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN version bigint NOT NULL DEFAULT 0,
  ADD COLUMN deleted_at timestamptz;
--> statement-breakpoint
ALTER TABLE users
  ADD COLUMN settings jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN version bigint NOT NULL DEFAULT 0,
  ADD COLUMN deleted_at timestamptz;
--> statement-breakpoint
-- What gateway.yaml says of users, as project_settings does of projects.
CREATE TABLE user_settings (
  name text PRIMARY KEY,
  data jsonb NOT NULL,
  position integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  version bigint NOT NULL DEFAULT nextval('versions')
);
