-- The way in which a user signs in. A user without a row cannot.
CREATE TABLE logins (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  email text,
  admin boolean NOT NULL DEFAULT false,
  disabled boolean NOT NULL DEFAULT false,
  -- Argon2id as a PHC string. Null without a password.
  password text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz
);
--> statement-breakpoint
CREATE UNIQUE INDEX logins_email ON logins (lower(email));
--> statement-breakpoint
CREATE TABLE memberships (
  user_id uuid NOT NULL REFERENCES users (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  role text NOT NULL,
  PRIMARY KEY (user_id, project_id)
);
--> statement-breakpoint
CREATE INDEX memberships_project ON memberships (project_id);
--> statement-breakpoint
-- Sessions of users, by the SHA-256 of the secret in the cookie.
CREATE TABLE sessions (
  hash text PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  seen_at timestamptz NOT NULL DEFAULT now(),
  ends_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX sessions_user ON sessions (user_id);
--> statement-breakpoint
CREATE INDEX sessions_end ON sessions (ends_at);
--> statement-breakpoint
-- Attempts to sign in, by the SHA-256 of an account or an address.
CREATE TABLE sign_in_attempts (
  key text PRIMARY KEY,
  attempts integer NOT NULL,
  ends_at timestamptz NOT NULL
);
--> statement-breakpoint
CREATE INDEX sign_in_attempts_end ON sign_in_attempts (ends_at);
--> statement-breakpoint
-- Service accounts, by the SHA-256 of their token.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL,
  role text NOT NULL,
  hash text NOT NULL UNIQUE,
  prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  last_used_at timestamptz
);
--> statement-breakpoint
CREATE TABLE account_projects (
  account_id uuid NOT NULL REFERENCES accounts (id),
  project_id uuid NOT NULL REFERENCES projects (id),
  PRIMARY KEY (account_id, project_id)
);
--> statement-breakpoint
CREATE INDEX account_projects_project ON account_projects (project_id);
--> statement-breakpoint
-- A user or project that is deleted and later named again begins without logins and roles. These are triggers so that they also
-- hold for a control of the version before.
CREATE FUNCTION forget_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM sessions WHERE user_id = NEW.id;
  DELETE FROM memberships WHERE user_id = NEW.id;
  DELETE FROM logins WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER users_deleted AFTER UPDATE OF deleted_at ON users
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_user();
--> statement-breakpoint
CREATE FUNCTION forget_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memberships WHERE project_id = NEW.id;
  DELETE FROM account_projects WHERE project_id = NEW.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER projects_deleted AFTER UPDATE OF deleted_at ON projects
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION forget_project();
