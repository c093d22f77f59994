-- The user at an OpenID provider who signs in by this login. Null for a login without one.
ALTER TABLE logins
  ADD COLUMN issuer text,
  ADD COLUMN subject text;
--> statement-breakpoint
CREATE UNIQUE INDEX logins_subject ON logins (issuer, subject);
