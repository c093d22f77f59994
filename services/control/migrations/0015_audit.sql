-- Administrative acts. Rows are added, and never changed or removed.
CREATE TABLE audit (
  id bigserial PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_kind text NOT NULL,
  actor text NOT NULL,
  actor_id text,
  address text,
  request_id text,
  action text NOT NULL,
  subject_kind text NOT NULL,
  subject_id text,
  subject text NOT NULL,
  project text,
  before jsonb,
  after jsonb
);
--> statement-breakpoint
CREATE INDEX audit_at ON audit (at);
--> statement-breakpoint
CREATE INDEX audit_actor ON audit (actor, id);
--> statement-breakpoint
CREATE INDEX audit_project ON audit (project, id);
--> statement-breakpoint
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP;
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
--> statement-breakpoint
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
